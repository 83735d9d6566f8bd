//! `gzip`: a bytes -> bytes codec. Specification: "Gzip codec".
//!
//! Several members one after another are read as one, as RFC 1952 has it.
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "gzip", "configuration": {"level": 5}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "gzip");
//! # Ok::<(), zarr_core::Error>(())
//! ```

use flate2::{Compression, GzBuilder, bufread::MultiGzDecoder};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use zarr_core::{
    Error, Result,
    call::{Call, Out},
    codec::BytesToBytes,
    registry::{Named, Site},
    representation::Size,
};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    level: u32,
}

#[derive(Debug)]
struct Gzip {
    level: u32,
    decoded: Size,
}

impl Named for Gzip {
    const NAME: &'static str = "gzip";
    type Configuration = Configuration;
    fn create(configuration: Configuration, site: &Site<'_>) -> Result<Self> {
        let level = configuration.level;
        if level > 9 {
            return Err(Error::configuration(format!("`level` is from 0 to 9, not {level}")));
        }
        Ok(Self { level, decoded: site.size })
    }
    fn configuration(&self) -> Configuration {
        Configuration { level: self.level }
    }
}

impl BytesToBytes for Gzip {
    fn encoded_size(&self, decoded: Size) -> Size {
        // Stored blocks cost five bytes for each 16 KiB; header and trailer 18.
        decoded.bound().map(|n| n.checked_add(n / 16_000 * 5 + 64))
    }
    fn encode(&self, _: &Call<'_>, decoded: &[u8], out: &mut Out<'_>) -> Result<()> {
        let mut encoder = GzBuilder::new().mtime(0).write(out, Compression::new(self.level));
        encoder.write_all(decoded)?;
        encoder.finish()?;
        Ok(())
    }
    fn decode(&self, _: &Call<'_>, encoded: &[u8], out: &mut Out<'_>) -> Result<()> {
        if encoded.is_empty() {
            return Err(Error::data("no bytes are no gzip member"));
        }
        let mut decoder = MultiGzDecoder::new(encoded);
        // With the size known all of it is asked for at once; otherwise ever larger pieces.
        let exact = matches!(self.decoded, Size::Exact(_));
        let first = if exact { out.left() } else { encoded.len() as u64 };
        out.read_all(first, |space| fill(&mut decoder, space))
    }
}

/// Reads until the space is full or the end is reached, where the sums are checked.
fn fill(decoder: &mut impl Read, space: &mut [u8]) -> Result<usize> {
    let mut at = 0;
    while at < space.len() {
        match decoder.read(&mut space[at..]).map_err(|e| damaged(&e))? {
            0 => break,
            n => at += n,
        }
    }
    Ok(at)
}

fn damaged(e: &io::Error) -> Error {
    Error::data(format!("no valid gzip: {e}"))
}

zarr_core::register!(BytesToBytes: Gzip);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bytes_codec, check_bytes_codec, decode, encode};

    const FIVE: &str = r#"{"name":"gzip","configuration":{"level":5}}"#;

    #[test]
    fn laws() {
        for level in [0, 1, 9] {
            check_bytes_codec(&format!(r#"{{"name":"gzip","configuration":{{"level":{level}}}}}"#), true);
        }
    }

    #[test]
    fn several_members() {
        let codec = bytes_codec(FIVE, Size::Exact(6)).unwrap();
        let both = [encode(&*codec, b"abc"), encode(&*codec, b"def")].concat();
        assert_eq!(decode(&*codec, &both, Some(6)).unwrap(), b"abcdef");
        assert_eq!(decode(&*codec, &both, None).unwrap(), b"abcdef");
        assert!(decode(&*codec, &both, Some(5)).is_err());
        assert!(decode(&*codec, &[&both[..], b"garbage"].concat(), Some(6)).is_err());
    }

    #[test]
    fn levels() {
        for bad in ["10", "-1", "\"5\"", "5.5", "null"] {
            let json = format!(r#"{{"name":"gzip","configuration":{{"level":{bad}}}}}"#);
            assert!(bytes_codec(&json, Size::Unknown).is_err(), "{bad}");
        }
        assert!(bytes_codec("\"gzip\"", Size::Unknown).is_err());
    }
}
