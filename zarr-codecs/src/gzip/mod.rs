//! The codec `gzip`: a bytes -> bytes codec. Specification: "Gzip codec".
//!
//! Consecutive members are read as one stream, as RFC 1952 specifies. Zero bytes after a member are padding.
//!
//! Levels are from 0 to 9. numcodecs writes -1 for the default of zlib: arrays with -1 can be opened, and copies of
//! them get level 6. A new array that omits the level gets 5.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs::Bytes;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "gzip", "configuration": {"level": 5}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[Bytes::little().into(), codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod ffi;

use crate::member::{extension, or_chosen, present};
use ffi::{Compressor, Decompressor};
use flate2::bufread::GzDecoder;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use zarr_core::{
    Error, ErrorKind, Result,
    call::{CallContext, OutputBuffer, Pool},
    codec::BytesToBytes,
    extension::Extension,
    json::Json,
    registry::{CreateContext, ExtensionType},
    representation::Size,
};

/// The codec `gzip`, which compresses in the format of gzip files.
///
/// The default is level 5.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::Gzip;
/// let json = br#"{"name": "gzip", "configuration": {"level": 9}}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(Gzip::level(9)), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gzip {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    level: Option<i16>,
}

impl Gzip {
    /// Sets the level, from 0, which only copies, to 9, the smallest output.
    ///
    /// Creating an array with another level fails.
    pub fn level(level: u8) -> Self {
        Self { level: Some(level.into()) }
    }
}
impl Default for Gzip {
    fn default() -> Self {
        Self { level: Some(CHOSEN_LEVEL) }
    }
}
impl From<Gzip> for Extension {
    fn from(gzip: Gzip) -> Self {
        extension("gzip", [("level", gzip.level.map(Json::from))])
    }
}

/// The level of new arrays that omit it.
const CHOSEN_LEVEL: i16 = 5;
/// The level that zlib, and so numcodecs, uses for -1.
const DEFAULT_LEVEL: i16 = 6;

struct GzipCodec {
    level: i16,
    decoded: Size,
    compressors: Pool<Compressor>,
    decompressors: Pool<Decompressor>,
}

impl std::fmt::Debug for GzipCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GzipCodec({})", self.level)
    }
}

impl ExtensionType for GzipCodec {
    const NAME: &'static str = "gzip";
    type Configuration = Gzip;
    fn create(configuration: Gzip, cx: &CreateContext<'_>) -> Result<Self> {
        let level = match or_chosen(configuration.level, "level", cx, CHOSEN_LEVEL)? {
            -1 if cx.intent.is_create() => DEFAULT_LEVEL,
            level => level,
        };
        if !(-1..=9).contains(&level) {
            return Err(Error::configuration(format!("{level} is out of range for `level` (0 to 9)")));
        }
        Ok(Self { level, decoded: cx.size, compressors: Pool::default(), decompressors: Pool::default() })
    }
    fn configuration(&self) -> Gzip {
        Gzip { level: Some(self.level) }
    }
}

