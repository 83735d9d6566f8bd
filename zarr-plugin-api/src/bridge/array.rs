//! `zp_array`: elements in memory.

#[cfg(feature = "load")]
use super::guard::{Answer, Fault};
use super::out;
use crate::abi;
use smallvec::SmallVec;
use zarr_core::{
    Error, Result,
    limits::zeroed,
    representation::Representation,
    view::{Dims, Handle, Heap, View, ViewMut},
};
#[cfg(feature = "load")]
use zarr_core::{call::CallContext, layout::Layout};

type Strides = SmallVec<[i64; 4]>;

/// Describes an array. Without strides it is in C order, as elements of variable length always are.
#[cfg(feature = "load")]
fn array(data: *mut u8, shape: &[u64], strides: &[i64], element_size: usize) -> abi::Array {
    abi::Array {
        struct_size: abi::size32::<abi::Array>(),
        rank: shape.len() as u32,
        data,
        shape: shape.as_ptr(),
        strides: if strides.is_empty() { std::ptr::null() } else { strides.as_ptr() },
        element_size,
        offsets: std::ptr::null(),
        bytes_out: std::ptr::null_mut(),
        offsets_out: std::ptr::null_mut(),
    }
}

fn c_strides(shape: &[u64], element: usize) -> Strides {
    let mut stride = element as i64;
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    for (s, &n) in strides.iter_mut().zip(shape).rev() {
        *s = stride;
        stride = stride.saturating_mul(i64::try_from(n.max(1)).unwrap_or(i64::MAX));
    }
    strides
}

// ---- export

/// The form in which the other side accepts elements.
#[cfg(feature = "load")]
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) layout: Layout,
    pub(crate) strided: bool,
}

#[cfg(feature = "load")]
impl Form {
    /// Allocates memory for a copy, and returns the offset of its first aligned byte.
    fn copy<'c>(&self, call: &CallContext<'c>, bytes: usize) -> Result<(zarr_core::call::Scratch<'c>, usize)> {
        let align = super::representation::alignment(&self.layout);
        let memory = call.scratch(bytes.saturating_add(align - 1))?;
        let at = memory.as_ptr().align_offset(align);
        Ok((memory, at))
    }
    fn fits(&self, ptr: *const u8, shape: &[u64], strides: &Strides, element: usize) -> bool {
        let align = super::representation::alignment(&self.layout);
        let c = || c_strides(shape, element);
        let gapless = || strides.iter().zip(c()).zip(shape).all(|((s, c), n)| *n < 2 || *s == c);
        self.strided || (ptr as usize).is_multiple_of(align) && gapless()
    }
    /// Exports elements that the other side reads.
    pub(crate) fn to_abi(
        &self,
        call: &CallContext<'_>,
        view: &View<'_>,
        f: impl FnOnce(*const abi::Array) -> Result<Answer>,
    ) -> Result<Answer> {
        let (shape, element) = (view.shape(), view.element_size());
        if self.layout.is_variable() {
            let (offsets, bytes) = gathered(view)?;
            let ffi = array(bytes.as_ptr().cast_mut(), &shape, &[], 0);
            return f(&abi::Array { offsets: offsets.as_ptr(), ..ffi });
        }
        let strides: Strides = view.strides().map(|s| s as i64).collect();
        if self.fits(view.as_ptr(), &shape, &strides, element) {
            return f(&array(view.as_ptr().cast_mut(), &shape, &strides, element));
        }
        let bytes = view.count() * element;
        let (mut memory, at) = self.copy(call, bytes)?;
        let copy = &mut memory[at..at + bytes];
        ViewMut::new(copy, &shape, element)?.copy_from(view, 1)?;
        f(&array(copy.as_mut_ptr(), &shape, &c_strides(&shape, element), element))
    }
    /// Exports memory in which the other side writes every element. `keep`: it reads the elements first.
    pub(crate) fn destination_to_abi(
        &self,
        call: &CallContext<'_>,
        mut view: ViewMut<'_>,
        keep: bool,
        f: impl FnOnce(*const abi::Array) -> abi::Status,
    ) -> Result<Answer> {
        let (shape, element) = (view.shape(), view.element_size());
        if self.layout.is_variable() {
            return self.variable_to_abi(call, view, f);
        }
        let strides: Strides = view.strides().map(|s| s as i64).collect();
        if self.fits(view.as_ptr(), &shape, &strides, element) {
            return Ok((f(&array(view.as_mut_ptr(), &shape, &strides, element)), None));
        }
        let bytes = view.count() * element;
        let (mut memory, at) = self.copy(call, bytes)?;
        let copy = &mut memory[at..at + bytes];
        if keep {
            ViewMut::new(copy, &shape, element)?.copy_from(&view.as_view(), 1)?;
        }
        let status = f(&array(copy.as_mut_ptr(), &shape, &c_strides(&shape, element), element));
        if status == abi::OK {
            view.copy_from(&View::new(copy, &shape, element)?, 1)?;
        }
        Ok((status, None))
    }
    fn variable_to_abi(
        &self,
        call: &CallContext<'_>,
        mut view: ViewMut<'_>,
        f: impl FnOnce(*const abi::Array) -> abi::Status,
    ) -> Result<Answer> {
        let heap = view.require_heap()?;
        let (shape, count) = (view.shape(), view.count());
        let max = call.limits.chunk_bytes;
        let mut bytes = Vec::new();
        let mut nested = Ok(None);
        let (status, fault, offsets) = out::collected(8 * (count as u64 + 1), |offsets_out| {
            let got = out::collected(max, |bytes_out| {
                let mut ffi = array(std::ptr::null_mut(), &shape, &[], 0);
                (ffi.bytes_out, ffi.offsets_out) = (bytes_out, offsets_out);
                f(&raw const ffi)
            });
            match got {
                Ok((status, fault, written)) => {
                    bytes = written;
                    nested = Ok(fault);
                    status
                }
                Err(e) => {
                    nested = Err(e);
                    abi::E_INTERNAL
                }
            }
        })?;
        if let Some(fault) = nested?.or(fault) {
            return Ok((status, Some(fault)));
        }
        if status != abi::OK {
            return Ok((status, None));
        }
        let Some(parts) = parts(&offsets, &bytes, count) else {
            return Ok((status, Some(Fault("it returned variable-length elements with invalid offsets"))));
        };
        let text = matches!(self.layout, Layout::Variable { text: true });
        let handles = parts.into_iter().map(|(offset, part)| {
            if text && std::str::from_utf8(part).is_err() {
                return Err(Error::data("an element is not valid UTF-8"));
            }
            let len = u32::try_from(part.len()).map_err(|_| Error::data("an element is 4 GiB or larger"))?;
            Ok(Handle { buffer: 0, offset, len })
        });
        let handles = handles.collect::<Result<Vec<_>>>()?;
        let buffer = heap.push(bytes)?;
        let handles: Vec<u8> = handles.iter().flat_map(|h| Handle { buffer, ..*h }.to_bytes()).collect();
        view.copy_from(&View::new(&handles, &shape, Handle::SIZE)?.with_heap(Some(heap)), 1)?;
        Ok((status, None))
    }
}

