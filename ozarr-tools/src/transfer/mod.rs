//! Transfers elements to and from files of other formats.

mod json;
mod npy;
mod options;
mod slabs;
mod source;
#[cfg(test)]
mod tests;
mod texts;

pub(crate) use json::string_handles;
pub use options::{Format, TransferOptions};

use self::{
    json::Brackets,
    slabs::{parts, row_of_chunks},
    source::Source,
};
use crate::{
    output_file::{OutputFile, at_path},
    progress::Stage,
};
use ozarr::{Array, Error, ErrorKind, Result, Selection, zarr_core::limits::product};
use std::{
    borrow::Cow,
    fs,
    io::{BufWriter, Write},
    path::Path,
};

/// The number of elements in memory at a time: for formats with many small texts, and for the others.
const FEW: u64 = 1 << 20;
const MANY: u64 = 1 << 22;

/// Writes the selected elements in C order. Uses memory for a few million elements at a time, and for whole chunks
/// where they are larger.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{Format, TransferOptions, export};
///
/// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<f32>([2, 2]))?;
/// array.write(.., &[1.5f32, 2.0, f32::NAN, 4.0])?;
/// let mut text = Vec::new();
/// export(&array, [0..2, 0..2], Format::Json, &mut text, &TransferOptions::default())?;
/// assert_eq!(text, br#"[[1.5,2.0],["NaN",4.0]]"#);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If the selection does not fit the array, the format does not support the data type, an element cannot be read or
/// written, or the work is [cancelled](crate::Progress::is_cancelled). Elements that were already written remain.
pub fn export(
    array: &Array,
    selection: impl Into<Selection>,
    format: Format,
    out: &mut dyn Write,
    options: &TransferOptions<'_>,
) -> Result<()> {
    let (selection, progress) = (selection.into(), options.progress);
    let (shape, layout) = (selection.shape(array.shape())?, array.representation().layout());
    if format == Format::Npy {
        out.write_all(&npy::header(layout, &shape)?)?;
    }
    progress.begin(Stage::Exporting, product(&shape, 1)?);
    progress.check()?;
    let mut brackets = Brackets::new(&shape);
    // A dimension without elements contains nothing: the lists before it are empty.
    if let (Format::Json, Some(depth)) = (format, shape.iter().position(|n| *n == 0)) {
        brackets = Brackets::new(&shape[..depth]);
        return (0..product(&shape[..depth], 1)?).try_for_each(|_| brackets.print("[]", out));
    }
    let most = match format {
        Format::JsonLines => FEW,
        _ => MANY,
    };
    for part in parts(array, &selection, options.part.unwrap_or(most))? {
        progress.check()?;
        let elements = part.len();
        match format {
            Format::Json => {
                json::each(array, &part.selection, &mut |e| brackets.print(&e.to_string(), out))?;
            }
            Format::JsonLines => json::each(array, &part.selection, &mut |e| Ok(writeln!(out, "{e}")?))?,
            Format::Raw | Format::Npy => {
                let mut bytes = array.read_bytes(part.selection)?;
                if cfg!(target_endian = "big") {
                    layout.swap(&mut bytes);
                }
                out.write_all(&bytes)?;
            }
        }
        progress.add(elements);
    }
    Ok(())
}

/// Writes the selected elements to a file. A regular file appears under its name, or replaces the existing one, only
/// when it is complete: see [`OutputFile`].
///
/// # Errors
/// As for [`export`], and if the file cannot be written. An existing file is then unchanged.
pub fn export_file(
    array: &Array,
    selection: impl Into<Selection>,
    format: Format,
    path: impl AsRef<Path>,
    options: &TransferOptions<'_>,
) -> Result<()> {
    let file = OutputFile::create(path.as_ref())?;
    let mut out = BufWriter::new(file.file());
    export(array, selection, format, &mut out, options)?;
    out.into_inner().map_err(|e| at_path(&e.into_error(), path.as_ref()))?;
    file.commit()
}

