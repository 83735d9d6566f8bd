//! An extension of each kind that panics in the function that its configuration names.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};
use zarr_plugin_api::{
    ArrayToArray, ArrayToBytes, AxisChunks, ByteRange, BytesToBytes, CallContext, ChunkGrid, ChunkKeyEncoding,
    CreateContext, DataType, DecodeStrategy, Dims, Encoded, ErrorKind, ExtensionType, Json, Key, Layout, ListableStore,
    Listing, OutputBuffer, PartialDecode, PartialEncode, Prefix, ReadableStore, Region, Representation, Result,
    ScalarKind, Size, Source, StorageTransformer, Store, Update, View, ViewMut, WriteableStore, export_plugin,
    zarr_core::{data_type::CheckElements, json::Object},
};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Configuration {
    at: String,
}

/// Panics when it is dropped, as the payload of a panic.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bomb");
    }
}

/// An error that cannot be printed.
#[derive(Debug)]
struct Unspeakable;
impl std::fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("in display of an error");
    }
}
impl std::error::Error for Unspeakable {}

#[derive(Debug, Clone)]
struct Fuse(Configuration);
impl Fuse {
    fn burn(&self, at: &str) {
        if self.0.at == at {
            panic!("in {at}");
        }
        if self.0.at == format!("bomb in {at}") {
            std::panic::panic_any(Bomb);
        }
    }
}

macro_rules! animal {
    ($name:ident, $text:literal) => {
        #[derive(Debug)]
        #[allow(dead_code, reason = "some kinds need no representation")]
        struct $name(Fuse, Option<Representation>);
        impl ExtensionType for $name {
            const NAME: &'static str = $text;
            type Configuration = Configuration;
            fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
                let fuse = Fuse(configuration);
                fuse.burn("create");
                Ok(Self(fuse, cx.representation.cloned()))
            }
            fn configuration(&self) -> Configuration {
                self.0.burn("configuration");
                self.0.0.clone()
            }
        }
        impl Drop for $name {
            fn drop(&mut self) {
                self.0.burn("drop");
            }
        }
    };
}

animal!(Squirrel, "panics.bytes-to-bytes");
impl BytesToBytes for Squirrel {
    fn encoded_size(&self, decoded: Size) -> Size {
        self.0.burn("encoded_size");
        decoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.burn("encode");
        if self.0.0.at == "display of an error" {
            return Err(ErrorKind::Plugin(Box::new(Unspeakable)).into());
        }
        call.each(0..4, 1, &|i| {
            if i == 3 {
                self.0.burn("threads");
            }
            Ok(())
        })?;
        out.extend(decoded)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.burn("decode");
        out.extend(encoded)
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        self.0.burn("decoded_source");
        Some(Box::new(Nut { of: encoded, fuse: &self.0 }))
    }
}
struct Nut<'s> {
    of: &'s dyn Source,
    fuse: &'s Fuse,
}
impl Source for Nut<'_> {
    fn read(&self, ranges: &[ByteRange], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        self.fuse.burn("read");
        self.of.read(ranges, &mut |i, bytes| {
            self.fuse.burn("each");
            each(i, bytes)
        })
    }
}

animal!(Badger, "panics.array-to-bytes");
impl ArrayToBytes for Badger {
    fn encoded_size(&self) -> Size {
        self.0.burn("encoded_size");
        Size::Unknown
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.burn("encode");
        let size = decoded.count() * decoded.element_size();
        ViewMut::new(out.space(size)?, &decoded.shape(), decoded.element_size())?.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        self.0.burn("decode");
        let (shape, size) = (out.shape(), out.element_size());
        out.copy_from(&View::new(encoded, &shape, size)?, 1)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        self.0.burn("partial");
        Some(self)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        self.0.burn("update");
        Some(self)
    }
    fn raw(&self) -> Option<usize> {
        self.0.burn("raw");
        None
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        self.0.burn("inner_chunk_shape");
        (self.0.0.at == "wrong rank").then_some(&[1])
    }
}
impl PartialDecode for Badger {
    fn decode_region(&self, _: &CallContext<'_>, source: &dyn Source, _: &Region, _: ViewMut<'_>) -> Result<()> {
        self.0.burn("partial_decode");
        source.cached((7, 0), 1, &mut || {
            self.0.burn("memo");
            Ok(Arc::new(5u8))
        })?;
        source.read(&[ByteRange::All], &mut |_, _| {
            self.0.burn("each");
            Ok(())
        })
    }
}
impl PartialEncode for Badger {
    fn update_region(
        &self,
        _: &CallContext<'_>,
        _: Option<&dyn Source>,
        _: &Region,
        _: &View<'_>,
        _: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        self.0.burn("update it");
        Ok(Encoded::Fill)
    }
}

animal!(Mole, "panics.array-to-array");
impl ArrayToArray for Mole {
    fn encoded_representation(&self) -> &Representation {
        self.0.burn("encoded_representation");
        self.1.as_ref().unwrap()
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        self.0.burn("encode");
        encoded.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, mut decoded: ViewMut<'_>) -> Result<()> {
        self.0.burn("decode");
        decoded.copy_from(encoded, 1)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        self.0.burn("plan");
        match &*self.0.0.at {
            "decode_in_place" => DecodeStrategy::InPlace,
            "short order" => DecodeStrategy::Permute(&[0]),
            _ => DecodeStrategy::Copy,
        }
    }
    fn decode_in_place(&self, _: &CallContext<'_>, _: ViewMut<'_>) -> Result<()> {
        self.0.burn("decode_in_place");
        Ok(())
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        self.0.burn("encoded_region");
        if self.0.0.at == "long region" {
            return Region::new(&[0; 64], &[1; 64]).ok();
        }
        Some(decoded.clone())
    }
}

