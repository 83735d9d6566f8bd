//! The file format of NumPy, versions 1 and 2, for elements of fixed size.

use ozarr::{
    Error, Result,
    zarr_core::layout::{Layout, ScalarKind},
};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns NumPy's name for a layout, in little-endian byte order.
fn descr(layout: &Layout) -> Result<String> {
    let &Layout::Fixed { kind, width, components } = layout else {
        let e = Error::argument("the .npy format does not support variable-length elements or structs");
        return Err(e.with_hint("use the JSON format"));
    };
    let order = if width == 1 { '|' } else { '<' };
    Ok(match (kind, components) {
        (ScalarKind::Bool, 1) => "|b1".to_owned(),
        (ScalarKind::Int, 1) => format!("{order}i{width}"),
        (ScalarKind::UInt, 1) => format!("{order}u{width}"),
        (ScalarKind::Float, 1) => format!("{order}f{width}"),
        (ScalarKind::Float, 2) => format!("<c{}", width * 2),
        (ScalarKind::Raw, 1) => format!("|V{width}"),
        _ => {
            return Err(Error::argument(format!("the .npy format does not support {layout:?}"))
                .with_hint("use the JSON format"));
        }
    })
}

/// Returns the header of a file of little-endian elements in C order.
pub(super) fn header(layout: &Layout, shape: &[u64]) -> Result<Vec<u8>> {
    let lengths: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({lengths}), }}", descr(layout)?);
    // The data begins at a multiple of 64 bytes.
    let before = MAGIC.len() + 4;
    text.extend(std::iter::repeat_n(' ', 63 - (before + text.len()) % 64));
    text.push('\n');
    let len =
        u16::try_from(text.len()).map_err(|_| Error::argument("the shape has too many dimensions for a .npy file"))?;
    Ok([MAGIC, &[1, 0], &len.to_le_bytes(), text.as_bytes()].concat())
}

/// The elements of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Npy<'f> {
    pub(super) shape: Vec<u64>,
    /// The bytes up to the end of the file.
    pub(super) data: &'f [u8],
    /// The elements are in Fortran order, not C order.
    pub(super) is_fortran: bool,
    pub(super) is_big: bool,
}

/// Finds the elements of a file.
///
/// # Errors
/// If it is not an .npy file, is truncated or too long, or has elements of another layout.
pub(super) fn read<'f>(file: &'f [u8], layout: &Layout) -> Result<Npy<'f>> {
    let wrong = |why: &str| Error::argument(format!("invalid .npy file: {why}"));
    let rest = file.strip_prefix(MAGIC).ok_or_else(|| wrong("missing magic bytes"))?;
    let (len, rest) = match rest {
        [1, 0, a, b, rest @ ..] => (u32::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, 0, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        _ => return Err(wrong("unsupported version")),
    };
    let (text, data) = rest.split_at_checked(len as usize).ok_or_else(|| wrong("the header is truncated"))?;
    let text = std::str::from_utf8(text).map_err(|_| wrong("the header is not valid UTF-8"))?;
    let field = |name: &str| {
        let (_, after) = text.split_once(&format!("'{name}':"))?;
        Some(after.trim_start())
    };
    let found = field("descr").and_then(|t| t.strip_prefix('\'')?.split_once('\'')).map(|(d, _)| d);
    let found = found.ok_or_else(|| wrong("`descr` is missing or a structured type"))?;
    let is_fortran = field("fortran_order").ok_or_else(|| wrong("missing `fortran_order`"))?.starts_with("True");
    let lengths = field("shape").and_then(|t| t.strip_prefix('(')?.split_once(')')).map(|(s, _)| s);
    let lengths = lengths.ok_or_else(|| wrong("missing `shape`"))?;
    let shape: Option<Vec<u64>> =
        lengths.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().ok()).collect();
    let shape = shape.ok_or_else(|| wrong("`shape` is not a tuple of integers"))?;
    let wanted = descr(layout)?;
    let (is_big, kind) = match found.as_bytes() {
        [b'>', kind @ ..] => (true, kind),
        [b'<' | b'|' | b'=', kind @ ..] => (false, kind),
        kind => (false, kind),
    };
    if kind != &wanted.as_bytes()[1..] {
        let e = Error::argument(format!("the file has data type `{found}`, but the array has `{wanted}`"));
        return Err(e.with_hint("convert the file, or copy the array with another `data_type`"));
    }
    let size = layout.size();
    let elements = ozarr::zarr_core::limits::product(&shape, size as u64)?;
    if elements != data.len() as u64 {
        return Err(wrong(&format!("expected {elements} bytes of elements, found {}", data.len())));
    }
    Ok(Npy { shape, data, is_fortran, is_big })
}

#[cfg(test)]
mod tests {
    use super::*;

    const U16: Layout = Layout::scalar(ScalarKind::UInt, 2);

    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes(), data].concat()
    }

    #[test]
    fn written_files_read_back() {
        for shape in [&[][..], &[3], &[2, 0], &[2, 3]] {
            let n = shape.iter().product::<u64>() as usize;
            let bytes: Vec<u8> = (0..2 * n as u8).collect();
            let head = header(&U16, shape).unwrap();
            assert_eq!(head.len() % 64, 0);
            let file = [head, bytes.clone()].concat();
            let wanted = Npy { shape: shape.to_vec(), data: &bytes, is_fortran: false, is_big: false };
            assert_eq!(read(&file, &U16).unwrap(), wanted);
        }
    }

    #[test]
    fn both_orders_are_read() {
        let (big, fortran) = (file(">u2", "False", "(2,)", &[0; 4]), file("<u2", "True", "(2, 1)", &[0; 4]));
        let orders = |file| read(file, &U16).map(|npy| (npy.is_big, npy.is_fortran)).unwrap();
        assert_eq!((orders(&big), orders(&fortran)), ((true, false), (false, true)));
    }

    #[test]
    fn hostile_files_are_refused() {
        let good = file("<u2", "False", "(2,)", &[0, 1, 0, 2]);
        for n in 0..good.len() {
            assert!(read(&good[..n], &U16).is_err(), "{n}");
        }
        for bad in [
            file("<i2", "False", "(2,)", &[0; 4]),
            file("<u4", "False", "(1,)", &[0; 4]),
            file("<u2", "False", "(3,)", &[0; 4]),
            file("<u2", "False", "(99999999999,99999999999)", &[0; 4]),
            file("<u2", "False", "(-1,)", &[0; 4]),
        ] {
            assert!(read(&bad, &U16).is_err());
        }
    }
}
