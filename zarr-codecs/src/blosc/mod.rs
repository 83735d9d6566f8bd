//! The codec `blosc`: a bytes -> bytes codec that shuffles and compresses in blocks. Specification: "Blosc codec".
//!
//! For a new array, omitted members are chosen from the data type and recorded. Stored metadata must have all members,
//! except `typesize` if there is no shuffle.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs::Bytes;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "blosc", "configuration": {
//!     "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[Bytes::little().into(), codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod ffi;
mod header;
#[cfg(test)]
mod tests;

use crate::member::{extension, present};
use header::Header;
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::BytesToBytes,
    extension::Extension,
    json::Json,
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
    fn as_str(self) -> &'static str {
        match self {
            Self::Lz4 => "lz4",
            Self::Lz4hc => "lz4hc",
            Self::Blosclz => "blosclz",
            Self::Zstd => "zstd",
            Self::Snappy => "snappy",
            Self::Zlib => "zlib",
        }
    }
}

/// The rearrangement of bytes or bits before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shuffle {
    /// No rearrangement.
    #[serde(rename = "noshuffle")]
    None = 0,
    /// The first bytes of all elements, then their second bytes, and so on.
    #[serde(rename = "shuffle")]
    Byte = 1,
    /// The first bits of all elements, then their second bits, and so on.
    #[serde(rename = "bitshuffle")]
    Bit = 2,
}

/// The codec `blosc`, which rearranges elements and compresses them, in blocks.
///
/// Omitted members are chosen when an array is created: LZ4, level 5, the element size of the array, and shuffling by
/// bytes, or by bits if elements have one byte. The default omits all members.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::{Blosc, Shuffle};
/// let json = br#"{"name": "blosc", "configuration": {
///     "cname": "zstd", "clevel": 3, "shuffle": "bitshuffle", "typesize": 2, "blocksize": 0}}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(
///     Blosc::zstd().level(3).shuffle(Shuffle::Bit).type_size(2).block_size(0)
/// ), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blosc {
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

impl Blosc {
    fn with(compressor: Compressor) -> Self {
        Self { cname: Some(compressor), ..Self::default() }
    }
    /// Compresses with LZ4: fast.
    pub fn lz4() -> Self {
        Self::with(Compressor::Lz4)
    }
    /// Compresses with LZ4 HC: slower and smaller than LZ4, and as fast to decompress.
    pub fn lz4hc() -> Self {
        Self::with(Compressor::Lz4hc)
    }
    /// Compresses with BloscLZ, the compressor of Blosc itself.
    pub fn blosclz() -> Self {
        Self::with(Compressor::Blosclz)
    }
    /// Compresses with Zstandard.
    pub fn zstd() -> Self {
        Self::with(Compressor::Zstd)
    }
    /// Compresses with zlib.
    pub fn zlib() -> Self {
        Self::with(Compressor::Zlib)
    }
    /// Compresses with Snappy. Needs the `snappy` feature.
    #[cfg(feature = "snappy")]
    pub fn snappy() -> Self {
        Self::with(Compressor::Snappy)
    }
    /// Sets the level, from 0, which only copies, to 9, the smallest output.
    ///
    /// Creating an array with another level fails.
    pub fn level(self, level: u8) -> Self {
        Self { clevel: Some(level), ..self }
    }
    /// Sets how elements are rearranged before compression.
    pub fn shuffle(self, shuffle: Shuffle) -> Self {
        Self { shuffle: Some(shuffle), ..self }
    }
    /// Sets the size of an element in bytes, for shuffling.
    pub fn type_size(self, bytes: u32) -> Self {
        Self { typesize: Some(bytes), ..self }
    }
    /// Sets the size of a block in bytes; 0 lets Blosc choose.
    pub fn block_size(self, bytes: u32) -> Self {
        Self { blocksize: Some(bytes), ..self }
    }
}
impl From<Blosc> for Extension {
    fn from(blosc: Blosc) -> Self {
        let shuffle = |shuffle| match shuffle {
            Shuffle::None => "noshuffle",
            Shuffle::Byte => "shuffle",
            Shuffle::Bit => "bitshuffle",
        };
        extension(
            "blosc",
            [
                ("cname", blosc.cname.map(|c| c.as_str().into())),
                ("clevel", blosc.clevel.map(Json::from)),
                ("shuffle", blosc.shuffle.map(|s| shuffle(s).into())),
                ("typesize", blosc.typesize.map(Json::from)),
                ("blocksize", blosc.blocksize.map(Json::from)),
            ],
        )
    }
}

