//! Rust functions that are exported as callbacks: `zp_each`, `zp_make`, `zp_found`.

use super::{
    error,
    guard::{Answer, Fault},
};
use crate::abi::{self, Status};
use smallvec::SmallVec;
use std::{
    any::Any,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicBool, Ordering},
};
use zarr_core::{
    Error, ErrorKind, Result,
    source::{ByteRange, RangeCallback},
};

/// A list that stores a few ranges without an allocation.
pub(crate) type Ranges<T> = SmallVec<[T; 8]>;

/// The context of a callback that is borrowed for one call of the other side. The callback runs once at a time.
pub(crate) struct Callback<F> {
    busy: AtomicBool,
    f: F,
    error: Option<Error>,
    panic: Option<Box<dyn Any + Send>>,
}

impl<F> Callback<F> {
    pub(crate) fn new(f: F) -> Self {
        Self { busy: AtomicBool::new(false), f, error: None, panic: None }
    }
    /// Runs the callback for the other side. An error or panic is stored in the context; only a status crosses.
    ///
    /// # Safety
    /// `context` points to a `Callback<F>` that is borrowed.
    pub(crate) unsafe fn run(context: *mut c_void, call: impl FnOnce(&mut F) -> Result<()>) -> Status {
        let context = context.cast::<Self>();
        // SAFETY: the caller's promise.
        let busy = unsafe { &(*context).busy };
        if busy.swap(true, Ordering::Acquire) {
            return abi::E_ARGUMENT;
        }
        // SAFETY: as above, and no other call gets past the check until `busy` is false again.
        let (f, error, panic) = unsafe { (&mut (*context).f, &mut (*context).error, &mut (*context).panic) };
        let status = match catch_unwind(AssertUnwindSafe(|| call(f))) {
            Ok(Ok(())) => abi::OK,
            Ok(Err(e)) => {
                let status = error::status_of(&e);
                error.get_or_insert(e);
                status
            }
            Err(payload) => {
                panic.get_or_insert(payload);
                abi::E_INTERNAL
            }
        };
        busy.store(false, Ordering::Release);
        status
    }
    /// Returns the callback's own error, or resumes its panic; otherwise returns `done`, the result of the call that
    /// ran it.
    pub(crate) fn end(self, done: Result<()>) -> Result<()> {
        if let Some(payload) = self.panic {
            resume_unwind(payload);
        }
        self.error.map_or(done, Err)
    }
}

type OnEach<'e, 'f> = Callback<&'e mut (dyn FnMut(usize, &[u8]) -> Result<()> + 'f)>;

/// Exports a Rust function as a `zp_each` that must receive each of the ranges at least once, with its exact length.
/// Returns the error of the function, or a fault if a range is missing or has the wrong length.
pub(crate) fn checked_ranges(
    ranges: &[ByteRange],
    each: RangeCallback<'_>,
    f: impl FnOnce(abi::Each, *mut c_void) -> Status,
) -> Result<Answer> {
    unsafe extern "C" fn run(context: *mut c_void, i: usize, bytes: *const u8, len: usize) -> Status {
        // SAFETY: the context is valid until the call that passes this function returns, the bytes until this one does.
        unsafe { OnEach::run(context, |each| each(i, abi::slice(bytes, len))) }
    }
    let (mut wrong, mut seen) = (false, Ranges::from_elem(false, ranges.len()));
    let mut checked = |i: usize, bytes: &[u8]| {
        let fits = match ranges.get(i) {
            Some(ByteRange::Slice { len, .. } | ByteRange::Suffix(len)) => *len == bytes.len() as u64,
            Some(_) => true,
            None => false,
        };
        if !fits {
            wrong = true;
            return Err(ErrorKind::Contract("unrequested bytes").into());
        }
        seen[i] = true;
        each(i, bytes)
    };
    let mut context = OnEach::new(&mut checked);
    let status = f(Some(run), (&raw mut context).cast());
    let done = context.end(Ok(()));
    if wrong || done.is_ok() && status == abi::OK && seen.contains(&false) {
        return Ok((status, Some(Fault("it did not return exactly the requested bytes"))));
    }
    done.map(|()| (status, None))
}
