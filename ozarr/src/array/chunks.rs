//! Chunks one by one: decoded, encoded, and which there are.

use super::Array;
use crate::selection::Selection;
use zarr_core::{
    Error, ErrorKind, Result,
    call::{CallContext, Options},
    limits::zeroed,
    representation::Representation,
    store::{Key, Other, Prefix},
    view::{Dims, Region, TileGrid, ViewMut},
};

/// A chunk of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayChunk {
    /// Its cell of the chunk grid.
    pub chunk_index: Vec<u64>,
    /// The elements of the array that it holds: without what lies beyond the array.
    pub region: Region,
}

/// What is stored below an array.
#[derive(Debug, Default)]
pub struct StoredKeys {
    /// The cells of chunks, sorted; also of those outside the grid.
    pub chunks: Vec<Vec<u64>>,
    /// Keys of no chunk, relative to the array, sorted.
    pub unknown: Vec<Key>,
    /// One error for each entry that is not a value and that a reader could take for a missing chunk: pipes, sockets, devices,
    /// directories in the place of a chunk, names that are not UTF-8. Each names the key; sorted by it.
    pub errors: Vec<Error>,
}

/// The cells of a grid, if memory can hold them.
fn collect_chunk_indices(grid: &TileGrid) -> Result<Vec<Dims>> {
    let mut cells = Vec::new();
    cells.try_reserve(grid.len()).map_err(|_| ErrorKind::Memory(grid.len() as u64))?;
    cells.extend(grid.places().map(|p| p.chunk_index));
    Ok(cells)
}

/// The shape of the parts in which a chunk is checked: whole inner chunks, so many that they take 64 MiB, or a sixteenth of
/// the chunk if that is more, since an index that is large is read again for each.
fn part_to_check(chunk: &Representation, inner: &[u64]) -> Result<Dims> {
    const LEAST: u64 = 64 << 20;
    /// About what an inner chunk takes however small it is.
    const INNER: u64 = 64;
    let each = chunk.with_shape(inner).bytes()?.max(INNER);
    let bytes = |part: &[u64]| part.iter().zip(inner).fold(each, |n, (p, i)| n.saturating_mul(p.div_ceil((*i).max(1))));
    let mut part: Dims = chunk.shape().into();
    let most = LEAST.max(bytes(&part) / 16);
    for d in 0..part.len() {
        if bytes(&part) > most {
            let all = std::mem::replace(&mut part[d], inner[d]);
            part[d] = inner[d].saturating_mul((most / bytes(&part)).max(1)).min(all);
        }
    }
    Ok(part)
}

