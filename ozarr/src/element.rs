//! Rust types as elements of arrays.

use crate::platform;
use sealed::Sealed;
use zarr_core::{
    Error, ErrorKind, Result,
    layout::{Layout, ScalarKind},
    limits::{product, zeroed},
    representation::Representation,
    view::{Handle, Heap, View, ViewMut},
};

/// A type whose memory is the bytes of an array's elements, so that chunks decode straight into it.
///
/// Implemented for `i8` to `i64`, `u8` to `u64`, [`half::f16`], `f32` and `f64`, for the complex numbers `[f32; 2]` and
/// `[f64; 2]`, and for the raw bits `[u8; N]`. Implement it for your own types as below. A type must have the size of
/// its layout:
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
    /// The layout of the data types that the type can read and write.
    const LAYOUT: Layout;
}

/// A type as which elements can be read and written.
///
/// These are all types that implement [`Element`] (`i8` to `i64`, `u8` to `u64`, [`half::f16`], `f32`, `f64`,
/// `[f32; 2]`, `[f64; 2]`, `[u8; N]` and types of your own), and in addition `bool`, `String`, and `Vec<u8>` for byte
/// strings.
pub trait Item: Sealed {}
impl<T: Sealed> Item for T {}

mod sealed {
    use super::{Reader, Representation, Result, Writer};

