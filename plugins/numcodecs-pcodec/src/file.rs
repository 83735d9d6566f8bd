//! Files of pco: numbers divided into pages of about equal length.

use crate::claims;
use bytemuck::Pod;
use pco::{
    ChunkConfig, FULL_BATCH_N, PagingSpec,
    data_types::{Latent, Number},
    errors::PcoError,
    standalone::{ChunkDecompressor, DecompressorItem, FileCompressor, FileDecompressor, guarantee},
};
use zarr_plugin_api::{Error, ErrorKind, OutputBuffer, Result};

/// The maximum number of numbers in a page.
const MAX_PAGE: usize = 1 << 24;

/// The division of numbers into pages: as few as possible, whose lengths differ by at most one number.
#[derive(Debug)]
pub(crate) struct Paging {
    numbers: usize,
    pages: usize,
}

impl Paging {
    pub(crate) fn new(numbers: usize, max_page: usize) -> Self {
        Self { numbers, pages: numbers.div_ceil(max_page.clamp(1, MAX_PAGE)) }
    }
    fn lengths(&self) -> impl Iterator<Item = usize> {
        let (short, longer) = match self.pages {
            0 => (0, 0),
            n => (self.numbers / n, self.numbers % n),
        };
        (0..self.pages).map(move |i| short + usize::from(i < longer))
    }
    /// Returns the maximum size of a file in bytes. `L` is the unsigned integer with the width of the numbers.
    pub(crate) fn max_file<L: Latent>(&self) -> Option<u64> {
        let page = guarantee::chunk_size::<L>(self.lengths().next().unwrap_or(0)) as u64;
        page.checked_mul(self.pages as u64)?.checked_add(guarantee::header_size() as u64 + 1)
    }
}

pub(crate) fn write<T: Number + Pod>(
    bytes: &[u8],
    paging: &Paging,
    chunk: &ChunkConfig,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let failed = |e: PcoError| Error::argument(format!("pco: {e}"));
    let file = FileCompressor::default().with_n_hint(paging.numbers);
    let (mut rest, mut aligned) = (bytes, Vec::new());
    file.write_header(&mut *out).map_err(failed)?;
    for n in paging.lengths() {
        let (page, later) = rest.split_at_checked(n * size_of::<T>()).ok_or(NOT_ALL)?;
        let numbers: &[T] = match bytemuck::try_cast_slice(page) {
            Ok(numbers) => numbers,
            Err(_) => {
                aligned.clear();
                aligned.try_reserve(n).map_err(|_| ErrorKind::Memory(page.len() as u64))?;
                aligned.extend(page.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
                &aligned
            }
        };
        let chunk = chunk.clone().with_paging_spec(PagingSpec::Exact(vec![n]));
        file.chunk_compressor(numbers, &chunk).and_then(|mut c| c.write(&mut *out).map(drop)).map_err(failed)?;
        rest = later;
    }
    file.write_footer(&mut *out).map(drop).map_err(failed)
}

const NOT_ALL: ErrorKind = ErrorKind::Contract("a chunk does not have the size of its representation");

/// Fills `bytes` exactly.
pub(crate) fn read<T: Number + Pod>(encoded: &[u8], bytes: &mut [u8]) -> Result<()> {
    let (file, mut source) = FileDecompressor::new(encoded).map_err(damaged)?;
    // Earlier versions encode deltas differently, and have no windows.
    let windows = file.format_version().major >= 3;
    let mut rest = bytes;
    loop {
        claims::check(source, size_of::<T>(), rest.len() / size_of::<T>(), windows)?;
        match file.chunk_decompressor::<T, _>(source).map_err(damaged)? {
            DecompressorItem::EndOfData(_) if !rest.is_empty() => {
                return Err(Error::data(format!("{} elements are missing", rest.len() / size_of::<T>())));
            }
            DecompressorItem::EndOfData(left) if !left.is_empty() => {
                return Err(Error::data(format!("{} unexpected bytes after the last element", left.len())));
            }
            DecompressorItem::EndOfData(_) => return Ok(()),
            DecompressorItem::Chunk(mut page) => {
                let len = page.n().saturating_mul(size_of::<T>());
                let (here, later) = std::mem::take(&mut rest).split_at_mut_checked(len).ok_or_else(claims::too_many)?;
                read_page(&mut page, here)?;
                (source, rest) = (page.into_src(), later);
            }
        }
    }
}

fn read_page<T: Number + Pod>(page: &mut ChunkDecompressor<T, &[u8]>, bytes: &mut [u8]) -> Result<()> {
    if let Ok(numbers) = bytemuck::try_cast_slice_mut::<u8, T>(bytes) {
        let wanted = numbers.len();
        return page.read(numbers).map_err(damaged).and_then(|p| expect(p.n_processed, wanted));
    }
    // Memory that is not aligned for the numbers is filled through a small aligned buffer.
    let mut some = [T::zeroed(); 4 * FULL_BATCH_N];
    for part in bytes.chunks_mut(size_of_val(&some)) {
        let read = page.read(&mut some).map_err(damaged)?.n_processed;
        expect(read, part.len() / size_of::<T>())?;
        part.copy_from_slice(&bytemuck::cast_slice(&some)[..part.len()]);
    }
    Ok(())
}

fn expect(read: usize, wanted: usize) -> Result<()> {
    if read == wanted { Ok(()) } else { Err(Error::data(format!("expected {wanted} elements, found {read}"))) }
}

fn damaged(e: PcoError) -> Error {
    Error::data(format!("invalid pco file: {e}"))
}