animal!(Toad, "panics.data-type");
impl DataType for Toad {
    fn layout(&self) -> Layout {
        self.0.burn("layout");
        Layout::scalar(ScalarKind::UInt, 1)
    }
    fn fill_from_json(&self, json: &Json) -> Result<Vec<u8>> {
        self.0.burn("fill_from_json");
        match json.as_u64() {
            Some(_) => Ok(vec![0]),
            None => Err(ErrorKind::FillValue(format!("{json} is no number")).into()),
        }
    }
    fn fill_to_json(&self, _: &[u8]) -> Result<Json> {
        self.0.burn("fill_to_json");
        Ok(Json::from(0))
    }
    fn default_fill(&self) -> Json {
        self.0.burn("default_fill");
        Json::from(0)
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        Some(self)
    }
}
impl CheckElements for Toad {
    fn check_elements(&self, _: &[u8]) -> Result<()> {
        self.0.burn("check_elements");
        Ok(())
    }
}

animal!(Spider, "panics.chunk-grid");
impl ChunkGrid for Spider {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.0.burn("grid_shape");
        Ok(array_shape.into())
    }
    fn chunk_region(&self, _: &[u64], chunk_index: &[u64]) -> Result<Region> {
        self.0.burn("cell");
        Region::new(chunk_index, &vec![1; chunk_index.len()])
    }
    fn chunk_index_of(&self, _: &[u64], element: &[u64]) -> Result<Dims> {
        self.0.burn("cell_of");
        Ok(element.into())
    }
    fn resized(&self, _: &[u64], _: &[u64]) -> Result<Option<Object>> {
        self.0.burn("resized");
        Ok(None)
    }
    fn axis(&self, _: usize) -> Option<AxisChunks<'_>> {
        self.0.burn("axis");
        Some(AxisChunks::Regular(1))
    }
}

animal!(Magpie, "panics.chunk-key-encoding");
impl ChunkKeyEncoding for Magpie {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        self.0.burn("encode");
        Ok(format!("{chunk_index:?}"))
    }
    fn decode(&self, _: &str, _: usize) -> Option<Dims> {
        self.0.burn("decode");
        None
    }
}

animal!(Hamster, "panics.storage-transformer");
impl StorageTransformer for Hamster {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        self.0.burn("wrap");
        Ok(Arc::new(Cheek { below, fuse: self.0.clone() }))
    }
}
#[derive(Debug)]
struct Cheek {
    below: Arc<dyn Store>,
    fuse: Fuse,
}
impl Drop for Cheek {
    fn drop(&mut self) {
        self.fuse.burn("drop of the store");
    }
}
impl Store for Cheek {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        Some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        Some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.fuse.burn("uri");
        self.below.uri(prefix)
    }
}
impl ReadableStore for Cheek {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.fuse.burn("open");
        let Some(of) = self.below.reader()?.open(key)? else { return Ok(None) };
        Ok(Some(Box::new(Stored { of, fuse: &self.fuse })))
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.fuse.burn("get");
        self.below.reader()?.get(key)
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.fuse.burn("get_partial_values");
        self.below.reader()?.get_partial_values(ranges)
    }
}
struct Stored<'s> {
    of: Box<dyn Source + 's>,
    fuse: &'s Fuse,
}
impl Source for Stored<'_> {
    fn read(&self, ranges: &[ByteRange], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        self.fuse.burn("read");
        match &*self.fuse.0.at {
            "silence" => Ok(()),
            "another number" => each(77, &[0; 5]),
            _ => self.of.read(ranges, each),
        }
    }
}
impl Drop for Stored<'_> {
    fn drop(&mut self) {
        self.fuse.burn("drop of the reader");
    }
}
impl WriteableStore for Cheek {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.fuse.burn("set");
        self.below.writer()?.set(key, value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.fuse.burn("set_if_absent");
        self.below.writer()?.set_if_absent(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.fuse.burn("store update");
        self.below.writer()?.update(key, change)
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        self.fuse.burn("set_partial_values");
        self.below.writer()?.set_partial_values(parts)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.fuse.burn("erase");
        self.below.writer()?.erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.fuse.burn("erase_prefix");
        self.below.writer()?.erase_prefix(prefix)
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        self.fuse.burn("erase_values");
        self.below.writer()?.erase_values(keys)
    }
}
impl ListableStore for Cheek {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.fuse.burn("list_dir");
        self.below.lister()?.list_dir(prefix)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        self.fuse.burn("list_prefix");
        self.below.lister()?.list_prefix(prefix)
    }
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.fuse.burn("list");
        self.below.lister()?.list()
    }
}

export_plugin! {
    id: "test.animals",
    BytesToBytes: [Squirrel],
    ArrayToBytes: [Badger],
    ArrayToArray: [Mole],
    DataType: [Toad],
    ChunkGrid: [Spider],
    ChunkKeyEncoding: [Magpie],
    StorageTransformer: [Hamster],
}
