//! Elements in files of other formats.

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

/// Elements that are in memory at a time, of forms that are made of many small texts and of others.
const FEW: u64 = 1 << 20;
const MANY: u64 = 1 << 22;

/// Writes selected elements in C order. Takes memory for a few million elements at a time, and for whole chunks where they are
/// larger.
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
/// When the selection does not fit the array, the format has no form for the data type, something cannot be read, or cannot be
/// written, or the work is [cancelled](crate::Progress::is_cancelled). What was written before stays.
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
    // Behind a dimension without elements there is nothing: the lists before it are empty.
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

/// The same into a file. A regular file appears under its name, or replaces the one there, only when it is complete: see
/// [`OutputFile`].
///
/// # Errors
/// As [`export`], and when the file cannot be written. A file that was there is then as it was.
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

/// Writes elements into the selected part of an array.
///
/// Takes memory for as many elements as there are in a row of chunks, the chunks along all dimensions but the first, or for
/// a million if these are more; for bytes and `.npy` files in another byte order than the machine's, for a copy of them.
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
/// When the bytes are not of the format, not as many elements as are selected or of another shape or data type: nothing is
/// written then, as all elements are looked at before the first is written. When the array cannot be written or the work is
/// [cancelled](crate::Progress::is_cancelled), what was written before stays.
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

/// The same with the bytes of a file, which is in memory meanwhile.
///
/// # Errors
/// As [`import`], and when the file cannot be read. Errors in the file name its path in their text.
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

/// An error in the elements of a file, which names the file.
fn in_file(e: &Error, path: &Path) -> Error {
    let named = |what: &str| format!("{}: {what}", path.display());
    let mut new = Error::new(match e.kind() {
        ErrorKind::Argument(what) => ErrorKind::Argument(named(what)),
        ErrorKind::FillValue(what) => ErrorKind::FillValue(named(what)),
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
