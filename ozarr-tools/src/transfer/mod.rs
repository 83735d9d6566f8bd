//! Elements in files of other formats.

mod json;
mod npy;
mod slabs;

pub(crate) use json::string_handles;

use self::{json::Brackets, slabs::parts};
use ozarr::{
    Array, Error, Result, Selection,
    zarr_core::{layout::Layout, limits::product},
};
use std::{io::Write, path::Path};

/// A form that elements of an array have outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON lists in lists, one for each dimension. An element has the form that it has as a fill value.
    Json,
    /// Each element as JSON, one a line in C order. An element has the form that it has as a fill value.
    JsonLines,
    /// Little-endian bytes in C order. Not for elements of variable length.
    Raw,
    /// A NumPy file, version 1. Versions 2 and 3 are read too. Not for structs and elements of variable length.
    Npy,
}

/// Elements that are in memory at a time, of forms that are made of many small texts and of others.
const FEW: u64 = 1 << 20;
const MANY: u64 = 1 << 22;

/// Writes selected elements in C order. Holds a few million elements at a time, and whole chunks where they are larger.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{Format, export};
///
/// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([2, 2]))?;
/// array.write(.., &[1.5f32, 2.0, f32::NAN, 4.0])?;
/// let mut text = Vec::new();
/// export(&array, [0..2, 0..2], Format::Json, &mut text)?;
/// assert_eq!(text, br#"[[1.5,2.0],["NaN",4.0]]"#);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// When the selection does not fit the array, the format has no form for the data type, something cannot be read, or cannot be
/// written.
pub fn export(array: &Array, selection: impl Into<Selection>, format: Format, out: &mut dyn Write) -> Result<()> {
    let selection = selection.into();
    let (shape, layout) = (selection.shape(array.shape())?, array.representation().layout());
    match format {
        Format::Json => nested(array, &selection, &shape, out)?,
        Format::JsonLines => {
            for part in parts(array, &selection, FEW)? {
                json::each(array, &part, &mut |element| Ok(writeln!(out, "{element}")?))?;
            }
        }
        Format::Raw | Format::Npy => {
            if format == Format::Npy {
                out.write_all(&npy::header(layout, &shape)?)?;
            }
            for part in parts(array, &selection, MANY)? {
                let mut bytes = array.read_bytes(part)?;
                swap_to_little(&mut bytes, layout);
                out.write_all(&bytes)?;
            }
        }
    }
    Ok(())
}

/// Lists in lists, one for each dimension.
fn nested(array: &Array, selection: &Selection, shape: &[u64], out: &mut dyn Write) -> Result<()> {
    // Behind a dimension without elements there is nothing: the lists before it are empty.
    if let Some(depth) = shape.iter().position(|n| *n == 0) {
        let mut brackets = Brackets::new(&shape[..depth]);
        return (0..product(&shape[..depth], 1)?).try_for_each(|_| brackets.print("[]", out));
    }
    let mut brackets = Brackets::new(shape);
    for part in parts(array, selection, MANY)? {
        json::each(array, &part, &mut |element| brackets.print(&element.to_string(), out))?;
    }
    Ok(())
}

/// Writes elements into the selected part of an array.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{Format, export, import};
///
/// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<i16>([2, 3]))?;
/// import(&array, [0..1, 0..3], Format::JsonLines, b"1\n-2\n3\n")?;
/// assert_eq!(array.read::<i16>(..)?, [1, -2, 3, 0, 0, 0]);
///
/// let mut file = Vec::new();
/// export(&array, [0..1, 0..3], Format::Npy, &mut file)?;
/// import(&array, [1..2, 0..3], Format::Npy, &file)?;
/// assert_eq!(array.read::<i16>([1..2, 0..3])?, [1, -2, 3]);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// When the bytes are not of the format, not as many elements as are selected or of another shape or data type, or the array
/// cannot be written. Nothing is written unless all elements are understood.
pub fn import(array: &Array, selection: impl Into<Selection>, format: Format, bytes: &[u8]) -> Result<()> {
    let selection = selection.into();
    Elements::parse(array, &selection, format, bytes)?.write(array, selection)
}

/// The same with the bytes of a file.
///
/// # Errors
/// As [`import`], and when the file cannot be read. Errors in the file have its path as their key.
pub fn import_file(
    array: &Array,
    selection: impl Into<Selection>,
    format: Format,
    path: impl AsRef<Path>,
) -> Result<()> {
    let (selection, path) = (selection.into(), path.as_ref());
    let bytes = std::fs::read(path).map_err(|e| Error::from(e).at_key(path.display()))?;
    let elements = Elements::parse(array, &selection, format, &bytes).map_err(|e| e.at_key(path.display()))?;
    elements.write(array, selection)
}

/// Elements in C order, in the form in which an array takes them.
enum Elements {
    Fixed(Vec<u8>),
    Bytes(Vec<Vec<u8>>),
    Text(Vec<String>),
}

