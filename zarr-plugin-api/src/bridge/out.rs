//! `zp_out`: bytes that the caller owns and the callee writes.

use super::{error, guard::Fault, serve};
use crate::abi;
use zarr_core::{
    Error, Result,
    call::{OutputBuffer, Sink},
};

struct Output<'o, 'b> {
    out: &'o mut OutputBuffer<'b>,
    data: *mut u8,
    cap: usize,
}

impl Output<'_, '_> {
    fn refresh(&mut self, ffi: &mut abi::Out) {
        let spare = self.out.spare();
        (self.data, self.cap) = (spare.as_mut_ptr(), spare.len());
        (ffi.data, ffi.cap) = (self.data, self.cap);
    }
}

/// Exports an output for `f`. If the status is [`abi::OK`], the written bytes are appended. `input` contains the bytes
/// of which the result may be a part.
#[inline(always)]
pub(crate) fn to_abi(
    out: &mut OutputBuffer<'_>,
    input: Option<&[u8]>,
    f: impl FnOnce(*mut abi::Out) -> abi::Status,
) -> Result<(abi::Status, Option<Fault>)> {
    let max_len = out.left();
    let spare = out.spare();
    let (data, cap) = (spare.as_mut_ptr(), spare.len());
    let mut state = Output { out, data, cap };
    let fixed = if cap as u64 == max_len { abi::OUT_FIXED } else { 0 };
    let mut ffi = abi::Out {
        struct_size: abi::size32::<abi::Out>(),
        flags: fixed | input.map_or(0, |_| abi::OUT_ALIAS),
        data,
        len: 0,
        cap,
        max_len,
        host: (&raw mut state).cast(),
        reserve: Some(reserve),
    };
    let status = f(&raw mut ffi);
    if status != abi::OK {
        return Ok((status, None));
    }
    if ffi.data != state.data && ffi.len > 0 {
        return Ok((status, aliased(&mut state, &ffi, input)));
    }
    if ffi.len > state.cap {
        return Ok((status, Some(Fault("it wrote beyond the end of the output"))));
    }
    state.out.space(ffi.len)?;
    Ok((status, None))
}

fn aliased(state: &mut Output<'_, '_>, ffi: &abi::Out, input: Option<&[u8]>) -> Option<Fault> {
    let input = input.unwrap_or_default();
    let offset = (ffi.data as usize).checked_sub(input.as_ptr() as usize);
    let range = offset.and_then(|start| Some(start..start.checked_add(ffi.len)?));
    match range.filter(|r| r.end <= input.len()) {
        Some(range) => {
            state.out.alias_input(range);
            None
        }
        None => Some(Fault("it pointed the output outside the input")),
    }
}

unsafe extern "C" fn reserve(out: *mut abi::Out, call: *const abi::Call, keep: usize, min_cap: usize) -> abi::Status {
    // SAFETY: the callee passes on the output that it received, and does not access it elsewhere in the meantime.
    let ffi = unsafe { &mut *out };
    // SAFETY: `to_abi` keeps its state for as long as the output is borrowed.
    let state = unsafe { &mut *ffi.host.cast::<Output<'_, '_>>() };
    let grow = || {
        if min_cap > state.cap {
            // The capacity at least doubles each time, so that bytes are only moved a few times.
            let left = usize::try_from(state.out.left()).unwrap_or(usize::MAX);
            let wanted = min_cap.max(state.cap.saturating_mul(2)).min(left.max(min_cap));
            let preserved = keep.min(state.cap);
            state.out.space(preserved)?;
            let more = state.out.space(wanted - preserved).map(|_| ());
            state.out.unused(if more.is_ok() { wanted } else { preserved });
            more?;
            state.refresh(ffi);
        }
        Ok(())
    };
    // SAFETY: the callee passes on the call that it received.
    unsafe { serve::<false>(call, grow) }
}

struct ImportedOutput {
    out: *mut abi::Out,
    call: *const abi::Call,
}

impl ImportedOutput {
    /// # Safety
    /// The output is that of the call that is being served, for `'a`, and memory that was returned before is no longer
    /// used.
    unsafe fn memory<'a>(&self) -> &'a mut [u8] {
        // SAFETY: the caller's promise: the `cap` bytes at `data` are for this call alone.
        unsafe { abi::slice_mut((*self.out).data, (*self.out).cap) }
    }
}

impl<'a> Sink<'a> for ImportedOutput {
    fn reserve(&mut self, keep: usize, capacity: usize) -> Result<&'a mut [u8]> {
        // SAFETY: the output is for this call alone.
        let Some(reserve) = (unsafe { (*self.out).reserve }) else {
            return Err(Error::data(format!("{capacity} bytes do not fit in the output")));
        };
        // SAFETY: as above; the call is being served.
        error::check(unsafe { reserve(self.out, self.call, keep, capacity) })?;
        // SAFETY: `from_abi` creates this, and does not use it for longer than the output is borrowed.
        Ok(unsafe { self.memory() })
    }
}

/// Writes to an output that the other side passes. `input` contains the bytes of which the result may be a part.
///
/// # Safety
/// All pointers are those that the other side passed to the call that is being served.
#[inline(always)]
pub(crate) unsafe fn from_abi(
    out: *mut abi::Out,
    call: *const abi::Call,
    input: Option<&[u8]>,
    f: impl FnOnce(&mut OutputBuffer<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let max = unsafe { (*out).max_len };
    let mut sink = ImportedOutput { out, call };
    // SAFETY: as above.
    let memory = unsafe { sink.memory() };
    let mut exported = OutputBuffer::sink(memory, &mut sink, max);
    f(&mut exported)?;
    let (len, alias) = (exported.len(), exported.alias());
    if let Some(range) = alias {
        // SAFETY: as above.
        let may = unsafe { (*out).flags } & abi::OUT_ALIAS != 0;
        let part = input.filter(|_| may).and_then(|input| input.get(range));
        let part = part.ok_or_else(|| Error::argument("the aliased output is not part of the input"))?;
        if !part.is_empty() {
            // SAFETY: as above.
            unsafe { (*out).data = part.as_ptr().cast_mut() };
        }
    }
    // SAFETY: as above.
    unsafe { (*out).len = len };
    Ok(())
}

/// Collects the bytes that the other side writes in memory of this side: short texts, keys, configurations. Fails if
/// there are more than `max` bytes.
pub(crate) fn collected(
    max: u64,
    f: impl FnOnce(*mut abi::Out) -> abi::Status,
) -> Result<(abi::Status, Option<Fault>, Vec<u8>)> {
    let ((status, fault), bytes) = OutputBuffer::collect_within(max, |out| to_abi(out, None, f))?;
    Ok((status, fault, bytes))
}
