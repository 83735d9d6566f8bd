//! `numcodecs.zlib`: a bytes -> bytes codec. Specification: the page "Zlib" of numcodecs, whose keyword arguments are
//! the configuration, and RFC 1950.
//!
//! The encoded bytes are one stream, with nothing after it. Level -1 is zlib's default, currently 6.
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numcodecs.zlib", "configuration": {"level": 1}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numcodecs.zlib");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use flate2::{Compression, Decompress, FlushDecompress, Status, write::ZlibEncoder};
use serde::{Deserialize, Serialize};
use std::io::Write;
use zarr_plugin_api::{BytesToBytes, CallContext, CreateContext, Error, ExtensionType, OutputBuffer, Result, Size};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default = "one")]
    level: i32,
    /// Python programs leave this member in configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

fn one() -> i32 {
    1
}

#[derive(Debug)]
struct Zlib {
    configuration: Configuration,
    level: Compression,
    decoded: Size,
}

impl ExtensionType for Zlib {
    const NAME: &'static str = "numcodecs.zlib";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let level = match (configuration.level, u32::try_from(configuration.level)) {
            (-1, _) => Compression::default(),
            (_, Ok(level @ 0..=9)) => Compression::new(level),
            (level, _) => return Err(Error::configuration(format!("{level} is out of range for `level` (-1 to 9)"))),
        };
        Ok(Self { configuration, level, decoded: cx.size })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl BytesToBytes for Zlib {
    fn encoded_size(&self, decoded: Size) -> Size {
        // Stored blocks need five bytes for each 16 KiB; header and checksum need 6.
        decoded.bound().map(|n| n.checked_add(n / 16_000 * 5 + 64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let mut encoder = ZlibEncoder::new(out, self.level);
        encoder.write_all(decoded)?;
        encoder.finish()?;
        Ok(())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let mut stream = Stream { inflate: Decompress::new(true), rest: encoded, ended: false };
        // A known size is requested at once, an unknown one in increasing pieces.
        let exact = matches!(self.decoded, Size::Exact(_));
        let first = if exact { out.left() } else { encoded.len() as u64 };
        out.read_all(first, |space| stream.fill(space))?;
        stream.finish()
    }
}

struct Stream<'e> {
    inflate: Decompress,
    rest: &'e [u8],
    ended: bool,
}

impl Stream<'_> {
    /// Decodes until the space is full or the stream ends. Input that ends before the stream is an error, which the
    /// readers of flate2 would treat as the end.
    fn fill(&mut self, space: &mut [u8]) -> Result<usize> {
        let mut at = 0;
        while at < space.len() && !self.ended {
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(self.rest, &mut space[at..], FlushDecompress::None);
            let status = status.map_err(|e| Error::data(format!("invalid zlib stream: {e}")))?;
            let (read, written) = (self.inflate.total_in() - read, self.inflate.total_out() - written);
            self.rest = self.rest.get(read as usize..).unwrap_or_default();
            self.ended = status == Status::StreamEnd;
            at += written as usize;
            if read == 0 && written == 0 && !self.ended {
                return Err(Error::data("the zlib stream is truncated"));
            }
        }
        Ok(at)
    }
    fn finish(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            n => Err(Error::data(format!("{n} unexpected bytes after the zlib stream"))),
        }
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.numcodecs-zlib", BytesToBytes: [Zlib] }

#[cfg(test)]
mod tests;
