//! The codec `zstd`: a bytes -> bytes codec, as in the registry of Zarr extensions. Format: RFC 8878.
//!
//! Reads frames without a content size, and several frames in a row; a content size is only used as a hint.
//!
//! Levels are from -131072 to 22. numcodecs writes higher levels and compresses with 22: arrays with such levels can be
//! opened, and copies of them get 22. A new array that omits the level gets 0, the default of the library.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs::Bytes;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "zstd", "configuration": {"level": 3, "checksum": false}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[Bytes::little().into(), codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::member::{extension, or_chosen, present};
use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer, Pool},
    codec::BytesToBytes,
    extension::Extension,
    json::Json,
    registry::{CreateContext, ExtensionType},
    representation::Size,
};
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, ErrorCode, InBuffer, OutBuffer, ResetDirective, get_error_name};

const LEAST_LEVEL: i32 = -131_072;
const MOST_LEVEL: i32 = 22;
const DEFAULT_LEVEL: i32 = 0;
/// Compressed data of unknown size is decompressed in pieces of at least this many bytes.
const PIECE: u64 = 64 << 10;
/// The window size that every decompressor should support.
const LEAST_WINDOW: u64 = 8 << 20;
/// The default limit of zstd for the window size, as a power of two.
const MOST_WINDOW_LOG: u32 = 27;

/// The codec `zstd`, which compresses with Zstandard.
///
/// The default is level 0, the default of the library, without a checksum.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::Zstd;
/// let json = br#"{"name": "zstd", "configuration": {"level": 3, "checksum": true}}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(Zstd::level(3).checksum(true)), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zstd {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    level: Option<i32>,
    #[serde(default)]
    checksum: bool,
}

impl Zstd {
    /// Sets the level, from -131072, the fastest, to 22, the smallest output; 0 is the default of the library.
    ///
    /// Creating an array with a lower level fails; a higher level becomes 22.
    pub fn level(level: i32) -> Self {
        Self { level: Some(level), checksum: false }
    }
    /// Sets whether frames have a checksum of their decompressed content.
    pub fn checksum(self, checksum: bool) -> Self {
        Self { checksum, ..self }
    }
}
impl Default for Zstd {
    fn default() -> Self {
        Self::level(DEFAULT_LEVEL)
    }
}
impl From<Zstd> for Extension {
    fn from(zstd: Zstd) -> Self {
        extension("zstd", [("level", zstd.level.map(Json::from)), ("checksum", Some(zstd.checksum.into()))])
    }
}

struct ZstdCodec {
    level: i32,
    checksum: bool,
    decoded: Size,
    compressors: Pool<CCtx<'static>>,
    decompressors: Pool<DCtx<'static>>,
}

impl std::fmt::Debug for ZstdCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ZstdCodec({:?})", self.configuration())
    }
}

impl ExtensionType for ZstdCodec {
    const NAME: &'static str = "zstd";
    type Configuration = Zstd;
    fn create(configuration: Zstd, cx: &CreateContext<'_>) -> Result<Self> {
        let level = or_chosen(configuration.level, "level", cx, DEFAULT_LEVEL)?;
        if level < LEAST_LEVEL {
            return Err(Error::configuration(format!(
                "{level} is out of range for `level` ({LEAST_LEVEL} to {MOST_LEVEL})"
            )));
        }
        let level = if cx.intent.is_create() { level.min(MOST_LEVEL) } else { level };
        let (compressors, decompressors) = (Pool::default(), Pool::default());
        Ok(Self { level, checksum: configuration.checksum, decoded: cx.size, compressors, decompressors })
    }
    fn configuration(&self) -> Zstd {
        Zstd { level: Some(self.level), checksum: self.checksum }
    }
}

impl BytesToBytes for ZstdCodec {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded.bound().map(|n| usize::try_from(n).ok().map(|n| zstd_safe::compress_bound(n) as u64))
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        let mut context = match self.compressors.take() {
            Some(context) => context,
            None => self.compressor()?,
        };
        let bound = zstd_safe::compress_bound(decoded.len());
        let written = context.compress2(out.space(bound)?, decoded).map_err(failed);
        self.compressors.give(context);
        out.unused(bound - written?);
        Ok(())
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        if encoded.is_empty() {
            return Err(Error::data("the chunk is empty; expected a zstd frame"));
        }
        let mut context = match self.decompressors.take() {
            Some(context) => context,
            None => DCtx::try_create().ok_or(zarr_core::ErrorKind::Memory(1 << 17))?,
        };
        let result = match self.decoded {
            Size::Exact(_) => decompress_at_once(&mut context, encoded, out),
            Size::AtMost(_) | Size::Unknown => {
                decompress_in_pieces(&mut context, encoded, call.limits.chunk_bytes, out)
            }
        };
        if result.is_ok() {
            self.decompressors.give(context);
        }
        result
    }
}

impl ZstdCodec {
    fn compressor(&self) -> Result<CCtx<'static>> {
        let mut context = CCtx::try_create().ok_or(zarr_core::ErrorKind::Memory(1 << 20))?;
        let level = self.level.min(MOST_LEVEL);
        context.set_parameter(CParameter::CompressionLevel(level)).map_err(failed)?;
        context.set_parameter(CParameter::ChecksumFlag(self.checksum)).map_err(failed)?;
        Ok(context)
    }
}

