//! Writing: whole chunks without reading them, parts of chunks with the store's `update`.

use super::Array;
use crate::{
    element::{self, Item},
    selection::Selection,
};
use zarr_core::{
    Error, Result,
    call::{CallContext, Scratch},
    codec::{Chain, Encoded},
    metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
    source::Source,
    store::{Key, Update},
    view::{Region, TilePlace, View, ViewMut},
};

impl Array {
    /// Writes the selected elements in C order.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2, 3]))?;
    /// array.write(.., &[1u8, 2, 3, 4, 5, 6])?;
    /// array.write((1, 1..), &[8u8, 9])?;
    /// assert_eq!(array.read::<u8>(..)?, [1, 2, 3, 4, 8, 9]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// - If the array's data type cannot be written as `T`.
    /// - If the selection does not fit the array, or `elements` has another length.
    /// - If the array uses an extension that was [skipped](Self::skipped).
    /// - If a chunk cannot be written. Chunks that were written before the error stay.
    pub fn write<T: Item>(&self, selection: impl Into<Selection>, elements: &[T]) -> Result<()> {
        let (selection, r) = (selection.into(), self.representation());
        let write = || {
            self.check_item::<T>()?;
            T::write(r, &selection.shape(self.shape())?, elements, &|view| self.write_view(&selection, view))
        };
        write().map_err(|e| e.at_node(&self.path))
    }
    /// Writes elements of fixed size from bytes in C order and the machine's byte order.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([3]))?;
    /// array.write_bytes(1.., &[2u16.to_ne_bytes(), 3u16.to_ne_bytes()].concat())?;
    /// assert_eq!(array.read::<u16>(..)?, [0, 2, 3]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), and if elements have variable length.
    pub fn write_bytes(&self, selection: impl Into<Selection>, bytes: &[u8]) -> Result<()> {
        let (selection, r) = (selection.into(), self.representation());
        element::check_fixed(r)?;
        let shape = selection.shape(self.shape())?;
        element::write_bytes(r, &shape, bytes, &|view| self.write_view(&selection, view))
    }
    /// Writes elements from memory with any strides. `elements` must have the selection's shape.
    ///
    /// ```
    /// use ozarr::{Hierarchy, NewArray, extension::View};
    ///
    /// let array = Hierarchy::in_memory().create_array("/a", NewArray::of::<u8>([2, 3]))?;
    /// let columns = [1, 4, 2, 5, 3, 6];
    /// array.write_view(.., &View::strided(&columns, 0, &[2, 3], &[1, 2], 1)?)?;
    /// assert_eq!(array.read::<u8>(..)?, [1, 2, 3, 4, 5, 6]);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`write`](Self::write), and if the grid does not divide each dimension on its own and a step is not 1.
    pub fn write_view(&self, selection: impl Into<Selection>, elements: &View<'_>) -> Result<()> {
        self.resolved.check_writable().map_err(|e| e.at_node(&self.path))?;
        let selected = selection.into().within(self.shape())?;
        self.check_view(&selected, &elements.shape(), elements.element_size(), "the source")?;
        let mut elements = elements.clone();
        if !selected.dropped.is_empty() {
            elements = elements.with_unit_axes(&selected.dropped)?;
        }
        let call = self.hierarchy.context().call();
        match self.tile_grid(&selected)? {
            Some(grid) => call.each(0..grid.len(), 1, &|i| {
                let place = grid.get(i);
                let new = elements.clone().region(&place.part)?;
                call.within_memory(|call| self.write_tile(call, &place, &new))
            }),
            None if selected.steps.iter().any(|s| *s != 1) => {
                Err(Error::argument("cannot write with a step other than 1 to a chunk grid of this kind"))
            }
            None => self.all_chunk_indices()?.into_iter().try_for_each(|chunk_index| {
                let chunk = self.chunk_region(&chunk_index)?;
                let Some(part) = chunk.intersection(&selected.bounds) else { return Ok(()) };
                let place = TilePlace {
                    chunk_index,
                    within: part.relative_to(&chunk.start),
                    steps: selected.steps.clone(),
                    part: part.relative_to(&selected.bounds.start),
                };
                let new = elements.clone().region(&place.part)?;
                call.within_memory(|call| self.write_tile(call, &place, &new))
            }),
        }
    }

