//! The codec `crc32c`: a bytes -> bytes codec that appends a checksum. Specification: "CRC32C checksum codec".
//!
//! Reading verifies the checksum, even if only a part of the chunk is needed. The only exception is a checksum that
//! follows a whole shard: reading some of the inner chunks does not read the whole shard, and so does not verify it.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs::Bytes;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "crc32c"}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[Bytes::little().into(), codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::BytesToBytes,
    extension::Extension,
    json::Object,
    registry::{CreateContext, ExtensionType, NoConfiguration},
    representation::Size,
    source::{Source, Window},
};

/// The size of the checksum in bytes.
const SUM: usize = 4;

/// The codec `crc32c`, which appends a checksum and verifies it.
///
/// It has no configuration.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::Crc32c;
/// let json = br#"{"name": "crc32c"}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(Crc32c), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "NoConfiguration", into = "NoConfiguration")]
pub struct Crc32c;

impl From<NoConfiguration> for Crc32c {
    fn from(_: NoConfiguration) -> Self {
        Self
    }
}
impl From<Crc32c> for NoConfiguration {
    fn from(_: Crc32c) -> Self {
        Self {}
    }
}
impl From<Crc32c> for Extension {
    fn from(_: Crc32c) -> Self {
        Self::new("crc32c", Object::new())
    }
}

#[derive(Debug)]
struct Crc32cCodec;

impl ExtensionType for Crc32cCodec {
    const NAME: &'static str = "crc32c";
    type Configuration = Crc32c;
    fn create(_: Crc32c, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> Crc32c {
        Crc32c
    }
}

impl BytesToBytes for Crc32cCodec {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.map(|n| n.checked_add(SUM as u64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        out.extend(decoded)?;
        out.extend(&::crc32c::crc32c(decoded).to_le_bytes())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let Some((bytes, sum)) = encoded.split_last_chunk::<SUM>() else {
            return Err(Error::data(format!("{} bytes are too few for a checksum", encoded.len())));
        };
        let (found, stored) = (::crc32c::crc32c(bytes), u32::from_le_bytes(*sum));
        if found != stored {
            return Err(Error::data(format!("checksum mismatch: computed {found:#010x}, stored {stored:#010x}")));
        }
        out.alias_input(0..bytes.len());
        Ok(())
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        Some(Box::new(Window::Trim { of: encoded, end: SUM as u64 }))
    }
}

zarr_core::register!(BytesToBytes: Crc32cCodec);

#[cfg(test)]
mod tests {
    use super::*;
    use zarr_core::testing::Bench;

    #[test]
    fn known_sums() {
        let codec = Bench::new().bytes_codec("\"crc32c\"", Size::Exact(9)).unwrap();
        assert_eq!(codec.encode(b"123456789").unwrap()[9..], 0xE306_9283u32.to_le_bytes());
        let golden = [1, 2, 3, 250, 0xa6, 0x5c, 0x26, 0x76];
        assert_eq!(codec.decode(&golden).unwrap(), [1, 2, 3, 250]);
    }

    #[test]
    fn damage_is_detected() {
        Bench::new().bytes_codec("crc32c", Size::Unknown).unwrap().assert_round_trips().assert_rejects_damage();
    }
}