fn failed(code: ErrorCode) -> Error {
    Error::data(format!("zstd: {}", get_error_name(code)))
}

fn decompress_at_once(context: &mut DCtx<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
    let room = out.left() as usize;
    let written = context.decompress(out.space(room)?, encoded).map_err(failed)?;
    out.unused(room - written);
    Ok(())
}

fn decompress_in_pieces(
    context: &mut DCtx<'_>,
    encoded: &[u8],
    chunk_bytes: u64,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    context.reset(ResetDirective::SessionOnly).map_err(failed)?;
    // A frame states the memory that its window needs. Some writers state as much for a small chunk as for a large one.
    let window = chunk_bytes.max(LEAST_WINDOW).ilog2().min(MOST_WINDOW_LOG);
    context.set_parameter(DParameter::WindowLogMax(window)).map_err(failed)?;
    let mut input = InBuffer::around(encoded);
    let mut piece = PIECE.max(encoded.len() as u64);
    loop {
        piece = piece.min(out.left());
        // If no room is left, only the end of the frame may follow.
        let wanted = piece as usize;
        let mut output = OutBuffer::around(out.space(wanted)?);
        let left = context.decompress_stream(&mut output, &mut input).map_err(failed)?;
        let written = output.pos();
        let consumed = input.pos() == encoded.len();
        out.unused(wanted - written);
        if consumed && left == 0 {
            return Ok(());
        }
        if consumed && written < wanted {
            return Err(Error::data("the last zstd frame is truncated"));
        }
        if out.left() == 0 && written == 0 {
            return Err(out.excess(1));
        }
        piece = piece.saturating_mul(2).max(1);
    }
}

zarr_core::register!(BytesToBytes: ZstdCodec);

#[cfg(test)]
mod tests {
    use super::*;
    use zarr_core::{registry::Intent, testing::Bench};

    fn json(level: &str, checksum: &str) -> String {
        format!(r#"{{"name":"zstd","configuration":{{"level":{level},"checksum":{checksum}}}}}"#)
    }

    #[test]
    fn properties() {
        for level in ["-5", "0", "3"] {
            Bench::new()
                .bytes_codec(&json(level, "true"), Size::Unknown)
                .unwrap()
                .assert_round_trips()
                .assert_rejects_damage();
            Bench::new()
                .bytes_codec(&json(level, "false"), Size::Unknown)
                .unwrap()
                .assert_round_trips()
                .assert_rejects_cuts();
        }
    }

    #[test]
    fn frames_of_other_writers() {
        let codec = Bench::new().bytes_codec(r#"{"name":"zstd","configuration":{"level":0}}"#, Size::Exact(8)).unwrap();
        let unknown =
            Bench::new().bytes_codec(r#"{"name":"zstd","configuration":{"level":0}}"#, Size::Unknown).unwrap();
        let golden = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x04, 0x21, 0, 0, 1, 2, 3, 0xfa];
        let skippable = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        // The same block in a frame with a window, without a content size.
        let sizeless = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0x21, 0, 0, 1, 2, 3, 0xfa];
        let frames = [&golden[..], &skippable, &sizeless].concat();
        let want = [1, 2, 3, 0xfa, 1, 2, 3, 0xfa];
        assert_eq!(codec.decode_exact(&frames, 8).unwrap(), want);
        assert_eq!(unknown.decode(&frames).unwrap(), want);
        for n in 1..frames.len() {
            let whole = n == golden.len() || n == golden.len() + skippable.len();
            assert_eq!(unknown.decode(&frames[..n]).is_err(), !whole, "{n}");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let codec = Bench::new().bytes_codec(&json("3", "false"), Size::Unknown).unwrap();
        let bomb = codec.encode(&vec![0; 8 << 20]).unwrap();
        assert!(bomb.len() < 4096);
        assert!(codec.decode_within(&bomb, 100_000).is_err());
    }

    #[test]
    fn levels() {
        for bad in ["-131073", "\"3\"", "1.5", "null"] {
            assert!(Bench::new().bytes_codec(&json(bad, "false"), Size::Unknown).is_err(), "{bad}");
        }
        for (intent, level) in [(Intent::Open, "23"), (Intent::Create, "22")] {
            let written =
                Bench::new().with_intent(intent).bytes_codec(&json("23", "false"), Size::Unknown).unwrap().written;
            assert_eq!(written.to_json().to_string(), json(level, "false"));
        }
        let level = |level| {
            Bench::new()
                .bytes_codec(&json(level, "false"), Size::Unknown)
                .unwrap()
                .encode(&b"abacab".repeat(99))
                .unwrap()
        };
        assert_eq!(level("2147483647"), level("22"));
        assert!(
            Bench::new().bytes_codec(&json("1", "1"), Size::Unknown).is_err()
                && Bench::new().bytes_codec(&json("1", "null"), Size::Unknown).is_err()
        );
        assert!(Bench::new().bytes_codec("\"zstd\"", Size::Unknown).is_err());
    }
}