    fn write_tile(&self, call: &CallContext<'_>, place: &TilePlace, new: &View<'_>) -> Result<()> {
        let write = || {
            let chunk = self.chunk_region(&place.chunk_index)?;
            let (chain, key) = (self.chain_for(&chunk)?, self.chunk_key(&place.chunk_index)?);
            // Elements beyond the array may be dropped, so writing all visible elements of an edge chunk replaces it.
            let visible = chunk.intersection(&Region::whole(self.shape()));
            let whole = visible.is_some_and(|v| v.relative_to(&chunk.start) == place.within) && place.is_dense();
            match whole {
                true if place.within.is_whole(chain.decoded().shape()) => self.write_whole(call, &chain, &key, new),
                true => self.write_edge(call, &chain, &key, &chunk, place, new),
                false => self.write_part(call, &chain, &key, place, new),
            }
        };
        write().map_err(|e| self.in_chunk(e, &place.chunk_index))
    }

    fn write_whole(&self, call: &CallContext<'_>, chain: &Chain, key: &Key, new: &View<'_>) -> Result<()> {
        let mut encoded = call.scratch(0)?;
        match encode(&mut encoded, |out| chain.encode(call, new, out))? {
            Encoded::Bytes => self.data.writer()?.set(key, &encoded),
            Encoded::Fill => self.data.writer()?.erase(key),
        }
    }

    /// Writes all elements of an edge chunk that this handle sees.
    fn write_edge(
        &self,
        call: &CallContext<'_>,
        chain: &Chain,
        key: &Key,
        chunk: &Region,
        place: &TilePlace,
        new: &View<'_>,
    ) -> Result<()> {
        let (r, mut encoded) = (chain.decoded(), call.scratch(0)?);
        let mut padded = call.scratch(r.bytes_within(call.limits)?)?;
        let mut all = ViewMut::new(&mut padded, r.shape(), r.element_size())?.with_heap(new.heap());
        all.fill(&r.fill_element())?;
        all.reborrow().region(&place.within)?.copy_from(new, 1)?;
        let outcome = encode(&mut encoded, |out| chain.encode(call, &all.as_view(), out))?;
        drop(padded);
        let whole = (outcome == Encoded::Bytes).then_some(&*encoded);
        let call = &call.sequential();
        let part = Part { call, chain, place, new, encoded: call.scratch(0)? };
        self.data.writer()?.update(key, &mut Edge { array: self, chunk, whole, part })
    }

    fn write_part(
        &self,
        call: &CallContext<'_>,
        chain: &Chain,
        key: &Key,
        place: &TilePlace,
        new: &View<'_>,
    ) -> Result<()> {
        // Not on other threads: while waiting for them, this thread could be given work that waits for it.
        let call = &call.sequential();
        let encoded = call.scratch(0)?;
        self.data.writer()?.update(key, &mut Part { call, chain, place, new, encoded })
    }
}

/// An edge chunk. If the array has grown since this handle was opened, more of the chunk may be visible than the handle
/// knows.
struct Edge<'p> {
    array: &'p Array,
    chunk: &'p Region,
    /// The encoded chunk, with the fill value beyond the edge.
    whole: Option<&'p [u8]>,
    part: Part<'p>,
}

impl Update for Edge<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        // Checked in each attempt. A writer that extends the array and then writes this chunk either comes later, or
        // its document is seen here.
        if old.is_none() || self.array.shows_as_stored(&self.part.place.chunk_index, self.chunk)? {
            return Ok(self.whole);
        }
        self.part.apply(old)
    }
}

