//! `zp_reader`: one version of one stored value, read with the rules of [`Source`].

use super::{
    call::{self, CallState},
    callback::{Callback, Ranges, checked_ranges},
    error,
    guard::{Answer, Fault, Guard},
    quietly, serve,
};
use crate::abi::{self, Status};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    limits::Limits,
    source::{ByteRange, Cached, RangeCallback, Source},
};

pub(crate) fn range_to(range: ByteRange) -> abi::Range {
    let (kind, start, len) = match range {
        ByteRange::Slice { start, len } => (abi::RANGE_SLICE, start, len),
        ByteRange::From(start) => (abi::RANGE_FROM, start, 0),
        ByteRange::Suffix(len) => (abi::RANGE_SUFFIX, 0, len),
        ByteRange::All => (abi::RANGE_ALL, 0, 0),
        // The other side rejects a kind that it does not know.
        _ => (u32::MAX, 0, 0),
    };
    abi::Range { kind, reserved0: 0, start, len }
}

pub(crate) fn range_from(range: &abi::Range) -> Result<ByteRange> {
    match range.kind {
        abi::RANGE_SLICE => Ok(ByteRange::Slice { start: range.start, len: range.len }),
        abi::RANGE_FROM => Ok(ByteRange::From(range.start)),
        abi::RANGE_SUFFIX => Ok(ByteRange::Suffix(range.len)),
        abi::RANGE_ALL => Ok(ByteRange::All),
        other => Err(Error::argument(format!("unknown kind of byte range {other}"))),
    }
}

/// Imports ranges that the other side passes.
///
/// # Safety
/// `ranges` points to `n` ranges, or `n` is 0.
pub(crate) unsafe fn ranges_from(ranges: *const abi::Range, n: usize) -> Result<Ranges<ByteRange>> {
    // SAFETY: the caller's promise.
    unsafe { abi::slice(ranges, n) }.iter().map(range_from).collect()
}

/// Passes bytes to a function of the other side.
///
/// # Safety
/// `each` may be called with `context` now.
pub(crate) unsafe fn deliver(each: abi::Each, context: *mut c_void, i: usize, bytes: &[u8]) -> Result<()> {
    let Some(each) = each else { return Err(ErrorKind::Contract("a function pointer is null").into()) };
    // SAFETY: the caller's promise; the bytes live until it returns.
    error::check(unsafe { each(context, i, bytes.as_ptr(), bytes.len()) })
}

// ---- export

const fn functions<const PLUGIN: bool>() -> abi::Reader {
    abi::Reader {
        struct_size: abi::size32::<abi::Reader>(),
        flags: 0,
        gap: 0,
        size: u64::MAX,
        host: std::ptr::null_mut(),
        read: Some(read::<PLUGIN>),
        read_into: Some(read_into::<PLUGIN>),
        in_memory: Some(in_memory),
        memo: Some(memo),
        release: None,
    }
}

/// Creates a reader of a source, which is valid for as long as `source` is not moved.
fn reader<const PLUGIN: bool>(source: &&dyn Source) -> abi::Reader {
    let size = source.size().ok().flatten().unwrap_or(u64::MAX);
    // `host` is a thin pointer, so it points to the wide one.
    let host = std::ptr::from_ref(source).cast_mut().cast();
    abi::Reader { gap: source.gap(), size, host, ..functions::<PLUGIN>() }
}

/// Exports a source for the duration of `f`.
#[cfg(feature = "load")]
pub(crate) fn to_abi<const PLUGIN: bool, R>(source: &dyn Source, f: impl FnOnce(*const abi::Reader) -> R) -> R {
    let reader = reader::<PLUGIN>(&source);
    f(&raw const reader)
}

/// Exports a source to a change of its value. Nothing is cached for it: the call context belongs to the other side, and
/// the value of the next attempt, which may differ, would be passed at the same address.
pub(crate) fn to_abi_for_update<const PLUGIN: bool, R>(
    source: &dyn Source,
    f: impl FnOnce(*const abi::Reader) -> R,
) -> R {
    let reader = abi::Reader { memo: None, ..reader::<PLUGIN>(&source) };
    f(&raw const reader)
}