/// Reads elements from the bytes of a file into the selected part of an array.
///
/// Uses memory for the elements in a row of chunks (the chunks along all dimensions but the first), or for a million if
/// these are more. Bytes and `.npy` files in a byte order other than the machine's are copied.
///
/// ```
/// use ozarr::{Hierarchy, NewArray};
/// use ozarr_tools::{Format, TransferOptions, export, import};
///
/// let (array, options) =
///     (Hierarchy::in_memory().create_array("/a", NewArray::of::<i16>([2, 3]))?, TransferOptions::default());
/// import(&array, [0..1, 0..3], Format::JsonLines, b"1\n-2\n3\n", &options)?;
/// assert_eq!(array.read::<i16>(..)?, [1, -2, 3, 0, 0, 0]);
///
/// let mut file = Vec::new();
/// export(&array, [0..1, 0..3], Format::Npy, &mut file, &options)?;
/// import(&array, [1..2, 0..3], Format::Npy, &file, &options)?;
/// assert_eq!(array.read::<i16>([1..2, 0..3])?, [1, -2, 3]);
/// # Ok::<(), ozarr::Error>(())
/// ```
///
/// # Errors
/// If the bytes do not have the format, or the wrong number of elements, shape or data type: nothing is written then,
/// because all elements are checked before the first is written. If the array cannot be written or the work is
/// [cancelled](crate::Progress::is_cancelled), elements that were already written remain.
pub fn import(
    array: &Array,
    selection: impl Into<Selection>,
    format: Format,
    bytes: &[u8],
    options: &TransferOptions<'_>,
) -> Result<()> {
    let (selection, mut bytes) = (selection.into(), Cow::Borrowed(bytes));
    let source = Source::check(array, &selection, format, &mut bytes)?;
    write_parts(array, &selection, source, options)
}

/// Reads elements from a file into the selected part of an array. The whole file is in memory for the duration of the
/// call.
///
/// # Errors
/// As for [`import`], and if the file cannot be read. Errors in the file name its path.
pub fn import_file(
    array: &Array,
    selection: impl Into<Selection>,
    format: Format,
    path: impl AsRef<Path>,
    options: &TransferOptions<'_>,
) -> Result<()> {
    let (selection, path) = (selection.into(), path.as_ref());
    let mut bytes = Cow::Owned(fs::read(path).map_err(|e| at_path(&e, path))?);
    let source = Source::check(array, &selection, format, &mut bytes).map_err(|e| in_file(&e, path))?;
    write_parts(array, &selection, source, options)
}

fn write_parts(
    array: &Array,
    selection: &Selection,
    mut source: Source<'_>,
    options: &TransferOptions<'_>,
) -> Result<()> {
    let progress = options.progress;
    progress.begin(Stage::Importing, product(&selection.shape(array.shape())?, 1)?);
    progress.check()?;
    // Whole chunks, so that each is encoded once.
    let usual = row_of_chunks(array, selection)?.max(FEW);
    for part in parts(array, selection, options.part.unwrap_or(usual))? {
        progress.check()?;
        source.write(array, &part)?;
        progress.add(part.len());
    }
    Ok(())
}

/// Returns an error in the elements of a file, with the name of the file.
fn in_file(e: &Error, path: &Path) -> Error {
    let named = |what: &str| format!("{}: {what}", path.display());
    let mut new = Error::new(match e.kind() {
        // An element has the form of a fill value, but it is not one.
        ErrorKind::Argument(what) | ErrorKind::FillValue(what) => ErrorKind::Argument(named(what)),
        ErrorKind::Data(what) => ErrorKind::Data(named(what)),
        other => ErrorKind::Argument(named(&other.to_string())),
    });
    if let Some((point, name)) = e.extension() {
        new = new.at_extension(point, name);
    }
    if let Some(place) = e.json_path() {
        new = new.within(place);
    }
    match e.hint() {
        Some(hint) => new.with_hint(hint),
        None => new,
    }
}
