//! Every built-in extension again as `mirror.<name>`. A plugin with all abilities of the built-in extensions shows
//! whether all of them cross the interface: a mirror must store and read the same as its original.

use std::sync::Arc;
use zarr_codecs as _;
use zarr_plugin_api::{
    ArrayToArray, ArrayToBytes, AxisChunks, BytesToBytes, CallContext, ChunkGrid, ChunkKeyEncoding, CreateContext,
    DataType, DecodeStrategy, Dims, Error, Extension, ExtensionType, Json, Layout, OutputBuffer, PartialDecode,
    PartialEncode, Region, Representation, Result, Size, Source, View, ViewMut, export_plugin,
    zarr_core::{
        data_type::CheckElements,
        json::Object,
        registry::{Constructor, Instance},
    },
};

fn original(name: &str, configuration: &Json) -> Extension {
    Extension::new(name, configuration.as_object().cloned().unwrap_or_default())
}

fn codec<'s>(extension: &Extension, cx: &'s CreateContext<'_>) -> Result<&'s Constructor> {
    let found = cx.registry.codec(extension)?;
    Ok(found.ok_or_else(|| Error::chain("there is nothing to mirror"))?.constructor())
}

macro_rules! mirrors {
    ($kind:ident, $make:ident: $($name:ident $text:literal)*) => { $(
        #[derive(Debug)]
        struct $name(Arc<dyn $kind>, Object);
        impl ExtensionType for $name {
            const NAME: &'static str = concat!("mirror.", $text);
            type Configuration = Json;
            fn create(configuration: Json, cx: &CreateContext<'_>) -> Result<Self> {
                let made = $make(&original($text, &configuration), cx)?;
                let configuration = made.configuration()?;
                Ok(Self(made.object, configuration))
            }
            fn configuration(&self) -> Json {
                Json::Object(self.1.clone())
            }
        }
    )* };
}

fn array_to_bytes(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn ArrayToBytes>> {
    match codec(e, cx)? {
        Constructor::ArrayToBytes(make) => make(e, cx),
        _ => Err(Error::chain("it is of another kind")),
    }
}
mirrors! { ArrayToBytes, array_to_bytes:
    Bytes "bytes"
    Sharding "sharding_indexed"
    VlenUtf8 "vlen-utf8"
    VlenBytes "vlen-bytes"
}
macro_rules! array_to_bytes { ($($name:ident)*) => { $(
    impl ArrayToBytes for $name {
        fn encoded_size(&self) -> Size {
            self.0.encoded_size()
        }
        fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
            self.0.encode(call, decoded, out)
        }
        fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
            self.0.decode(call, encoded, out)
        }
        fn partial_decode(&self) -> Option<&dyn PartialDecode> {
            self.0.partial_decode()
        }
        fn partial_encode(&self) -> Option<&dyn PartialEncode> {
            self.0.partial_encode()
        }
        fn raw(&self) -> Option<usize> {
            self.0.raw()
        }
        fn inner_chunk_shape(&self) -> Option<&[u64]> {
            self.0.inner_chunk_shape()
        }
    }
)* } }
array_to_bytes! { Bytes Sharding VlenUtf8 VlenBytes }

fn bytes_to_bytes(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn BytesToBytes>> {
    match codec(e, cx)? {
        Constructor::BytesToBytes(make) => make(e, cx),
        _ => Err(Error::chain("it is of another kind")),
    }
}
mirrors! { BytesToBytes, bytes_to_bytes:
    Gzip "gzip"
    Zstd "zstd"
    Blosc "blosc"
    Crc32c "crc32c"
}
macro_rules! bytes_to_bytes { ($($name:ident)*) => { $(
    impl BytesToBytes for $name {
        fn encoded_size(&self, decoded: Size) -> Size {
            self.0.encoded_size(decoded)
        }
        fn encode(&self, call: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
            self.0.encode(call, decoded, out)
        }
        fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
            self.0.decode(call, encoded, out)
        }
        fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
            self.0.decoded_source(encoded)
        }
    }
)* } }
bytes_to_bytes! { Gzip Zstd Blosc Crc32c }

fn array_to_array(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn ArrayToArray>> {
    match codec(e, cx)? {
        Constructor::ArrayToArray(make) => make(e, cx),
        _ => Err(Error::chain("it is of another kind")),
    }
}
mirrors! { ArrayToArray, array_to_array: Transpose "transpose" }
impl ArrayToArray for Transpose {
    fn encoded_representation(&self) -> &Representation {
        self.0.encoded_representation()
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, encoded: ViewMut<'_>) -> Result<()> {
        self.0.encode(call, decoded, encoded)
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        self.0.decode(call, encoded, decoded)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        self.0.decode_strategy()
    }
    fn decode_in_place(&self, call: &CallContext<'_>, elements: ViewMut<'_>) -> Result<()> {
        self.0.decode_in_place(call, elements)
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        self.0.encoded_region(decoded)
    }
}

fn data_type(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn DataType>> {
    cx.registry.data_type_at(e, cx)
}
mirrors! { DataType, data_type:
    Bool "bool" Int8 "int8" Int32 "int32" Uint16 "uint16" Uint64 "uint64" Float16 "float16" Float64 "float64"
    Complex64 "complex64" Text "string" ByteStrings "bytes"
}
macro_rules! data_type { ($($name:ident)*) => { $(
    impl DataType for $name {
        fn layout(&self) -> Layout {
            self.0.layout()
        }
        fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
            self.0.fill_from_json(value)
        }
        fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
            self.0.fill_to_json(element)
        }
        fn default_fill(&self) -> Json {
            self.0.default_fill()
        }
        fn check(&self) -> Option<&dyn CheckElements> {
            self.0.check()
        }
    }
)* } }
data_type! { Bool Int8 Int32 Uint16 Uint64 Float16 Float64 Complex64 Text ByteStrings }

fn chunk_grid(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn ChunkGrid>> {
    cx.registry.chunk_grid(e, cx)
}
mirrors! { ChunkGrid, chunk_grid: Regular "regular" }
impl ChunkGrid for Regular {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.0.grid_shape(array_shape)
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        self.0.chunk_region(array_shape, chunk_index)
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        self.0.chunk_index_of(array_shape, element)
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        self.0.resized(array_shape, new_shape)
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        self.0.axis(axis)
    }
}

fn chunk_key_encoding(e: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn ChunkKeyEncoding>> {
    cx.registry.chunk_key_encoding(e, cx)
}
mirrors! { ChunkKeyEncoding, chunk_key_encoding: Default "default" V2 "v2" }
macro_rules! chunk_key_encoding { ($($name:ident)*) => { $(
    impl ChunkKeyEncoding for $name {
        fn encode(&self, chunk_index: &[u64]) -> Result<String> {
            self.0.encode(chunk_index)
        }
        fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
            self.0.decode(key, rank)
        }
    }
)* } }
chunk_key_encoding! { Default V2 }

export_plugin! {
    id: "test.mirror",
    ArrayToBytes: [Bytes, Sharding, VlenUtf8, VlenBytes],
    BytesToBytes: [Gzip, Zstd, Blosc, Crc32c],
    ArrayToArray: [Transpose],
    DataType: [Bool, Int8, Int32, Uint16, Uint64, Float16, Float64, Complex64, Text, ByteStrings],
    ChunkGrid: [Regular],
    ChunkKeyEncoding: [Default, V2],
}