/// Exports a source that the other side owns until it releases it.
pub(crate) fn into_abi<const PLUGIN: bool>(source: Box<dyn Source + '_>) -> abi::Reader {
    let (gap, size) = (source.gap(), source.size().ok().flatten().unwrap_or(u64::MAX));
    let host = Box::into_raw(Box::new(source)).cast();
    abi::Reader { gap, size, host, memo: None, release: Some(release), ..functions::<PLUGIN>() }
}

unsafe extern "C" fn release(reader: *mut abi::Reader) {
    // SAFETY: `into_abi` created it, and it is released once.
    quietly(|| unsafe { drop(Box::from_raw((*reader).host.cast::<Box<dyn Source>>())) });
}

/// # Safety
/// `reader` was created by `to_abi` or `into_abi`, and has not been released. A `Box<dyn Source>` and a `&dyn Source`
/// are the same two words.
unsafe fn source<'a>(reader: *const abi::Reader) -> &'a dyn Source {
    // SAFETY: the caller's promise.
    unsafe { *(*reader).host.cast::<&dyn Source>() }
}

unsafe extern "C" fn read<const PLUGIN: bool>(
    reader: *const abi::Reader,
    call: *const abi::Call,
    ranges: *const abi::Range,
    n: usize,
    each: abi::Each,
    context: *mut c_void,
) -> Status {
    let run = || {
        // SAFETY: the other side passes the reader that it received, and its own ranges.
        let (source, ranges) = unsafe { (source(reader), ranges_from(ranges, n)?) };
        // SAFETY: the `each` and `context` of the other side are valid until this function returns.
        source.read(&ranges, &mut |i, bytes| unsafe { deliver(each, context, i, bytes) })
    };
    // SAFETY: the other side passes on the call that it received.
    unsafe { serve::<PLUGIN>(call, run) }
}

unsafe extern "C" fn read_into<const PLUGIN: bool>(
    reader: *const abi::Reader,
    call: *const abi::Call,
    range: *const abi::Range,
    out: *mut u8,
    len: usize,
) -> Status {
    let run = || {
        // SAFETY: the other side passes the reader that it received, its own range and its own memory.
        let (source, range, out) = unsafe { (source(reader), range_from(&*range)?, abi::slice_mut(out, len)) };
        source.read_into(range, out)
    };
    // SAFETY: the other side passes on the call that it received.
    unsafe { serve::<PLUGIN>(call, run) }
}

unsafe extern "C" fn in_memory(reader: *const abi::Reader, len: *mut usize) -> *const u8 {
    // SAFETY: the other side passes on the reader that it received.
    match quietly(|| unsafe { source(reader) }.in_memory()).flatten() {
        Some(bytes) => {
            // SAFETY: it is the other side's own variable.
            unsafe { *len = bytes.len() };
            bytes.as_ptr()
        }
        None => std::ptr::null(),
    }
}

/// A value that the other side created, and the function that drops it.
struct Foreign {
    made: *mut c_void,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}
// SAFETY: by the ABI, a value that `make` creates may be used and dropped on any thread.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}
impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: the other side created the value for this function, and it is dropped once.
            unsafe { drop(self.made) };
        }
    }
}