/// Returns the offset and the bytes of each element, if the offsets are consistent with the bytes.
#[cfg(feature = "load")]
fn parts<'b>(offsets: &[u8], bytes: &'b [u8], count: usize) -> Option<Vec<(u64, &'b [u8])>> {
    let (offsets, rest) = offsets.as_chunks::<8>();
    if offsets.len() != count + 1 || !rest.is_empty() {
        return None;
    }
    let offsets: Vec<u64> = offsets.iter().map(|o| u64::from_ne_bytes(*o)).collect();
    let one = |w: &[u64]| Some((w[0], bytes.get(usize::try_from(w[0]).ok()?..usize::try_from(w[1]).ok()?)?));
    offsets.windows(2).map(one).collect()
}

/// Returns the offsets and the bytes of elements of variable length, in C order.
fn gathered(view: &View<'_>) -> Result<(Vec<u64>, Vec<u8>)> {
    let strings = view.require_heap()?.strings();
    let (mut scratch, mut bytes) = (Vec::new(), Vec::new());
    let (handles, _) = view.contiguous(&mut scratch)?.as_chunks::<{ Handle::SIZE }>();
    let mut offsets = Vec::with_capacity(handles.len() + 1);
    offsets.push(0);
    for h in handles {
        bytes.extend_from_slice(strings.get(Handle::from_bytes(h))?);
        offsets.push(bytes.len() as u64);
    }
    Ok((offsets, bytes))
}

// ---- import

