//! `numcodecs.lz4`: a bytes -> bytes codec. Specification: the page "LZ4" of numcodecs, whose keyword arguments are the
//! configuration.
//!
//! The encoded bytes are the number of decoded bytes as 32 bits, little endian, and one LZ4 block (not a frame).
//! `acceleration` is preserved in the metadata, but has no effect in this compressor.
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numcodecs.lz4");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use serde::{Deserialize, Serialize};
use zarr_plugin_api::{BytesToBytes, CallContext, CreateContext, Error, ExtensionType, OutputBuffer, Result, Size};

/// The length of the decoded size in bytes.
const HEADER: usize = 4;
/// The maximum number of bytes that LZ4 can encode at once.
const MAX_DECODED: u64 = 0x7E00_0000;
/// The maximum number of bytes that one byte of a block decodes to.
const MAX_RATIO: u64 = 255;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    /// A value that is not positive means 1.
    #[serde(default = "one")]
    acceleration: i64,
    /// Python programs leave this member in configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

fn one() -> i64 {
    1
}

#[derive(Debug)]
struct Lz4 {
    configuration: Configuration,
}

impl ExtensionType for Lz4 {
    const NAME: &'static str = "numcodecs.lz4";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        match cx.size {
            Size::Exact(n) if n > MAX_DECODED => Err(too_large(n)),
            _ => Ok(Self { configuration }),
        }
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl BytesToBytes for Lz4 {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.bound().map(|n| {
            let block = get_maximum_output_size(usize::try_from(n.min(MAX_DECODED)).ok()?);
            block.checked_add(HEADER).map(|n| n as u64)
        })
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let size = u32::try_from(decoded.len()).ok().filter(|n| u64::from(*n) <= MAX_DECODED);
        let size = size.ok_or_else(|| too_large(decoded.len() as u64))?;
        out.extend(&size.to_le_bytes())?;
        let space = out.space(get_maximum_output_size(decoded.len()))?;
        let all = space.len();
        let used = compress_into(decoded, space).map_err(|e| Error::argument(format!("LZ4: {e}")))?;
        out.unused(all - used);
        Ok(())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let Some((size, block)) = encoded.split_first_chunk::<HEADER>() else {
            return Err(Error::data(format!("{} bytes are too short for the header", encoded.len())));
        };
        let size = u32::from_le_bytes(*size);
        if u64::from(size) > out.left() {
            return Err(Error::data(format!("unexpected decoded size of {size} bytes in the header")));
        }
        if u64::from(size) > (block.len() as u64).saturating_mul(MAX_RATIO) {
            return Err(Error::data(format!("a block of {} bytes cannot decode to {size} bytes", block.len())));
        }
        // At most the remaining room, as checked above, so it fits memory.
        let space = out.space(size as usize)?;
        let wanted = space.len();
        let found = decompress_into(block, space).map_err(|e| Error::data(format!("invalid LZ4 block: {e}")))?;
        if found != wanted {
            return Err(Error::data(format!("the decoded size is {found} bytes, but the header says {size}")));
        }
        Ok(())
    }
}

fn too_large(n: u64) -> Error {
    Error::chain(format!("{n} bytes are too large for LZ4, which supports at most {MAX_DECODED}"))
        .with_hint("use smaller chunks")
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.numcodecs-lz4", BytesToBytes: [Lz4] }

#[cfg(test)]
mod tests;