    pub trait Sealed: Sized + Send + Sync {
        /// Checks that elements of a representation are of this type. `data_type` is the name that the error shows.
        fn check(r: &Representation, data_type: &str) -> Result<()>;
        /// Reads the elements of a shape, `count` in total.
        fn read(r: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<Self>>;
        fn write(r: &Representation, shape: &[u64], elements: &[Self], write: Writer<'_>) -> Result<()>;
    }
}

/// Reads elements into a view.
type Reader<'a> = &'a dyn Fn(ViewMut<'_>) -> Result<()>;
/// Writes elements from a view.
type Writer<'a> = &'a dyn Fn(&View<'_>) -> Result<()>;

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

fn check_layout<T>(r: &Representation, data_type: &str, layout: &Layout) -> Result<()> {
    if r.layout() == layout {
        return Ok(());
    }
    let name = std::any::type_name::<T>();
    let e = Error::argument(format!("cannot read or write data type `{data_type}` as `{name}`"));
    Err(match item(r.layout()) {
        Some(fitting) => e.with_hint(format!("use `{fitting}`")),
        None => e,
    })
}

/// Returns the name of the Rust type for a layout.
fn item(layout: &Layout) -> Option<String> {
    Some(match *layout {
        Layout::Variable { text: true } => "String".to_owned(),
        Layout::Variable { text: false } => "Vec<u8>".to_owned(),
        Layout::Fixed { kind: ScalarKind::Bool, .. } => "bool".to_owned(),
        Layout::Fixed { kind: ScalarKind::Raw, width, components: 1 } => format!("[u8; {width}]"),
        Layout::Fixed { kind: ScalarKind::Int, width, components: 1 } => format!("i{}", width * 8),
        Layout::Fixed { kind: ScalarKind::UInt, width, components: 1 } => format!("u{}", width * 8),
        Layout::Fixed { kind: ScalarKind::Float, width: 2, components: 1 } => "half::f16".to_owned(),
        Layout::Fixed { kind: ScalarKind::Float, width, components: 1 } => format!("f{}", width * 8),
        Layout::Fixed { kind: ScalarKind::Float, width: width @ (4 | 8), components: 2 } => {
            format!("[f{}; 2]", width * 8)
        }
        _ => return None,
    })
}

/// Checks that memory has as many elements as a shape.
pub(crate) fn check_count(shape: &[u64], bytes: usize, size: usize) -> Result<()> {
    let (needed, got) = (product(shape, 1)?, (bytes / size.max(1)) as u64);
    if !bytes.is_multiple_of(size.max(1)) {
        return Err(Error::argument(format!("{bytes} bytes are not a multiple of the element size of {size} bytes")));
    }
    if got != needed {
        return Err(Error::argument(format!("expected {needed} elements for shape {shape:?}, found {got}")));
    }
    Ok(())
}

/// Reads elements of fixed size as bytes.
pub(crate) fn read_bytes(r: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<u8>> {
    let size = r.element_size();
    let mut out = zeroed(count.saturating_mul(size))?;
    platform::huge_pages::advise(&mut out);
    read(ViewMut::new(&mut out, shape, size)?)?;
    Ok(out)
}

/// Checks that elements have a fixed size.
pub(crate) fn check_fixed(r: &Representation) -> Result<()> {
    if r.layout().is_variable() {
        return Err(Error::argument("cannot write variable-length elements as bytes")
            .with_hint("write them as `String` or `Vec<u8>`"));
    }
    Ok(())
}

/// Writes elements of fixed size from bytes.
pub(crate) fn write_bytes(r: &Representation, shape: &[u64], bytes: &[u8], write: Writer<'_>) -> Result<()> {
    let size = r.element_size();
    check_count(shape, bytes.len(), size)?;
    write(&View::new(bytes, shape, size)?)
}

impl<T: Element> Sealed for T {
    fn check(r: &Representation, data_type: &str) -> Result<()> {
        if size_of::<T>() != T::LAYOUT.size() {
            let (name, size, said) = (std::any::type_name::<T>(), size_of::<T>(), T::LAYOUT.size());
            return Err(Error::argument(format!("`{name}` has {size} bytes, but its `LAYOUT` has {said}")));
        }
        check_layout::<T>(r, data_type, &T::LAYOUT)
    }
    fn read(_: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<Self>> {
        let mut out: Vec<T> = bytemuck::try_zeroed_vec(count)
            .map_err(|()| ErrorKind::Memory((count as u64).saturating_mul(size_of::<Self>() as u64)))?;
        let bytes = bytemuck::cast_slice_mut(&mut out);
        platform::huge_pages::advise(bytes);
        read(ViewMut::new(bytes, shape, size_of::<T>())?)?;
        Ok(out)
    }
    fn write(r: &Representation, shape: &[u64], elements: &[Self], write: Writer<'_>) -> Result<()> {
        write_bytes(r, shape, bytemuck::cast_slice(elements), write)
    }
}

impl Sealed for bool {
    fn check(r: &Representation, data_type: &str) -> Result<()> {
        check_layout::<Self>(r, data_type, &Layout::scalar(ScalarKind::Bool, 1))
    }
    fn read(r: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<Self>> {
        Ok(read_bytes(r, shape, count, read)?.into_iter().map(|b| b != 0).collect())
    }
    fn write(r: &Representation, shape: &[u64], elements: &[Self], write: Writer<'_>) -> Result<()> {
        write_bytes(r, shape, bytemuck::cast_slice(elements), write)
    }
}

fn read_strings<T>(
    r: &Representation,
    shape: &[u64],
    count: usize,
    read: Reader<'_>,
    f: impl Fn(&[u8]) -> Result<T>,
) -> Result<Vec<T>> {
    let mut handles = zeroed(count.saturating_mul(Handle::SIZE))?;
    let heap = Heap::new(r.fill());
    read(ViewMut::new(&mut handles, shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
    let strings = heap.strings();
    handles.as_chunks().0.iter().map(|h| f(strings.get(Handle::from_bytes(h))?)).collect()
}

fn write_strings<T: AsRef<[u8]>>(r: &Representation, shape: &[u64], elements: &[T], write: Writer<'_>) -> Result<()> {
    let heap = Heap::new(r.fill());
    let (mut bytes, mut handles) = (Vec::new(), Vec::with_capacity(elements.len() * Handle::SIZE));
    for e in elements {
        let len = u32::try_from(e.as_ref().len()).map_err(|_| Error::argument("a string is longer than 2^32 bytes"))?;
        handles.extend(Handle { buffer: 1, len, offset: bytes.len() as u64 }.to_bytes());
        bytes.extend_from_slice(e.as_ref());
    }
    heap.push(bytes)?;
    check_count(shape, handles.len(), Handle::SIZE)?;
    write(&View::new(&handles, shape, Handle::SIZE)?.with_heap(Some(&heap)))
}

impl Sealed for String {
    fn check(r: &Representation, data_type: &str) -> Result<()> {
        check_layout::<Self>(r, data_type, &Layout::Variable { text: true })
    }
    fn read(r: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<Self>> {
        let text = |b: &[u8]| String::from_utf8(b.to_vec()).map_err(|_| Error::data("an element is not valid UTF-8"));
        read_strings(r, shape, count, read, text)
    }
    fn write(r: &Representation, shape: &[u64], elements: &[Self], write: Writer<'_>) -> Result<()> {
        write_strings(r, shape, elements, write)
    }
}
impl Sealed for Vec<u8> {
    fn check(r: &Representation, data_type: &str) -> Result<()> {
        check_layout::<Self>(r, data_type, &Layout::Variable { text: false })
    }
    fn read(r: &Representation, shape: &[u64], count: usize, read: Reader<'_>) -> Result<Vec<Self>> {
        read_strings(r, shape, count, read, |b| Ok(b.to_vec()))
    }
    fn write(r: &Representation, shape: &[u64], elements: &[Self], write: Writer<'_>) -> Result<()> {
        write_strings(r, shape, elements, write)
    }
}