impl Elements {
    fn parse(array: &Array, selection: &Selection, format: Format, file: &[u8]) -> Result<Self> {
        let (layout, shape) = (array.representation().layout(), selection.shape(array.shape())?);
        match format {
            Format::Json => Self::of(json::nested(array, &shape, file)?, layout),
            Format::JsonLines => Self::of(json::lines(array, &shape, file)?, layout),
            Format::Raw => {
                let bytes = product(&shape, layout.size() as u64)?;
                if layout.is_variable() {
                    let e = Error::argument("elements of variable length have no raw form");
                    return Err(e.with_hint("take the JSON format"));
                }
                if file.len() as u64 != bytes {
                    return Err(Error::argument(format!("the file has {} bytes, the region {bytes}", file.len())));
                }
                let mut elements = file.to_vec();
                swap_to_little(&mut elements, layout);
                Ok(Self::Fixed(elements))
            }
            Format::Npy => {
                let (found, elements) = npy::read(file, layout)?;
                if found != shape {
                    let e = format!("the file has the shape {found:?}, the region {shape:?}");
                    return Err(Error::argument(e));
                }
                Ok(Self::Fixed(elements))
            }
        }
    }
    fn of(elements: Vec<Vec<u8>>, layout: &Layout) -> Result<Self> {
        let text = |e| String::from_utf8(e).map_err(|_| Error::argument("not UTF-8"));
        Ok(match layout {
            Layout::Variable { text: true } => Self::Text(elements.into_iter().map(text).collect::<Result<_>>()?),
            Layout::Variable { .. } => Self::Bytes(elements),
            _ => Self::Fixed(elements.concat()),
        })
    }
    fn write(self, array: &Array, selection: Selection) -> Result<()> {
        match self {
            Elements::Text(elements) => array.write(selection, &elements),
            Elements::Bytes(elements) => array.write(selection, &elements),
            Elements::Fixed(elements) => {
                array.representation().data_type().check_elements(&elements)?;
                array.write_bytes(selection, &elements)
            }
        }
    }
}

/// Bytes in the machine's order as little endian, or back.
fn swap_to_little(bytes: &mut [u8], layout: &Layout) {
    if cfg!(target_endian = "big") {
        layout.swap(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    fn array(shape: &[u64], data_type: &str) -> Array {
        Hierarchy::in_memory().create_array("/a", NewArray::new(shape.to_vec(), data_type)).unwrap()
    }
    fn text(array: &Array, format: Format) -> String {
        let mut out = Vec::new();
        export(array, .., format, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_format_goes_there_and_back() {
        for shape in [&[][..], &[3], &[2, 3], &[2, 0, 3], &[0]] {
            let n = shape.iter().product::<u64>();
            let numbers: Vec<u16> = (0..n as u16).map(|i| 300 * i).collect();
            for format in [Format::Json, Format::JsonLines, Format::Raw, Format::Npy] {
                let (a, b) = (array(shape, "uint16"), array(shape, "uint16"));
                a.write(.., &numbers).unwrap();
                let mut file = Vec::new();
                export(&a, .., format, &mut file).unwrap();
                import(&b, .., format, &file).unwrap();
                assert_eq!(b.read::<u16>(..).unwrap(), numbers, "{format:?} {shape:?}");
                file.push(b'7');
                assert!(import(&b, .., format, &file).is_err(), "{format:?} {shape:?}");
            }
        }
    }

    #[test]
    fn lists_are_as_deep_as_the_array() {
        let a = array(&[2, 1, 2], "int8");
        a.write(.., &[1i8, 2, 3, 4]).unwrap();
        assert_eq!(text(&a, Format::Json), "[[[1,2]],[[3,4]]]");
        assert_eq!(text(&a, Format::JsonLines), "1\n2\n3\n4\n");
        assert_eq!(text(&array(&[2, 0, 2], "int8"), Format::Json), "[[],[]]");
        for bad in [
            "[1,2,3,4]",
            "[[[1,2]],[[3]]]",
            "[[[1,2]]]",
            "[[[1,2]],[[3,4],[5,6]]]",
            "[[[1,2]],3]",
            "7",
            "[[[1,2]],[[3,900]]]",
        ] {
            assert!(import(&a, .., Format::Json, bad.as_bytes()).is_err(), "{bad}");
        }
        let wide = array(&[1 << 33, 1 << 33, 0], "int8");
        let e = export(&wide, .., Format::Json, &mut Vec::new()).unwrap_err();
        assert!(matches!(e.kind(), ozarr::ErrorKind::Limit { .. } | ozarr::ErrorKind::Argument(_)), "{e}");
        // Elements may be lists themselves.
        let c = array(&[2], "complex64");
        import(&c, .., Format::Json, b"[[1.5,2],[0,\"NaN\"]]").unwrap();
        assert_eq!(text(&c, Format::Json), "[[1.5,2.0],[0.0,\"NaN\"]]");
    }

    #[test]
    fn strings_have_a_form_in_json_alone() {
        let a = array(&[2], "string");
        for format in [Format::Json, Format::JsonLines] {
            a.write(.., &["a\nb".to_owned(), String::new()]).unwrap();
            let written = text(&a, format);
            a.write(.., &[String::new(), String::new()]).unwrap();
            import(&a, .., format, written.as_bytes()).unwrap();
            assert_eq!(a.read::<String>(..).unwrap(), ["a\nb", ""]);
        }
        for format in [Format::Raw, Format::Npy] {
            assert!(export(&a, .., format, &mut Vec::new()).is_err());
            assert!(import(&a, .., format, b"").is_err());
        }
    }

    #[test]
    fn errors_in_a_file_name_it_and_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        std::fs::write(&path, "1\n2\n300\n").unwrap();
        let e = import_file(&array(&[3], "uint8"), .., Format::JsonLines, &path).unwrap_err();
        assert_eq!((e.key(), e.json_path()), (path.to_str(), Some("line 3")), "{e}");
    }
}
