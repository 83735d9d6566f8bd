//! `zarr.fan-out`: a chunk key encoding that limits the number of entries in a directory, however long the grid is.
//!
//! Specification: `SPECIFICATION.md` of this crate.
//!
//! Each index is split into groups of decimal digits, one below the other. A segment before them contains the number of
//! groups, so that no key is a directory of another, and no two keys belong to the same chunk.
//!
//! ```
//! # use fan_out as _;
//! use zarr_plugin_api::testing::Bench;
//!
//! let json = r#"{"name": "zarr.fan-out", "configuration": {"digits": 3}}"#;
//! let encoding = Bench::new().chunk_key_encoding(json, &[99_999_999, 50])?;
//! assert_eq!(encoding.encode(&[1_234_567, 42])?, "c/3/1/234/567/1/42");
//! assert_eq!(encoding.decode("c/3/1/234/567/1/42", 2).as_deref(), Some(&[1_234_567, 42][..]));
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{ChunkKeyEncoding, CreateContext, Dims, Error, ExtensionType, Result};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default = "three")]
    digits: u8,
}

fn three() -> u8 {
    3
}

/// The maximum number of digits for which a group, read as a number, fits 64 bits.
const MAX_DIGITS: u8 = 19;

#[derive(Debug)]
struct FanOut {
    digits: u8,
}

impl ExtensionType for FanOut {
    const NAME: &'static str = "zarr.fan-out";
    type Configuration = Configuration;
    fn create(configuration: Configuration, _: &CreateContext<'_>) -> Result<Self> {
        match configuration.digits {
            digits @ 1..=MAX_DIGITS => Ok(Self { digits }),
            digits => Err(Error::configuration(format!("{digits} is out of range for `digits` (1 to {MAX_DIGITS})"))
                .with_hint("use 3 for at most 1000 entries per directory")),
        }
    }
    fn configuration(&self) -> Configuration {
        Configuration { digits: self.digits }
    }
}

impl FanOut {
    fn key(&self, chunk_index: &[u64]) -> String {
        if chunk_index.is_empty() {
            return "c/0".to_owned();
        }
        let mut key = String::from("c");
        for index in chunk_index {
            let (index, digits) = (index.to_string(), usize::from(self.digits));
            let groups = index.len().div_ceil(digits);
            key.push('/');
            key.push_str(&groups.to_string());
            for (i, digit) in index.chars().enumerate() {
                if i == 0 || (index.len() - i).is_multiple_of(digits) {
                    key.push('/');
                }
                key.push(digit);
            }
        }
        key
    }
}

impl ChunkKeyEncoding for FanOut {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        Ok(self.key(chunk_index))
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let mut segments = key.strip_prefix("c/")?.split('/');
        let mut index = || {
            let groups = segments.next()?.parse().ok()?;
            segments.by_ref().take(groups).collect::<String>().parse::<u64>().ok()
        };
        let chunk_index: Dims = (0..rank).map(|_| index()).collect::<Option<_>>()?;
        // A chunk has exactly one key: any other spelling of the same index is not a key.
        (self.key(&chunk_index) == key).then_some(chunk_index)
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.fan-out", ChunkKeyEncoding: [FanOut] }

#[cfg(test)]
mod tests;
