//! `zp_out`: bytes that the caller owns and the callee writes.

use super::{Fault, error, serve};
use crate::abi;
use zarr_core::{
    Error, Result,
    call::{Out, Sink},
};

struct Lent<'o, 'b> {
    out: &'o mut Out<'b>,
    data: *mut u8,
    cap: usize,
    input: Option<usize>,
    alias: Option<(usize, usize)>,
}

impl Lent<'_, '_> {
    fn refresh(&mut self, lent: &mut abi::Out) {
        let spare = self.out.spare();
        (self.data, self.cap) = (spare.as_mut_ptr(), spare.len());
        (lent.data, lent.cap) = (self.data, self.cap);
    }
}

/// Lends an output. `input`: how many bytes a result may alias. What was written is appended if the status is
/// [`abi::OK`].
pub(crate) fn lend(
    out: &mut Out<'_>,
    input: Option<usize>,
    f: impl FnOnce(*mut abi::Out) -> abi::Status,
) -> Result<(abi::Status, Option<Fault>)> {
    let max_len = out.left();
    let mut lent = abi::Out {
        struct_size: abi::size32::<abi::Out>(),
        flags: 0,
        data: std::ptr::null_mut(),
        len: 0,
        cap: 0,
        max_len,
        host: std::ptr::null_mut(),
        reserve: Some(reserve),
        alias_input: Some(alias_input),
    };
    let mut state = Lent { out, data: std::ptr::null_mut(), cap: 0, input, alias: None };
    state.refresh(&mut lent);
    if state.cap as u64 == max_len {
        lent.flags = abi::OUT_FIXED;
    }
    lent.host = (&raw mut state).cast();
    let status = f(&raw mut lent);
    if status != abi::OK {
        return Ok((status, None));
    }
    if let Some((start, n)) = state.alias {
        state.out.alias_input(start..start + n);
        return Ok((status, None));
    }
    if lent.data != state.data && lent.len > 0 {
        return Ok((status, Some(Fault("it moved the output, which is not its own"))));
    }
    if lent.len > state.cap {
        return Ok((status, Some(Fault("it wrote more bytes than the output has room for"))));
    }
    state.out.space(lent.len)?;
    Ok((status, None))
}

unsafe extern "C" fn reserve(out: *mut abi::Out, call: *const abi::Call, keep: usize, min_cap: usize) -> abi::Status {
    // SAFETY: the callee passes the output on that it was given, and nobody else uses it meanwhile.
    let lent = unsafe { &mut *out };
    // SAFETY: `lend` keeps its state for as long as the output is lent.
    let state = unsafe { &mut *lent.host.cast::<Lent<'_, '_>>() };
    let grow = || {
        if min_cap > state.cap {
            // Twice as much each time, so that bytes are moved a few times only.
            let left = usize::try_from(state.out.left()).unwrap_or(usize::MAX);
            let wanted = min_cap.max(state.cap.saturating_mul(2)).min(left.max(min_cap));
            let kept = keep.min(state.cap);
            state.out.space(kept)?;
            let more = state.out.space(wanted - kept).map(|_| ());
            state.out.unused(if more.is_ok() { wanted } else { kept });
            more?;
            state.refresh(lent);
        }
        Ok(())
    };
    // SAFETY: the callee passes the call on that it was given.
    unsafe { serve::<false>(call, grow) }
}

unsafe extern "C" fn alias_input(out: *mut abi::Out, call: *const abi::Call, offset: usize, n: usize) -> abi::Status {
    // SAFETY: as in `reserve`.
    let lent = unsafe { &mut *out };
    // SAFETY: as in `reserve`.
    let state = unsafe { &mut *lent.host.cast::<Lent<'_, '_>>() };
    let alias = || match state.input {
        Some(len) if offset.checked_add(n).is_some_and(|end| end <= len) => {
            state.alias = Some((offset, n));
            Ok(())
        }
        Some(len) => Err(Error::argument(format!("{n} bytes from {offset} are no part of {len} bytes of input"))),
        None => Err(Error::argument("this output cannot alias the input")),
    };
    // SAFETY: as in `reserve`.
    unsafe { serve::<false>(call, alias) }
}

struct Theirs {
    out: *mut abi::Out,
    call: *const abi::Call,
    max: u64,
}

impl Sink for Theirs {
    fn memory(&mut self) -> &mut [u8] {
        // SAFETY: the caller lends `cap` bytes at `data` to this call alone.
        unsafe { abi::slice_mut((*self.out).data, (*self.out).cap) }
    }
    fn reserve(&mut self, keep: usize, capacity: usize) -> Result<()> {
        // SAFETY: the output is lent to this call alone.
        let Some(reserve) = (unsafe { (*self.out).reserve }) else {
            return Err(Error::data(format!("{capacity} bytes, more than the output has room for")));
        };
        // SAFETY: as above; the call is being served.
        error::check(unsafe { reserve(self.out, self.call, keep, capacity) })
    }
    fn max(&self) -> u64 {
        self.max
    }
}

/// Writes to an output that the other side lends.
///
/// # Safety
/// Both pointers are those that the other side lent to the call that is being served.
pub(crate) unsafe fn take(
    out: *mut abi::Out,
    call: *const abi::Call,
    f: impl FnOnce(&mut Out<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let max = unsafe { (*out).max_len };
    let mut sink = Theirs { out, call, max };
    let mut ours = Out::sink(&mut sink);
    f(&mut ours)?;
    let (len, alias) = (ours.len(), ours.alias());
    match alias {
        // SAFETY: as above.
        Some(range) => match unsafe { (*out).alias_input } {
            // SAFETY: as above.
            Some(alias_input) => error::check(unsafe { alias_input(out, call, range.start, range.len()) }),
            None => Err(Error::argument("this output cannot alias the input")),
        },
        None => {
            // SAFETY: as above.
            unsafe { (*out).len = len };
            Ok(())
        }
    }
}

/// What the other side writes, in memory of its own: short texts, keys, configurations. At most `max` bytes.
pub(crate) fn collected(
    max: u64,
    f: impl FnOnce(*mut abi::Out) -> abi::Status,
) -> Result<(abi::Status, Option<Fault>, Vec<u8>)> {
    let ((status, fault), bytes) = Out::collect_within(max, |out| lend(out, None, f))?;
    Ok((status, fault, bytes))
}
