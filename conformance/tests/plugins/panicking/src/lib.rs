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

/// A payload of a panic that panics when it is dropped.
struct PanickingPayload;
impl Drop for PanickingPayload {
    fn drop(&mut self) {
        panic!("the payload");
    }
}

/// An error whose formatting panics.
#[derive(Debug)]
struct PanickingDisplay;
impl std::fmt::Display for PanickingDisplay {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("in display of an error");
    }
}
impl std::error::Error for PanickingDisplay {}

#[derive(Debug, Clone)]
struct Trigger(Configuration);
impl Trigger {
    fn reached(&self, at: &str) {
        if self.0.at == at {
            panic!("in {at}");
        }
        if self.0.at == format!("payload in {at}") {
            std::panic::panic_any(PanickingPayload);
        }
    }
}

macro_rules! panicking {
    ($name:ident, $text:literal) => {
        #[derive(Debug)]
        #[allow(dead_code, reason = "some kinds need no representation")]
        struct $name(Trigger, Option<Representation>);
        impl ExtensionType for $name {
            const NAME: &'static str = $text;
            type Configuration = Configuration;
            fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
                let trigger = Trigger(configuration);
                trigger.reached("create");
                Ok(Self(trigger, cx.representation.cloned()))
            }
            fn configuration(&self) -> Configuration {
                self.0.reached("configuration");
                self.0.0.clone()
            }
        }
        impl Drop for $name {
            fn drop(&mut self) {
                self.0.reached("drop");
            }
        }
    };
}

panicking!(PanickingBytesToBytes, "panicking.bytes-to-bytes");
impl BytesToBytes for PanickingBytesToBytes {
    fn encoded_size(&self, decoded: Size) -> Size {
        self.0.reached("encoded_size");
        decoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.reached("encode");
        if self.0.0.at == "display of an error" {
            return Err(ErrorKind::Plugin(Box::new(PanickingDisplay)).into());
        }
        call.each(0..4, 1, &|i| {
            if i == 3 {
                self.0.reached("threads");
            }
            Ok(())
        })?;
        out.extend(decoded)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.reached("decode");
        out.extend(encoded)
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        self.0.reached("decoded_source");
        Some(Box::new(DecodedSource { of: encoded, trigger: &self.0 }))
    }
}
struct DecodedSource<'s> {
    of: &'s dyn Source,
    trigger: &'s Trigger,
}
impl Source for DecodedSource<'_> {
    fn read(&self, ranges: &[ByteRange], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        self.trigger.reached("read");
        self.of.read(ranges, &mut |i, bytes| {
            self.trigger.reached("each");
            each(i, bytes)
        })
    }
}

panicking!(PanickingArrayToBytes, "panicking.array-to-bytes");
impl ArrayToBytes for PanickingArrayToBytes {
    fn encoded_size(&self) -> Size {
        self.0.reached("encoded_size");
        Size::Unknown
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        self.0.reached("encode");
        let size = decoded.count() * decoded.element_size();
        ViewMut::new(out.space(size)?, &decoded.shape(), decoded.element_size())?.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        self.0.reached("decode");
        let (shape, size) = (out.shape(), out.element_size());
        out.copy_from(&View::new(encoded, &shape, size)?, 1)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        self.0.reached("partial_decode");
        Some(self)
    }
    fn partial_encode(&self) -> Option<&dyn PartialEncode> {
        self.0.reached("partial_encode");
        Some(self)
    }
    fn raw(&self) -> Option<usize> {
        self.0.reached("raw");
        None
    }
    fn inner_chunk_shape(&self) -> Option<&[u64]> {
        self.0.reached("inner_chunk_shape");
        (self.0.0.at == "wrong rank").then_some(&[1])
    }
}
impl PartialDecode for PanickingArrayToBytes {
    fn decode_region(&self, _: &CallContext<'_>, source: &dyn Source, _: &Region, _: ViewMut<'_>) -> Result<()> {
        self.0.reached("decode_region");
        source.cached((7, 0), 1, &mut || {
            self.0.reached("cached");
            Ok(Arc::new(5u8))
        })?;
        source.read(&[ByteRange::All], &mut |_, _| {
            self.0.reached("each");
            Ok(())
        })
    }
}
impl PartialEncode for PanickingArrayToBytes {
    fn update_region(
        &self,
        _: &CallContext<'_>,
        _: Option<&dyn Source>,
        _: &Region,
        _: &View<'_>,
        _: &mut OutputBuffer<'_>,
    ) -> Result<Encoded> {
        self.0.reached("update_region");
        Ok(Encoded::Fill)
    }
}

