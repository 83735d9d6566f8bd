//! Rust types as elements of arrays.

use crate::{array::Array, selection::Selection};
use sealed::Sealed;
use zarr_core::{
    Error, ErrorKind, Result,
    layout::{Layout, ScalarKind},
    limits::{product, zeroed},
    view::{Handle, Heap, View, ViewMut},
};

/// A type whose values are the bytes of an array's elements, so that arrays are read straight into memory of it: numbers,
/// `[f32; 2]` and `[f64; 2]` for complex numbers, `[u8; N]` for raw bits.
///
/// It can be implemented for types of your own, which must have the size of their layout:
///
/// ```
/// use ozarr::{Element, Hierarchy, NewArray, zarr_core::layout::Layout};
///
/// #[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(transparent)]
/// struct Kelvin(f32);
///
/// impl Element for Kelvin {
///     const LAYOUT: Layout = f32::LAYOUT;
/// }
///
/// let hierarchy = Hierarchy::in_memory();
/// let array = hierarchy.create_array("/t", NewArray::new([2], "float32"))?;
/// array.write(.., &[Kelvin(273.15), Kelvin(300.0)])?;
/// assert_eq!(array.read::<Kelvin>(1..)?, [Kelvin(300.0)]);
/// # Ok::<(), ozarr::Error>(())
/// ```
pub trait Element: bytemuck::Pod + Send + Sync {
    /// The layout of the data types that it stands for.
    const LAYOUT: Layout;
}

/// A type that elements can be read to and written from: every [`Element`], `bool`, `String`, and `Vec<u8>` for byte
/// strings.
pub trait Item: Sealed {}
impl<T: Sealed> Item for T {}

mod sealed {
    use super::{Array, Result, Selection};

    pub trait Sealed: Sized + Send + Sync {
        fn read(array: &Array, selection: &Selection) -> Result<Vec<Self>>;
        fn write(array: &Array, selection: &Selection, elements: &[Self]) -> Result<()>;
    }
}

macro_rules! elements { ($([$($generic:tt)*] $t:ty, $kind:ident, $width:expr, $components:expr;)*) => { $(
    impl $($generic)* Element for $t {
        const LAYOUT: Layout =
            Layout::Fixed { kind: ScalarKind::$kind, width: $width, components: $components };
    }
)* } }

elements! {
    [] i8, Int, 1, 1; [] i16, Int, 2, 1; [] i32, Int, 4, 1; [] i64, Int, 8, 1;
    [] u8, UInt, 1, 1; [] u16, UInt, 2, 1; [] u32, UInt, 4, 1; [] u64, UInt, 8, 1;
    [] half::f16, Float, 2, 1; [] f32, Float, 4, 1; [] f64, Float, 8, 1;
    [] [f32; 2], Float, 4, 2; [] [f64; 2], Float, 8, 2;
    [<const N: usize>] [u8; N], Raw, N, 1;
}

/// That an array has elements of a type.
pub(crate) fn check_element<T: Element>(array: &Array) -> Result<()> {
    if size_of::<T>() != T::LAYOUT.size() {
        let (name, size, said) = (std::any::type_name::<T>(), size_of::<T>(), T::LAYOUT.size());
        return Err(Error::argument(format!("`{name}` has {size} bytes, and the layout it stands for {said}")));
    }
    check_layout::<T>(array, &T::LAYOUT)
}

fn check_layout<T>(array: &Array, layout: &Layout) -> Result<()> {
    if array.representation().layout() == layout {
        return Ok(());
    }
    let (name, data_type) = (std::any::type_name::<T>(), array.metadata().data_type().name());
    Err(Error::argument(format!("cannot read or write data type `{data_type}` as `{name}`")))
}