unsafe extern "C" fn memo(
    reader: *const abi::Reader,
    call: *const abi::Call,
    owner: *const c_void,
    start: u64,
    make: abi::MakeMemo,
    context: *mut c_void,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
    cached: *mut *mut c_void,
) -> Status {
    let run = || {
        let Some(make) = make else { return Err(ErrorKind::Contract("a function pointer is null").into()) };
        let mut new = || -> Result<Cached> {
            let mut made = std::ptr::null_mut();
            // SAFETY: the `make` and `context` of the other side are valid until this function returns.
            error::check(unsafe { make(context, &raw mut made) })?;
            Ok(Arc::new(Foreign { made, drop }) as Cached)
        };
        // SAFETY: the other side passes on the call that it received.
        let state = unsafe { CallState::of(call) }.ok_or(ErrorKind::Contract("a reader was used outside its call"))?;
        // Cached until the call ends, and no longer: after that, another owner may have the same number.
        let key = (reader as usize, owner as usize, start);
        let mut value = state.cached_value(key).map_or_else(&mut new, Ok)?;
        // A value with another drop function belongs to another owner, who chose the same number.
        let same = |f: &Foreign| match (f.drop, drop) {
            (Some(a), Some(b)) => std::ptr::fn_addr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if !value.downcast_ref::<Foreign>().is_some_and(same) {
            value = new()?;
        }
        if let Some(foreign) = value.downcast_ref::<Foreign>() {
            // SAFETY: it is the other side's own variable.
            unsafe { *cached = foreign.made };
        }
        state.cache(key, value);
        Ok(())
    };
    // SAFETY: as above.
    unsafe { serve::<false>(call, run) }
}

// ---- import

/// A source of the other side, either borrowed for a call or owned.
pub(crate) struct ImportedSource {
    reader: abi::Reader,
    original: *const abi::Reader,
    call: Option<*const abi::Call>,
    guard: Option<Arc<dyn Guard>>,
    limits: Limits,
}
// SAFETY: the ABI allows use of a reader from any thread for as long as it is borrowed.
unsafe impl Send for ImportedSource {}
// SAFETY: as above.
unsafe impl Sync for ImportedSource {}

impl Drop for ImportedSource {
    fn drop(&mut self) {
        if let (None, Some(release)) = (self.call, self.reader.release) {
            // SAFETY: the other side passed its ownership to this side, and it is released once.
            let mut end = || unsafe { release(&raw mut self.reader) };
            match &self.guard {
                Some(guard) => guard.end(&mut end),
                None => end(),
            }
        }
    }
}

impl ImportedSource {
    /// # Safety
    /// `reader` and `call` are those that the other side passed to the call that is being served, and are valid for as
    /// long as this value lives.
    pub(crate) unsafe fn borrowed(reader: *const abi::Reader, call: *const abi::Call) -> Option<Self> {
        // SAFETY: the caller's promise; a reader begins with its size.
        let copy = unsafe { abi::copied(reader) }?;
        Some(Self { reader: copy, original: reader, call: Some(call), guard: None, limits: Limits::default() })
    }
    /// As [`borrowed`](Self::borrowed), but for a change, for which nothing is cached: see [`to_abi_for_update`].
    ///
    /// # Safety
    /// As for [`borrowed`](Self::borrowed).
    pub(crate) unsafe fn borrowed_for_update(reader: *const abi::Reader, call: *const abi::Call) -> Option<Self> {
        // SAFETY: the caller's promise.
        let mut ffi = unsafe { Self::borrowed(reader, call) }?;
        ffi.reader.memo = None;
        Some(ffi)
    }
    /// Imports a reader that the other side filled, and that this side owns until it is released.
    ///
    /// # Safety
    /// The other side filled it, and it has not been released.
    pub(crate) unsafe fn owned(reader: abi::Reader, guard: Option<Arc<dyn Guard>>, limits: &Limits) -> Self {
        // Cached values would live until the end of a call, but each use of this reader is a call of its own.
        let reader = abi::Reader { memo: None, ..reader };
        Self { reader, original: std::ptr::null(), call: None, guard, limits: limits.clone() }
    }
    fn with(&self, mut f: impl FnMut(*const abi::Reader, *const abi::Call) -> Status) -> Result<()> {
        self.checked(|reader, call| (f(reader, call), None))
    }
    fn checked(&self, mut f: impl FnMut(*const abi::Reader, *const abi::Call) -> Answer) -> Result<()> {
        if let Some(call) = self.call {
            return match f(self.original, call) {
                (_, Some(Fault(what))) => Err(ErrorKind::Contract(what).into()),
                (status, None) => error::check(status),
            };
        }
        let mut run = || call::to_abi_plain(&self.limits, |call| f(&raw const self.reader, call));
        call::outcome(self.guard.as_deref(), &mut run)
    }
}

#[cold]
fn cannot_read() -> Error {
    ErrorKind::Contract("a reader has no function `read`").into()
}

impl Source for ImportedSource {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        let read = self.reader.read.ok_or_else(cannot_read)?;
        let ffi: Ranges<abi::Range> = ranges.iter().copied().map(range_to).collect();
        let mut failed = None;
        let done = self.checked(|reader, call| {
            let outcome = checked_ranges(ranges, &mut *each, |each, context| {
                // SAFETY: reader and call are borrowed, see the constructors; everything else lives until it returns.
                unsafe { read(reader, call, ffi.as_ptr(), ffi.len(), each, context) }
            });
            error::set_aside(outcome, &mut failed)
        });
        failed.map_or(done, Err)
    }
    fn read_into(&self, range: ByteRange, out: &mut [u8]) -> Result<()> {
        let read_into = self.reader.read_into.ok_or_else(cannot_read)?;
        let (range, out, len) = (range_to(range), out.as_mut_ptr(), out.len());
        // SAFETY: as above.
        self.with(|reader, call| unsafe { read_into(reader, call, &raw const range, out, len) })
    }
    fn in_memory(&self) -> Option<&[u8]> {
        let in_memory = self.reader.in_memory?;
        let reader = if self.call.is_some() { self.original } else { &raw const self.reader };
        let mut len = 0;
        // SAFETY: the reader is borrowed, see the constructors.
        let bytes = unsafe { in_memory(reader, &raw mut len) };
        let size = self.reader.size;
        let fits = !bytes.is_null() && (size == u64::MAX || size == len as u64);
        // SAFETY: the bytes live as long as the reader.
        fits.then(|| unsafe { abi::slice(bytes, len) })
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.reader.size).filter(|n| *n != u64::MAX))
    }
    fn cached(&self, key: (usize, u64), _: u64, make: &mut dyn FnMut() -> Result<Cached>) -> Result<Cached> {
        type Make<'m, 'f> = Callback<&'m mut (dyn FnMut() -> Result<Cached> + 'f)>;
        unsafe extern "C" fn run(context: *mut c_void, made: *mut *mut c_void) -> Status {
            // SAFETY: the context is valid until the call that passes this function returns; `made` is the other side's
            // own variable.
            unsafe {
                Make::run(context, |make| {
                    *made = Box::into_raw(Box::new(make()?)).cast();
                    Ok(())
                })
            }
        }
        unsafe extern "C" fn drop_cached(made: *mut c_void) {
            // SAFETY: `run` created it, and it is dropped once.
            quietly(|| unsafe { drop(Box::from_raw(made.cast::<Cached>())) });
        }
        let Some(memo) = self.reader.memo else { return make() };
        let mut context = Make::new(make);
        let (at, mut cached) = ((&raw mut context).cast(), std::ptr::null_mut());
        let cached_at = &raw mut cached;
        let owner = key.0 as *const c_void;
        let done = self.with(|reader, call| {
            // SAFETY: reader and call are borrowed, see the constructors; everything else lives until it returns.
            unsafe { memo(reader, call, owner, key.1, Some(run), at, Some(drop_cached), cached_at) }
        });
        context.end(done)?;
        // SAFETY: it is a `Cached` that `run` of this library created under this owner, and it lives until the call
        // ends.
        match unsafe { cached.cast::<Cached>().as_ref() } {
            Some(value) => Ok(value.clone()),
            None => Err(ErrorKind::Contract("a reader returned no cached value").into()),
        }
    }
    fn gap(&self) -> u64 {
        self.reader.gap
    }
}