panicking!(PanickingArrayToArray, "panicking.array-to-array");
impl ArrayToArray for PanickingArrayToArray {
    fn encoded_representation(&self) -> &Representation {
        self.0.reached("encoded_representation");
        self.1.as_ref().unwrap()
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        self.0.reached("encode");
        encoded.copy_from(decoded, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, mut decoded: ViewMut<'_>) -> Result<()> {
        self.0.reached("decode");
        decoded.copy_from(encoded, 1)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        self.0.reached("decode_strategy");
        match &*self.0.0.at {
            "decode_in_place" => DecodeStrategy::InPlace,
            "short order" => DecodeStrategy::Permute(&[0]),
            _ => DecodeStrategy::Copy,
        }
    }
    fn decode_in_place(&self, _: &CallContext<'_>, _: ViewMut<'_>) -> Result<()> {
        self.0.reached("decode_in_place");
        Ok(())
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        self.0.reached("encoded_region");
        if self.0.0.at == "long region" {
            return Region::new(&[0; 64], &[1; 64]).ok();
        }
        Some(decoded.clone())
    }
}

panicking!(PanickingDataType, "panicking.data-type");
impl DataType for PanickingDataType {
    fn layout(&self) -> Layout {
        self.0.reached("layout");
        Layout::scalar(ScalarKind::UInt, 1)
    }
    fn fill_from_json(&self, json: &Json) -> Result<Vec<u8>> {
        self.0.reached("fill_from_json");
        match json.as_u64() {
            Some(_) => Ok(vec![0]),
            None => Err(ErrorKind::FillValue(format!("{json} is not a number")).into()),
        }
    }
    fn fill_to_json(&self, _: &[u8]) -> Result<Json> {
        self.0.reached("fill_to_json");
        Ok(Json::from(0))
    }
    fn default_fill(&self) -> Json {
        self.0.reached("default_fill");
        Json::from(0)
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        Some(self)
    }
}
impl CheckElements for PanickingDataType {
    fn check_elements(&self, _: &[u8]) -> Result<()> {
        self.0.reached("check_elements");
        Ok(())
    }
}

panicking!(PanickingChunkGrid, "panicking.chunk-grid");
impl ChunkGrid for PanickingChunkGrid {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.0.reached("grid_shape");
        Ok(array_shape.into())
    }
    fn chunk_region(&self, _: &[u64], chunk_index: &[u64]) -> Result<Region> {
        self.0.reached("chunk_region");
        Region::new(chunk_index, &vec![1; chunk_index.len()])
    }
    fn chunk_index_of(&self, _: &[u64], element: &[u64]) -> Result<Dims> {
        self.0.reached("chunk_index_of");
        Ok(element.into())
    }
    fn resized(&self, _: &[u64], _: &[u64]) -> Result<Option<Object>> {
        self.0.reached("resized");
        Ok(None)
    }
    fn axis(&self, _: usize) -> Option<AxisChunks<'_>> {
        self.0.reached("axis");
        Some(AxisChunks::Regular(1))
    }
}

panicking!(PanickingChunkKeyEncoding, "panicking.chunk-key-encoding");
impl ChunkKeyEncoding for PanickingChunkKeyEncoding {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        self.0.reached("encode");
        Ok(format!("{chunk_index:?}"))
    }
    fn decode(&self, _: &str, _: usize) -> Option<Dims> {
        self.0.reached("decode");
        None
    }
}

panicking!(PanickingStorageTransformer, "panicking.storage-transformer");
impl StorageTransformer for PanickingStorageTransformer {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        self.0.reached("wrap");
        Ok(Arc::new(PanickingStore { below, trigger: self.0.clone() }))
    }
}
#[derive(Debug)]
struct PanickingStore {
    below: Arc<dyn Store>,
    trigger: Trigger,
}
impl Drop for PanickingStore {
    fn drop(&mut self) {
        self.trigger.reached("drop of the store");
    }
}
impl Store for PanickingStore {
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
        self.trigger.reached("uri");
        self.below.uri(prefix)
    }
}
impl ReadableStore for PanickingStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        self.trigger.reached("open");
        let Some(of) = self.below.reader()?.open(key)? else { return Ok(None) };
        Ok(Some(Box::new(StoredSource { of, trigger: &self.trigger })))
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        self.trigger.reached("get");
        self.below.reader()?.get(key)
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.trigger.reached("get_partial_values");
        self.below.reader()?.get_partial_values(ranges)
    }
}
struct StoredSource<'s> {
    of: Box<dyn Source + 's>,
    trigger: &'s Trigger,
}
impl Source for StoredSource<'_> {
    fn read(&self, ranges: &[ByteRange], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        self.trigger.reached("read");
        match &*self.trigger.0.at {
            "silence" => Ok(()),
            "another number" => each(77, &[0; 5]),
            _ => self.of.read(ranges, each),
        }
    }
}
impl Drop for StoredSource<'_> {
    fn drop(&mut self) {
        self.trigger.reached("drop of the reader");
    }
}
impl WriteableStore for PanickingStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        self.trigger.reached("set");
        self.below.writer()?.set(key, value)
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        self.trigger.reached("set_if_absent");
        self.below.writer()?.set_if_absent(key, value)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        self.trigger.reached("store update");
        self.below.writer()?.update(key, change)
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        self.trigger.reached("set_partial_values");
        self.below.writer()?.set_partial_values(parts)
    }
    fn erase(&self, key: &Key) -> Result<()> {
        self.trigger.reached("erase");
        self.below.writer()?.erase(key)
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        self.trigger.reached("erase_prefix");
        self.below.writer()?.erase_prefix(prefix)
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        self.trigger.reached("erase_values");
        self.below.writer()?.erase_values(keys)
    }
}
impl ListableStore for PanickingStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        self.trigger.reached("list_dir");
        self.below.lister()?.list_dir(prefix)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        self.trigger.reached("list_prefix");
        self.below.lister()?.list_prefix(prefix)
    }
    fn list(&self) -> Result<BTreeSet<Key>> {
        self.trigger.reached("list");
        self.below.lister()?.list()
    }
}

export_plugin! {
    id: "test.panicking",
    BytesToBytes: [PanickingBytesToBytes],
    ArrayToBytes: [PanickingArrayToBytes],
    ArrayToArray: [PanickingArrayToArray],
    DataType: [PanickingDataType],
    ChunkGrid: [PanickingChunkGrid],
    ChunkKeyEncoding: [PanickingChunkKeyEncoding],
    StorageTransformer: [PanickingStorageTransformer],
}