/// Refuses memory of another length than the elements of a shape have.
pub(crate) fn check_count(shape: &[u64], bytes: usize, size: usize) -> Result<()> {
    let (needed, got) = (product(shape, 1)?, (bytes / size.max(1)) as u64);
    if !bytes.is_multiple_of(size.max(1)) {
        return Err(Error::argument(format!("{bytes} bytes are not whole elements of {size} bytes")));
    }
    if got != needed {
        return Err(Error::argument(format!("shape {shape:?} needs {needed} elements, got {got}")));
    }
    Ok(())
}

impl<T: Element> Sealed for T {
    fn read(array: &Array, selection: &Selection) -> Result<Vec<Self>> {
        check_element::<Self>(array)?;
        let count = array.element_count(selection)?;
        let mut out = bytemuck::try_zeroed_vec(count)
            .map_err(|()| ErrorKind::Memory((count as u64).saturating_mul(size_of::<Self>() as u64)))?;
        array.read_into(selection, &mut out)?;
        Ok(out)
    }
    fn write(array: &Array, selection: &Selection, elements: &[Self]) -> Result<()> {
        check_element::<Self>(array)?;
        array.write_bytes(selection, bytemuck::cast_slice(elements))
    }
}

impl Sealed for bool {
    fn read(array: &Array, selection: &Selection) -> Result<Vec<Self>> {
        check_layout::<Self>(array, &Layout::scalar(ScalarKind::Bool, 1))?;
        Ok(array.read_bytes(selection)?.into_iter().map(|b| b != 0).collect())
    }
    fn write(array: &Array, selection: &Selection, elements: &[Self]) -> Result<()> {
        check_layout::<Self>(array, &Layout::scalar(ScalarKind::Bool, 1))?;
        array.write_bytes(selection, bytemuck::cast_slice(elements))
    }
}

fn read_strings<T>(array: &Array, selection: &Selection, f: impl Fn(&[u8]) -> Result<T>) -> Result<Vec<T>> {
    let count = array.element_count(selection)?;
    let mut handles = zeroed(count.saturating_mul(Handle::SIZE))?;
    let heap = Heap::new(array.representation().fill());
    let shape = selection.shape(array.shape())?;
    array.read_view(selection, ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let strings = heap.strings();
    handles.as_chunks().0.iter().map(|h| f(strings.get(Handle::from_bytes(h))?)).collect()
}

fn write_strings<T: AsRef<[u8]>>(array: &Array, selection: &Selection, elements: &[T]) -> Result<()> {
    let heap = Heap::new(array.representation().fill());
    let (mut bytes, mut handles) = (Vec::new(), Vec::with_capacity(elements.len() * Handle::SIZE));
    for e in elements {
        let len = u32::try_from(e.as_ref().len()).map_err(|_| Error::argument("a string is longer than 2^32 bytes"))?;
        handles.extend(Handle { buffer: 1, len, offset: bytes.len() as u64 }.to_bytes());
        bytes.extend_from_slice(e.as_ref());
    }
    heap.push(bytes)?;
    let shape = selection.shape(array.shape())?;
    check_count(&shape, handles.len(), Handle::SIZE)?;
    array.write_view(selection, &View::new(&handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))
}

impl Sealed for String {
    fn read(array: &Array, selection: &Selection) -> Result<Vec<Self>> {
        check_layout::<Self>(array, &Layout::Variable { text: true })?;
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).map_err(|_| Error::data("an element is not UTF-8"));
        read_strings(array, selection, text)
    }
    fn write(array: &Array, selection: &Selection, elements: &[Self]) -> Result<()> {
        check_layout::<Self>(array, &Layout::Variable { text: true })?;
        write_strings(array, selection, elements)
    }
}
impl Sealed for Vec<u8> {
    fn read(array: &Array, selection: &Selection) -> Result<Vec<Self>> {
        check_layout::<Self>(array, &Layout::Variable { text: false })?;
        read_strings(array, selection, |b| Ok(b.to_vec()))
    }
    fn write(array: &Array, selection: &Selection, elements: &[Self]) -> Result<()> {
        check_layout::<Self>(array, &Layout::Variable { text: false })?;
        write_strings(array, selection, elements)
    }
}