impl Array {
    /// The chunks that a selection touches, in C order.
    pub fn chunks(&self, selection: impl Into<Selection>) -> Result<Vec<ArrayChunk>> {
        let selected = selection.into().within(self.shape())?;
        let cells: Vec<Dims> = match self.tile_grid(&selected)? {
            Some(grid) => collect_chunk_indices(&grid)?,
            None => self.all_chunk_indices()?,
        };
        let mut chunks = Vec::new();
        chunks.try_reserve(cells.len()).map_err(|_| ErrorKind::Memory(cells.len() as u64))?;
        for chunk_index in cells {
            let chunk = self.chunk_region(&chunk_index)?;
            let Some(region) = chunk.intersection(&Region::whole(self.shape())) else { continue };
            if chunk.rank() == 0 || chunk.intersection(&selected.bounds).is_some() {
                chunks.push(ArrayChunk { chunk_index: chunk_index.to_vec(), region });
            }
        }
        Ok(chunks)
    }
    /// Reads a whole chunk, also what lies beyond the array, as the bytes of its elements in C order.
    pub fn read_chunk(&self, chunk_index: &[u64]) -> Result<Vec<u8>> {
        let (call, chunk) = (self.hierarchy.context().call(), self.chunk_region(chunk_index)?);
        let r = self.representation().with_shape(&chunk.len);
        if r.layout().is_variable() {
            return Err(Error::argument("elements of variable length are read as `String` or `Vec<u8>`"));
        }
        let mut bytes = zeroed(r.bytes_within(call.limits)?)?;
        let mut out = ViewMut::new(&mut bytes, r.shape(), r.element_size())?;
        let whole = Region::whole(&chunk.len);
        call.within_memory(|call| self.read_chunk_part(call, chunk_index, &whole, out.reborrow()))?;
        Ok(bytes)
    }
    /// Decodes a chunk, in parts if it has parts, and keeps nothing. What is not stored is in order.
    ///
    /// # Errors
    /// Whatever reading would find, and what readers need not notice: inner chunks of a shard that overlap.
    pub fn check_chunk(&self, chunk_index: &[u64]) -> Result<()> {
        let (context, chunk) = (self.hierarchy.context(), self.chunk_region(chunk_index)?);
        let chain = self.chain_for(&chunk)?;
        let r = chain.decoded();
        let part = match chain.inner_chunk_shape() {
            Some(inner) => part_to_check(r, &inner)?,
            None => r.shape().into(),
        };
        let options = Options { strict: true, ..context.options.clone() };
        let call = CallContext { options: &options, ..context.call() };
        for place in TileGrid::regular(&Region::whole(r.shape()), &part)?.places() {
            let part = r.with_shape(&place.part.len);
            call.within_memory(|call| {
                let (mut scratch, heap) = (call.scratch(part.bytes_within(call.limits)?)?, part.new_heap());
                let out = ViewMut::new(&mut scratch, part.shape(), part.element_size())?.with_heap(heap.as_ref());
                self.read_chunk_part(call, chunk_index, &place.part, out)
            })?;
        }
        Ok(())
    }
    /// The stored bytes of a chunk.
    pub fn read_encoded_chunk(&self, chunk_index: &[u64]) -> Result<Option<Vec<u8>>> {
        self.chunk_region(chunk_index)?;
        self.data.reader()?.get(&self.chunk_key(chunk_index)?).map_err(|e| self.blame(e, chunk_index))
    }
    /// Stores the bytes of a chunk as they are. They are decoded once, so that nothing is stored that cannot be read.
    pub fn write_encoded_chunk(&self, chunk_index: &[u64], bytes: &[u8]) -> Result<()> {
        let write = || {
            self.resolved.check_writable()?;
            let (call, chunk) = (self.hierarchy.context().call(), self.chunk_region(chunk_index)?);
            let chain = self.chain_for(&chunk)?;
            let r = chain.decoded();
            call.within_memory(|call| {
                let (mut scratch, heap) = (call.scratch(r.bytes_within(call.limits)?)?, r.new_heap());
                let out = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(heap.as_ref());
                chain.decode(call, &bytes, &Region::whole(r.shape()), out)
            })?;
            self.data.writer()?.set(&self.chunk_key(chunk_index)?, bytes)
        };
        write().map_err(|e| self.blame(e, chunk_index))
    }
    /// Removes a chunk: its elements are the fill value then.
    pub fn erase_chunk(&self, chunk_index: &[u64]) -> Result<()> {
        self.resolved.check_writable()?;
        self.chunk_region(chunk_index)?;
        self.data.writer()?.erase(&self.chunk_key(chunk_index)?).map_err(|e| self.blame(e, chunk_index))
    }
    /// The cells of the chunks that are stored.
    ///
    /// # Errors
    /// Also when there is something in the store that is neither a value nor a directory, or a directory in the place of a
    /// chunk: see [`StoredKeys::errors`].
    pub fn stored_chunks(&self) -> Result<Vec<Vec<u64>>> {
        let found = self.stored_keys()?;
        match found.errors.into_iter().next() {
            Some(e) => Err(e),
            None => Ok(found.chunks),
        }
    }
    /// What is stored below the array, beside its metadata document.
    pub fn stored_keys(&self) -> Result<StoredKeys> {
        let (lister, rank) = (self.data.lister()?, self.shape().len());
        let decode = |name: &str| self.resolved.chunk_key_encoding.decode(name, rank);
        // With each prefix how many there are above it, and of those on the way to the last the URIs: a link may lead back to one.
        let (mut found, mut left, mut way) = (StoredKeys::default(), vec![(Prefix::ROOT, 0)], Vec::new());
        while let Some((prefix, depth)) = left.pop() {
            let uri = self.data.uri(&prefix);
            way.truncate(depth);
            if way.contains(&uri) {
                continue;
            }
            way.push(uri);
            let (depth, listed) = (depth + 1, lister.list_dir(&prefix)?);
            for key in listed.keys {
                match decode(key.as_str()) {
                    Some(chunk_index) => found.chunks.push(chunk_index.to_vec()),
                    None => found.unknown.push(key),
                }
            }
            for (name, other) in listed.others {
                let is_chunk = decode(&name).is_some();
                found.errors.extend(self.unusable(&name, other, is_chunk).map(|e| e.at_node(&self.path)));
                if other == Other::EmptyDirectory && !is_chunk {
                    left.push((Prefix::new(format!("{name}/"))?, depth));
                }
            }
            for prefix in listed.prefixes {
                let name = prefix.as_str().trim_end_matches('/');
                if decode(name).is_some() {
                    // Some stores have room for a chunk and keys below it. The others say that they have not.
                    let e = self.unusable(name, Other::EmptyDirectory, true);
                    found.errors.extend(e.map(|e| e.at_node(&self.path)));
                }
                left.push((prefix, depth));
            }
        }
        found.chunks.sort_unstable();
        found.unknown.sort_unstable();
        found.errors.sort_by(|a, b| a.key().cmp(&b.key()));
        Ok(found)
    }
    /// Why an entry that is not a value makes its place unusable, if it does.
    fn unusable(&self, name: &str, other: Other, is_chunk: bool) -> Option<Error> {
        match (other, Key::new(name)) {
            (Other::EmptyDirectory, _) if !is_chunk => None,
            // Its place may be free by now.
            (Other::EmptyDirectory | Other::NotAFile, Ok(key)) => self.data.reader().and_then(|r| r.open(&key)).err(),
            _ => Some(bad_name().at_key(format_args!("{}{name}", Prefix::of(&self.path)))),
        }
    }
}

/// The error of an [`Other::Name`].
pub(crate) fn bad_name() -> Error {
    Error::name("not UTF-8").with_hint("rename or remove the file or directory")
}
