//! `crc32c`: a bytes -> bytes codec that appends a checksum. Specification: "CRC32C checksum codec".
//!
//! Reading verifies the sum, also when only a part of the chunk is wanted. One exception: reading some of the inner
//! chunks of a shard does not read the whole of it, and so cannot see a sum that follows the shard.
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! assert_eq!(Extension::parse(&Json::parse(br#"{"name": "crc32c"}"#, &Default::default())?)?.name(), "crc32c");
//! # Ok::<(), zarr_core::Error>(())
//! ```

use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::BytesToBytes,
    registry::{CreateContext, ExtensionType, NoConfiguration},
    representation::Size,
    source::{Source, Window},
};

/// Bytes of the sum.
const SUM: usize = 4;

#[derive(Debug)]
struct Crc32c;

impl ExtensionType for Crc32c {
    const NAME: &'static str = "crc32c";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl BytesToBytes for Crc32c {
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
            return Err(Error::data(format!("the checksum is {found:#010x}, stored is {stored:#010x}")));
        }
        out.alias_input(0..bytes.len());
        Ok(())
    }
    fn decoded_source<'s>(&'s self, encoded: &'s dyn Source) -> Option<Box<dyn Source + 's>> {
        Some(Box::new(Window::Trim { of: encoded, end: SUM as u64 }))
    }
}

zarr_core::register!(BytesToBytes: Crc32c);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bytes_codec, decode, encode};

    #[test]
    fn known_sums() {
        let codec = bytes_codec("\"crc32c\"", Size::Exact(9)).unwrap();
        assert_eq!(encode(&*codec, b"123456789")[9..], 0xE306_9283u32.to_le_bytes());
        let golden = [1, 2, 3, 250, 0xa6, 0x5c, 0x26, 0x76];
        assert_eq!(decode(&*codec, &golden, None).unwrap(), [1, 2, 3, 250]);
    }

    #[test]
    fn damage_is_noticed() {
        let codec = bytes_codec("\"crc32c\"", Size::Unknown).unwrap();
        let good = encode(&*codec, b"some bytes");
        for n in 0..good.len() {
            assert!(decode(&*codec, &good[..n], None).is_err());
            let mut bad = good.clone();
            bad[n] ^= 0x10;
            assert!(decode(&*codec, &bad, None).is_err());
        }
    }
}