impl Array {
    /// Returns true if the stored document and this handle show the same part of a chunk.
    ///
    /// # Errors
    /// If the array was overwritten since it was opened.
    fn shows_as_stored(&self, chunk_index: &[u64], chunk: &Region) -> Result<bool> {
        let Ok(NodeMetadata::Array(stored)) = self.hierarchy.nodes().stored_metadata(&self.path) else {
            return Ok(false);
        };
        self.check_same(&stored, Some((chunk_index, chunk)))?;
        let visible = |shape: &[u64]| chunk.intersection(&Region::whole(shape));
        Ok(visible(stored.shape()) == visible(self.shape()))
    }
    /// Refuses a document in which chunks have other keys, another encoding or other places than in this handle. Checks
    /// the places of all chunks, or only of the given one, as the grid may change when an array grows.
    pub(super) fn check_same(&self, stored: &ArrayMetadata, chunk: Option<(&[u64], &Region)>) -> Result<()> {
        let own = &*self.metadata;
        let is_same = stored.shape().len() == own.shape().len()
            && stored.data_type() == own.data_type()
            && stored.chunk_key_encoding() == own.chunk_key_encoding()
            && stored.codecs() == own.codecs()
            && stored.storage_transformers() == own.storage_transformers()
            && (stored.chunk_grid() == own.chunk_grid()
                || chunk.is_some_and(|(chunk_index, chunk)| self.has_chunk(stored, chunk_index, chunk)));
        if is_same { Ok(()) } else { Err(self.overwritten()) }
    }
    pub(super) fn overwritten(&self) -> Error {
        let e = Error::metadata("the array was overwritten since it was opened").at_node(&self.path);
        e.with_hint("open the array again")
    }
    /// Returns true if a chunk covers the same elements in the grid of a document.
    fn has_chunk(&self, stored: &ArrayMetadata, chunk_index: &[u64], chunk: &Region) -> bool {
        let context = self.hierarchy.context();
        let found = ResolvedArray::open(stored, &context.registry, &context.limits, &context.options)
            .and_then(|stored_as| stored_as.chunk_grid.chunk_region(stored.shape(), chunk_index));
        found.is_ok_and(|found| found == *chunk)
    }
}

/// A chunk in which a part gets new elements.
pub(super) struct Part<'p> {
    pub(super) call: &'p CallContext<'p>,
    pub(super) chain: &'p Chain,
    pub(super) place: &'p TilePlace,
    pub(super) new: &'p View<'p>,
    pub(super) encoded: Scratch<'p>,
}

impl Update for Part<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let Self { call, chain, place, new, encoded } = self;
        let outcome = if place.is_dense() {
            encode(encoded, |out| chain.update(call, old, &place.within, new, out))?
        } else {
            let r = chain.decoded().with_shape(&place.within.len);
            let mut scratch = call.scratch(r.bytes_within(call.limits)?)?;
            let mut part = ViewMut::new(&mut scratch, r.shape(), r.element_size())?.with_heap(new.heap());
            match old {
                Some(source) => chain.decode(call, source, &place.within, part.reborrow())?,
                None => part.fill(&r.fill_element())?,
            }
            part.reborrow().step(&place.steps)?.copy_from(new, 1)?;
            encode(encoded, |out| chain.update(call, old, &place.within, &part.as_view(), out))?
        };
        Ok((outcome == Encoded::Bytes).then_some(&**encoded))
    }
}

fn encode(
    scratch: &mut Scratch<'_>,
    f: impl FnOnce(&mut zarr_core::call::OutputBuffer<'_>) -> Result<Encoded>,
) -> Result<Encoded> {
    let mut out = scratch.grow(u64::MAX);
    let outcome = f(&mut out)?;
    let len = out.len();
    scratch.keep(len);
    Ok(outcome)
}