#[derive(Debug)]
struct BloscCodec {
    written: Blosc,
    compressor: Compressor,
    level: u8,
    shuffle: Shuffle,
    type_size: u32,
    block_size: u32,
    decoded: Size,
}

impl ExtensionType for BloscCodec {
    const NAME: &'static str = "blosc";
    type Configuration = Blosc;
    fn create(mut c: Blosc, cx: &CreateContext<'_>) -> Result<Self> {
        if cx.intent.is_create() {
            let size = cx.representation.map_or(1, Representation::element_size) as u32;
            let type_size = *c.typesize.get_or_insert(size.clamp(1, 255));
            c.cname.get_or_insert(Compressor::Lz4);
            c.clevel.get_or_insert(5);
            c.shuffle.get_or_insert(if type_size > 1 { Shuffle::Byte } else { Shuffle::Bit });
            c.blocksize.get_or_insert(0);
        }
        let missing = |member| Error::configuration(format!("missing member `{member}`"));
        let compressor = c.cname.ok_or_else(|| missing("cname"))?;
        let level = c.clevel.ok_or_else(|| missing("clevel"))?;
        let shuffle = c.shuffle.ok_or_else(|| missing("shuffle"))?;
        let block_size = c.blocksize.ok_or_else(|| missing("blocksize"))?;
        let type_size = match (shuffle, c.typesize) {
            (Shuffle::None, size) => size.unwrap_or(1).max(1),
            (_, Some(size)) if size > 0 => size,
            (_, Some(_)) => return Err(Error::configuration("`typesize` must be greater than zero")),
            (_, None) => {
                let e = Error::configuration("missing member `typesize`");
                return Err(e.with_hint("set `typesize` to the element size in bytes, or `shuffle` to \"noshuffle\""));
            }
        };
        if level > 9 {
            return Err(Error::configuration(format!("{level} is out of range for `clevel` (0 to 9)")));
        }
        if i32::try_from(block_size).is_err() {
            return Err(Error::configuration(format!("{block_size} is out of range for `blocksize` (0 to 2^31 - 1)")));
        }
        if compressor == Compressor::Snappy && !cfg!(feature = "snappy") {
            let e = Error::configuration("this program was built without the compressor `snappy`");
            return Err(e.with_hint("enable the Cargo feature `snappy` of `ozarr`"));
        }
        Ok(Self { written: c, compressor, level, shuffle, type_size, block_size, decoded: cx.size })
    }
    fn configuration(&self) -> Blosc {
        self.written
    }
}

impl BytesToBytes for BloscCodec {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.bound().map(|n| n.checked_add(ffi::OVERHEAD as u64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        if decoded.len() > ffi::MAX_BYTES {
            let e = Error::data(format!("{} bytes are too large for a blosc buffer", decoded.len()));
            return Err(e.with_hint("use smaller chunks"));
        }
        let parameters = ffi::Parameters {
            compressor: self.compressor.name(),
            level: self.level,
            shuffle: self.shuffle as i32,
            // The container has one byte for the size; larger elements are treated as single bytes.
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
            return Err(Error::data(format!(
                "unexpected decoded size of {} bytes in the blosc header",
                header.decoded
            )));
        }
        let room = header.decoded as usize;
        if room == 0 {
            return Ok(());
        }
        let written = ffi::decompress(encoded, out.space(room)?)?;
        if written != room {
            return Err(Error::data(format!("the decoded size is {written} bytes, but the blosc header says {room}")));
        }
        Ok(())
    }
}

zarr_core::register!(BytesToBytes: BloscCodec);