impl BytesToBytes for GzipCodec {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.bound().map(|n| ffi::bound(usize::try_from(n).ok()?).map(|n| n as u64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let mut compressor = match self.compressors.take() {
            Some(compressor) => compressor,
            None => Compressor::new(if self.level < 0 { DEFAULT_LEVEL } else { self.level })?,
        };
        let bound = ffi::bound(decoded.len()).ok_or(ErrorKind::Memory(decoded.len() as u64))?;
        let written = compressor.member(decoded, out.space(bound)?);
        self.compressors.give(compressor);
        out.unused(bound - written?);
        Ok(())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        if encoded.is_empty() {
            return Err(Error::data("the chunk is empty; expected a gzip stream"));
        }
        match self.decoded {
            Size::Exact(n) if self.decode_at_once(encoded, n, out)? => Ok(()),
            _ => decode_in_pieces(encoded, out),
        }
    }
}

impl GzipCodec {
    /// Decompresses members directly into space for the expected size. Returns false if this is not possible.
    fn decode_at_once(&self, encoded: &[u8], size: u64, out: &mut OutputBuffer<'_>) -> Result<bool> {
        let mut decompressor = match self.decompressors.take() {
            Some(decompressor) => decompressor,
            None => Decompressor::new()?,
        };
        let room = out.left().min(size) as usize;
        let written = members(&mut decompressor, encoded, out.space(room)?);
        self.decompressors.give(decompressor);
        let written = written?;
        out.unused(room - written.unwrap_or_default());
        Ok(written.is_some())
    }
}

/// Decompresses consecutive members.
///
/// Returns the number of bytes written; `None` if a member has a checksum of its header, which libdeflate does not
/// verify.
fn members(decompressor: &mut Decompressor, mut encoded: &[u8], space: &mut [u8]) -> Result<Option<usize>> {
    let mut written = 0;
    while !encoded.is_empty() {
        if encoded.get(3).is_some_and(|flags| flags & 2 != 0) {
            return Ok(None);
        }
        let member = decompressor.member(encoded, &mut space[written..])?;
        encoded = after_padding(encoded.get(member.encoded..).unwrap_or_default());
        written += member.decoded;
    }
    Ok(Some(written))
}

/// Decompresses a stream of unknown size.
fn decode_in_pieces(encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
    let mut members = Members(GzDecoder::new(encoded));
    out.read_all(encoded.len() as u64, |space| fill(&mut members, space))
}

/// Skips zero bytes, which are allowed after each member by writers to tapes and block devices, and by Python.
fn after_padding(encoded: &[u8]) -> &[u8] {
    &encoded[encoded.iter().take_while(|byte| **byte == 0).count()..]
}

/// A reader of the bytes of consecutive members.
struct Members<'e>(GzDecoder<&'e [u8]>);

impl Read for Members<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(space)?;
            let rest = after_padding(self.0.get_ref());
            if read > 0 || space.is_empty() || rest.is_empty() {
                return Ok(read);
            }
            self.0 = GzDecoder::new(rest);
        }
    }
}

/// Reads until the space is full or the stream ends, where the checksums are verified.
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
    Error::data(format!("invalid gzip stream: {e}"))
}