/// Returns the shape and the strides of an array.
///
/// # Safety
/// `ffi` is an array that the other side passes, valid for `'a`.
unsafe fn dims<'a>(ffi: &abi::Array, of: &Representation) -> Result<(&'a [u64], SmallVec<[isize; 4]>)> {
    if !of.layout().is_variable() && ffi.element_size != of.element_size() {
        let (found, wanted) = (ffi.element_size, of.element_size());
        return Err(Error::argument(format!("array elements have {found} bytes, expected {wanted}")));
    }
    let rank = ffi.rank as usize;
    // SAFETY: the caller's promise: there are as many lengths as the rank says, and as many strides unless they are
    // null.
    let (shape, strides) = unsafe { (abi::slice(ffi.shape, rank), abi::slice(ffi.strides, rank)) };
    if shape.len() != rank {
        return Err(Error::argument("an array has no shape"));
    }
    if strides.is_empty() {
        return Ok((shape, c_strides(shape, ffi.element_size).iter().map(|s| *s as isize).collect()));
    }
    Ok((shape, strides.iter().map(|s| *s as isize).collect()))
}

/// # Safety
/// `p` is null or points to an array that the other side passes.
unsafe fn copied(p: *const abi::Array) -> Result<abi::Array> {
    // SAFETY: the caller's promise; an array begins with its size.
    unsafe { abi::copied(p) }.ok_or_else(|| Error::argument("the pointer to an array is null"))
}

/// Imports elements of the other side for `f` to read.
///
/// # Safety
/// `p` is the array that the other side passes to the call that is being served, with elements of the layout of `of`.
pub(crate) unsafe fn from_abi<R>(
    p: *const abi::Array,
    of: &Representation,
    f: impl FnOnce(&View<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: the caller's promise.
    let ffi = unsafe { copied(p) }?;
    // SAFETY: as above.
    let (shape, strides) = unsafe { dims(&ffi, of) }?;
    if !of.layout().is_variable() {
        // SAFETY: the caller's promise: every index within the shape reaches an element.
        return f(&unsafe { View::from_raw(ffi.data, shape, &strides, of.element_size()) }?);
    }
    let count = usize::try_from(zarr_core::limits::product(shape, 1)?).unwrap_or(usize::MAX);
    // SAFETY: the caller's promise: there is one offset more than there are elements, and the last is the number of
    // bytes.
    let offsets = unsafe { abi::slice(ffi.offsets, count.saturating_add(1)) };
    let total = offsets.last().map_or(0, |n| usize::try_from(*n).unwrap_or(usize::MAX));
    // SAFETY: as above.
    let bytes = unsafe { abi::slice(ffi.data.cast_const(), total) };
    let heap = Heap::new(of.fill());
    let buffer = heap.push(bytes)?;
    let handles: Vec<u8> = offsets
        .windows(2)
        .flat_map(|w| Handle { buffer, offset: w[0], len: w[1].saturating_sub(w[0]) as u32 }.to_bytes())
        .collect();
    f(&View::new(&handles, shape, Handle::SIZE)?.with_heap(Some(&heap)))
}

/// Imports memory of the other side for `f` to write.
///
/// # Safety
/// As [`from_abi`], and the memory is not accessed elsewhere in the meantime.
pub(crate) unsafe fn from_abi_mut<R>(
    p: *const abi::Array,
    call: *const abi::Call,
    of: &Representation,
    f: impl FnOnce(ViewMut<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: the caller's promise.
    let ffi = unsafe { copied(p) }?;
    // SAFETY: as above.
    let (shape, strides) = unsafe { dims(&ffi, of) }?;
    if !of.layout().is_variable() {
        // SAFETY: the caller's promise: every index within the shape reaches an element of its own.
        return f(unsafe { ViewMut::from_raw(ffi.data, shape, &strides, of.element_size()) }?);
    }
    let count = usize::try_from(zarr_core::limits::product(shape, 1)?).unwrap_or(usize::MAX);
    let heap = Heap::new(of.fill());
    let mut handles = zeroed(count.saturating_mul(Handle::SIZE))?;
    let shape: Dims = shape.into();
    let result = f(ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let (offsets, bytes) = gathered(&View::new(&handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let write = |to: *mut abi::Out, bytes: &[u8]| {
        if to.is_null() {
            return Err(Error::argument("an array has no output for variable-length elements"));
        }
        // SAFETY: the caller's promise.
        unsafe { out::from_abi(to, call, None, |out| out.extend(bytes)) }
    };
    write(ffi.bytes_out, &bytes)?;
    let offsets: Vec<u8> = offsets.iter().flat_map(|o| o.to_ne_bytes()).collect();
    write(ffi.offsets_out, &offsets)?;
    Ok(result)
}
