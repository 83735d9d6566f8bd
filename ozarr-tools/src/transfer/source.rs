//! Sources of imports: the elements of a file, part by part.

use super::{
    npy,
    options::Format,
    slabs::Part,
    texts::{Decoder, Texts},
};
use ozarr::{
    Array, Error, Result, Selection,
    zarr_core::{
        layout::Layout,
        limits::product,
        view::{Region, View},
    },
};
use std::borrow::Cow;

/// The elements of a file whose header and size were checked.
pub(super) enum Source<'f> {
    /// Elements in the machine's byte order, with the lengths of all dimensions of the selection.
    Bytes {
        bytes: &'f [u8],
        shape: Vec<u64>,
        is_fortran: bool,
    },
    Texts(Texts<'f>),
}

impl<'f> Source<'f> {
    /// Reads a whole file once without storing its elements.
    pub(super) fn check(
        array: &Array,
        selection: &Selection,
        format: Format,
        file: &'f mut Cow<'_, [u8]>,
    ) -> Result<Self> {
        let (layout, shape) = (array.representation().layout(), selection.shape(array.shape())?);
        let all = selection.indices(array.shape())?.iter().map(|s| s.len).collect();
        let (at, is_fortran, is_swapped) = match format {
            Format::Json => return Self::texts(array, &shape, || Texts::lists(file, &shape)),
            Format::JsonLines => return Self::texts(array, &shape, || Texts::lines(file)),
            Format::Raw => {
                check_raw(file, &shape, layout)?;
                (0, false, cfg!(target_endian = "big"))
            }
            Format::Npy => {
                let found = npy::read(file, layout)?;
                if found.shape != shape {
                    let found = found.shape;
                    return Err(Error::argument(format!(
                        "the file has shape {found:?}, but the region has shape {shape:?}"
                    )));
                }
                (file.len() - found.data.len(), found.is_fortran, found.is_big != cfg!(target_endian = "big"))
            }
        };
        if is_swapped && layout.size() > 1 {
            layout.swap(&mut file.to_mut()[at..]);
        }
        let bytes = &file[at..];
        array.representation().data_type().check_elements(bytes)?;
        Ok(Self::Bytes { bytes, shape: all, is_fortran })
    }
    fn texts(array: &Array, shape: &[u64], texts: impl Fn() -> Result<Texts<'f>>) -> Result<Self> {
        let (mut all, decoder, wanted) = (texts()?, Decoder::new(array), product(shape, 1)?);
        let mut count = 0;
        while all.next(&decoder)?.is_some() {
            count += 1;
        }
        if count != wanted {
            return Err(Error::argument(format!("the file has {count} elements, but the region has {wanted}")));
        }
        texts().map(Self::Texts)
    }
    /// Writes the next part.
    pub(super) fn write(&mut self, array: &Array, part: &Part) -> Result<()> {
        match self {
            Source::Bytes { bytes, shape, is_fortran } => {
                let (size, rank) = (array.representation().element_size(), shape.len());
                let elements = if *is_fortran {
                    // Fortran order is C order with the dimensions reversed.
                    let backwards: Vec<u64> = shape.iter().rev().copied().collect();
                    View::new(bytes, &backwards, size)?.permute(&(0..rank).rev().collect::<Vec<_>>())?
                } else {
                    View::new(bytes, shape, size)?
                };
                let (start, len): (Vec<u64>, Vec<u64>) =
                    part.ranges.iter().map(|range| (range.start, range.end - range.start)).unzip();
                array.write_view(&part.selection, &elements.region(&Region::new(&start, &len)?)?)
            }
            Source::Texts(texts) => {
                let (mut elements, decoder) = (Elements::new(array.representation().layout()), Decoder::new(array));
                for _ in 0..part.len() {
                    texts.next(&decoder)?.into_iter().try_for_each(|element| elements.push(element))?;
                }
                elements.write(array, &part.selection)
            }
        }
    }
}

fn check_raw(file: &[u8], shape: &[u64], layout: &Layout) -> Result<()> {
    let bytes = product(shape, layout.size() as u64)?;
    if layout.is_variable() {
        let e = Error::argument("the raw format does not support variable-length elements");
        return Err(e.with_hint("use the JSON format"));
    }
    if file.len() as u64 != bytes {
        return Err(Error::argument(format!("the file has {} bytes, but the region has {bytes}", file.len())));
    }
    Ok(())
}

/// Elements in C order, in the form that an array accepts.
enum Elements {
    Fixed(Vec<u8>),
    Bytes(Vec<Vec<u8>>),
    Text(Vec<String>),
}

impl Elements {
    fn new(layout: &Layout) -> Self {
        match layout {
            Layout::Variable { text: true } => Self::Text(Vec::new()),
            Layout::Variable { .. } => Self::Bytes(Vec::new()),
            _ => Self::Fixed(Vec::new()),
        }
    }
    fn push(&mut self, element: Vec<u8>) -> Result<()> {
        match self {
            Elements::Fixed(all) => all.extend(element),
            Elements::Bytes(all) => all.push(element),
            Elements::Text(all) => {
                all.push(String::from_utf8(element).map_err(|_| Error::argument("the element is not valid UTF-8"))?);
            }
        }
        Ok(())
    }
    fn write(self, array: &Array, selection: &Selection) -> Result<()> {
        match self {
            Elements::Text(elements) => array.write(selection, &elements),
            Elements::Bytes(elements) => array.write(selection, &elements),
            Elements::Fixed(elements) => array.write_bytes(selection, &elements),
        }
    }
}