zarr_core::register!(BytesToBytes: GzipCodec);

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder};
    use proptest::{collection::vec, option, prelude::*, sample::Index};
    use std::io::Write;
    use zarr_core::{registry::Intent, testing::Bench};

    const FIVE: &str = r#"{"name":"gzip","configuration":{"level":5}}"#;

    #[test]
    fn properties() {
        for level in [0, 1, 9] {
            Bench::new()
                .bytes_codec(&format!(r#"{{"name":"gzip","configuration":{{"level":{level}}}}}"#), Size::Unknown)
                .unwrap()
                .assert_round_trips()
                .assert_rejects_damage();
        }
    }

    proptest! {
        /// libdeflate, which decodes whole members, and flate2, which decodes streams, accept and reject the same
        /// input, damaged input included.
        #[test]
        fn decoding_at_once_and_in_pieces_agree(
            parts in vec(vec(prop_oneof![Just(7u8), any::<u8>()], 0..300), 1..4),
            level in 0u8..10,
            damage in option::of((any::<Index>(), 1u8..)),
            cut in option::of(any::<Index>()),
            tail in vec(any::<u8>(), 0..3),
        ) {
            let member = |bytes: &Vec<u8>| {
                let mut encoder = GzBuilder::new().write(Vec::new(), Compression::new(level.into()));
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            };
            let mut encoded = parts.iter().map(member).collect::<Vec<_>>().concat();
            if let Some((at, change)) = damage {
                let i = at.index(encoded.len());
                encoded[i] ^= change;
            }
            if let Some(at) = cut {
                encoded.truncate(at.index(encoded.len()));
            }
            encoded.extend(tail);
            let decoded = parts.concat();
            let whole = |size| {
                let codec = Bench::new().bytes_codec(FIVE, size).unwrap();
                codec.decode(&encoded).ok().filter(|d| d.len() == decoded.len())
            };
            let at_once = whole(Size::Exact(decoded.len() as u64));
            prop_assert_eq!(&at_once, &whole(Size::Unknown));
            prop_assert!(at_once.is_none() || damage.is_some() || cut.is_some() || at_once == Some(decoded));
        }
    }

    #[test]
    fn several_members() {
        let codec = Bench::new().bytes_codec(FIVE, Size::Exact(6)).unwrap();
        let both = [codec.encode(b"abc").unwrap(), codec.encode(b"def").unwrap()].concat();
        assert_eq!(codec.decode_exact(&both, 6).unwrap(), b"abcdef");
        assert_eq!(codec.decode(&both).unwrap(), b"abcdef");
        assert!(codec.decode_exact(&both, 5).is_err());
        let unknown = Bench::new().bytes_codec(FIVE, Size::Unknown).unwrap();
        let [first, second] = [codec.encode(b"abc").unwrap(), codec.encode(b"def").unwrap()];
        for padding in [&[0][..], &[0; 512]] {
            for padded in [[&both[..], padding].concat(), [&first[..], padding, &second, padding].concat()] {
                assert_eq!(codec.decode_exact(&padded, 6).unwrap(), b"abcdef");
                assert_eq!(unknown.decode(&padded).unwrap(), b"abcdef");
            }
        }
        for garbage in [&b"garbage"[..], b"\0\0garbage", b"\0\x1f\x8b", &[0x1f, 0x8b, 8, 0]] {
            for bad in [[&both[..], garbage].concat(), [&[0], &both[..]].concat()] {
                assert!(codec.decode_exact(&bad, 6).is_err(), "{garbage:?}");
                assert!(unknown.decode(&bad).is_err(), "{garbage:?}");
            }
        }
    }

    /// A member whose header has a checksum, correct or not, at any position.
    #[test]
    fn header_checksums() {
        let codec = Bench::new().bytes_codec(FIVE, Size::Exact(6)).unwrap();
        let (plain, mut summed) = (codec.encode(b"abc").unwrap(), codec.encode(b"def").unwrap());
        summed[3] |= 2;
        let mut sum = flate2::Crc::new();
        sum.update(&summed[..10]);
        let [low, high, ..] = sum.sum().to_le_bytes();
        for (sum, right) in [([low, high], true), ([!low, high], false)] {
            let mut summed = summed.clone();
            summed.splice(10..10, sum);
            for (members, decoded) in [([&plain[..], &summed[..]], b"abcdef"), ([&summed, &plain], b"defabc")] {
                let got = codec.decode_exact(&members.concat(), 6);
                assert_eq!(got.ok().as_deref(), right.then_some(&decoded[..]));
            }
        }
    }

    #[test]
    fn levels() {
        let json = |level: &str| format!(r#"{{"name":"gzip","configuration":{{"level":{level}}}}}"#);
        for bad in ["10", "-2", "\"5\"", "5.5", "null"] {
            assert!(Bench::new().bytes_codec(&json(bad), Size::Unknown).is_err(), "{bad}");
        }
        for (intent, level) in [(Intent::Open, -1), (Intent::Create, 6)] {
            let written = Bench::new().with_intent(intent).bytes_codec(&json("-1"), Size::Unknown).unwrap().written;
            assert_eq!(written.to_json().to_string(), json(&level.to_string()));
        }
        let level =
            |json: &str| Bench::new().bytes_codec(json, Size::Unknown).unwrap().encode(&b"abacab".repeat(99)).unwrap();
        assert_eq!(level(&json("-1")), level(&json("6")));
        assert!(Bench::new().bytes_codec("\"gzip\"", Size::Unknown).is_err());
    }
}
