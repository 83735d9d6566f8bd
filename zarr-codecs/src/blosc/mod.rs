//! `blosc`: a bytes -> bytes codec that shuffles and compresses in blocks. Specification: "Blosc codec".
//!
//! For a new array, what is left out is chosen from the data type and written out. Stored metadata must have it all;
//! only without shuffle `typesize` means nothing.
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "blosc", "configuration": {
//!     "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "blosc");
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod ffi;
mod header;
#[cfg(test)]
mod tests;

use header::Header;
use serde::{Deserialize, Deserializer, Serialize};
use std::ffi::CStr;
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::BytesToBytes,
    registry::{CreateContext, ExtensionType},
    representation::{Representation, Size},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Compressor {
    Lz4,
    Lz4hc,
    Blosclz,
    Zstd,
    Snappy,
    Zlib,
}

impl Compressor {
    fn name(self) -> &'static CStr {
        match self {
            Self::Lz4 => c"lz4",
            Self::Lz4hc => c"lz4hc",
            Self::Blosclz => c"blosclz",
            Self::Zstd => c"zstd",
            Self::Snappy => c"snappy",
            Self::Zlib => c"zlib",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Shuffle {
    #[serde(rename = "noshuffle")]
    None = 0,
    #[serde(rename = "shuffle")]
    Bytes = 1,
    #[serde(rename = "bitshuffle")]
    Bits = 2,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    cname: Option<Compressor>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    clevel: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    shuffle: Option<Shuffle>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    typesize: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    blocksize: Option<u32>,
}

/// A member that may be left out, but is not `null`.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(d: D) -> Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

#[derive(Debug)]
struct Blosc {
    written: Configuration,
    compressor: Compressor,
    level: u8,
    shuffle: Shuffle,
    type_size: u32,
    block_size: u32,
    decoded: Size,
}

impl ExtensionType for Blosc {
    const NAME: &'static str = "blosc";
    type Configuration = Configuration;
    fn create(mut c: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        if cx.intent.is_create() {
            let size = cx.representation.map_or(1, Representation::element_size) as u32;
            let type_size = *c.typesize.get_or_insert(size.clamp(1, 255));
            c.cname.get_or_insert(Compressor::Lz4);
            c.clevel.get_or_insert(5);
            c.shuffle.get_or_insert(if type_size > 1 { Shuffle::Bytes } else { Shuffle::Bits });
            c.blocksize.get_or_insert(0);
        }
        let missing = |member| Error::configuration(format!("`{member}` is missing"));
        let compressor = c.cname.ok_or_else(|| missing("cname"))?;
        let level = c.clevel.ok_or_else(|| missing("clevel"))?;
        let shuffle = c.shuffle.ok_or_else(|| missing("shuffle"))?;
        let block_size = c.blocksize.ok_or_else(|| missing("blocksize"))?;
        let type_size = match (shuffle, c.typesize) {
            (Shuffle::None, size) => size.unwrap_or(1).max(1),
            (_, Some(size)) if size > 0 => size,
            (_, Some(_)) => return Err(Error::configuration("`typesize` must be greater than zero")),
            (_, None) => {
                let e = Error::configuration("`typesize` is missing");
                return Err(e.with_hint("it is needed unless `shuffle` is \"noshuffle\""));
            }
        };
        if level > 9 {
            return Err(Error::configuration(format!("`clevel` is from 0 to 9, not {level}")));
        }
        if i32::try_from(block_size).is_err() {
            return Err(Error::configuration(format!("`blocksize` is less than 2^31, not {block_size}")));
        }
        if compressor == Compressor::Snappy && !cfg!(feature = "snappy") {
            let e = Error::configuration("this program was built without snappy");
            return Err(e.with_hint("build with the feature `snappy` of zarr-codecs"));
        }
        Ok(Self { written: c, compressor, level, shuffle, type_size, block_size, decoded: cx.size })
    }
    fn configuration(&self) -> Configuration {
        self.written
    }
}

impl BytesToBytes for Blosc {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.bound().map(|n| n.checked_add(ffi::OVERHEAD as u64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        if decoded.len() > ffi::MAX_BYTES {
            let e = Error::data(format!("{} bytes are more than a container holds", decoded.len()));
            return Err(e.with_hint("use smaller chunks"));
        }
        let parameters = ffi::Parameters {
            compressor: self.compressor.name(),
            level: self.level,
            shuffle: self.shuffle as i32,
            // The container has one byte for it; beyond that elements are taken as bytes.
            type_size: if self.type_size > 255 { 1 } else { self.type_size as usize },
            block_size: self.block_size as usize,
        };
        let room = decoded.len() + ffi::OVERHEAD;
        let written = ffi::compress(&parameters, decoded, out.space(room)?)?;
        out.unused(room - written);
        Ok(())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let header = Header::check(encoded)?;
        let exact = if let Size::Exact(n) = self.decoded { n } else { header.decoded };
        if header.decoded != exact || header.decoded > out.left() {
            return Err(Error::data(format!("decodes to {} bytes, more or less than it should", header.decoded)));
        }
        let room = header.decoded as usize;
        if room == 0 {
            return Ok(());
        }
        let written = ffi::decompress(encoded, out.space(room)?)?;
        if written != room {
            return Err(Error::data(format!("decodes to {written} bytes, the header says {room}")));
        }
        Ok(())
    }
}

zarr_core::register!(BytesToBytes: Blosc);
