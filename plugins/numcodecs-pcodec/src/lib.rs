//! `numcodecs.pcodec`: an array -> bytes codec.
//!
//! Specification: the page "PCodec" of numcodecs, whose keyword arguments are the configuration, and the standalone
//! file format of pco.
//!
//! It encodes integers and floating-point numbers of 2, 4 and 8 bytes, whatever the name of their data type is. No size
//! in a file is trusted before it is checked: the count of each part against the remaining room in the destination, a
//! dictionary against the remaining bytes, and a window against the count.
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numcodecs.pcodec", "configuration": {"level": 8, "mode_spec": "auto"}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numcodecs.pcodec");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

mod claims;
mod file;

use file::Paging;
use half::f16;
use pco::ChunkConfig;
use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    ArrayToBytes, CallContext, CreateContext, Dims, Error, ExtensionType, Layout, OutputBuffer, Result, ScalarKind,
    Size, View, ViewMut,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default = "eight")]
    level: usize,
    #[serde(default)]
    mode_spec: ModeSpec,
    #[serde(default)]
    delta_spec: DeltaSpec,
    #[serde(default)]
    paging_spec: PagingSpec,
    /// With a `delta_spec` of `auto` it means `try_consecutive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delta_encoding_order: Option<usize>,
    #[serde(default = "default_page")]
    equal_pages_up_to: usize,
    /// Python programs leave this member in configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

fn eight() -> usize {
    pco::DEFAULT_COMPRESSION_LEVEL
}

fn default_page() -> usize {
    pco::DEFAULT_MAX_PAGE_N
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModeSpec {
    #[default]
    Auto,
    Classic,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DeltaSpec {
    #[default]
    Auto,
    NoOp,
    /// The same as `no_op`.
    None,
    TryConsecutive,
    TryLookback,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PagingSpec {
    #[default]
    EqualPagesUpTo,
}

impl Configuration {
    fn check(&self) -> Result<ChunkConfig> {
        if self.level > 12 {
            return Err(Error::configuration(format!("{} is out of range for `level` (0 to 12)", self.level)));
        }
        if self.equal_pages_up_to == 0 {
            return Err(Error::configuration("`equal_pages_up_to` must be greater than zero"));
        }
        let mode = match self.mode_spec {
            ModeSpec::Auto => pco::ModeSpec::Auto,
            ModeSpec::Classic => pco::ModeSpec::Classic,
        };
        let delta = match (self.delta_spec, self.delta_encoding_order) {
            (_, Some(order)) if order > 7 => {
                return Err(Error::configuration(format!(
                    "{order} is out of range for `delta_encoding_order` (0 to 7)"
                )));
            }
            (DeltaSpec::Auto, None) => pco::DeltaSpec::Auto,
            (DeltaSpec::Auto | DeltaSpec::TryConsecutive, Some(order)) => pco::DeltaSpec::TryConsecutive(order),
            (DeltaSpec::NoOp | DeltaSpec::None, None) => pco::DeltaSpec::NoOp,
            (DeltaSpec::TryLookback, None) => pco::DeltaSpec::TryLookback,
            (DeltaSpec::TryConsecutive, None) => {
                return Err(Error::configuration("missing member `delta_encoding_order` for `try_consecutive`"));
            }
            (DeltaSpec::NoOp | DeltaSpec::None | DeltaSpec::TryLookback, Some(_)) => {
                return Err(Error::configuration("`delta_encoding_order` requires `try_consecutive`"));
            }
        };
        Ok(ChunkConfig::default().with_compression_level(self.level).with_mode_spec(mode).with_delta_spec(delta))
    }
}

/// The kinds of numbers that pco supports.
#[derive(Debug, Clone, Copy)]
enum Number {
    I16,
    I32,
    I64,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

impl Number {
    fn of(layout: &Layout) -> Option<Self> {
        let Layout::Fixed { kind, width, components: 1 } = *layout else { return None };
        Some(match (kind, width) {
            (ScalarKind::Int, 2) => Self::I16,
            (ScalarKind::Int, 4) => Self::I32,
            (ScalarKind::Int, 8) => Self::I64,
            (ScalarKind::UInt, 2) => Self::U16,
            (ScalarKind::UInt, 4) => Self::U32,
            (ScalarKind::UInt, 8) => Self::U64,
            (ScalarKind::Float, 2) => Self::F16,
            (ScalarKind::Float, 4) => Self::F32,
            (ScalarKind::Float, 8) => Self::F64,
            _ => return None,
        })
    }
}

/// Runs code with the type that a [`Number`] names.
macro_rules! with_type {
    ($number:expr, $t:ident => $code:expr) => {
        with_type!(@ $number, $t, $code, I16 i16, I32 i32, I64 i64, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64)
    };
    (@ $number:expr, $t:ident, $code:expr, $($variant:ident $type:ty),*) => {
        match $number { $(Number::$variant => { type $t = $type; $code })* }
    };
}

#[derive(Debug)]
struct Pcodec {
    configuration: Configuration,
    chunk: ChunkConfig,
    paging: Paging,
    number: Number,
    shape: Dims,
    element: usize,
    bytes: usize,
}

impl ExtensionType for Pcodec {
    const NAME: &'static str = "numcodecs.pcodec";
    const ALIASES: &'static [&'static str] = &["https://codec.zarrs.dev/array_to_bytes/pcodec"];
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let (chunk, decoded) = (configuration.check()?, cx.representation()?);
        let number = Number::of(decoded.layout()).ok_or_else(|| {
            let e = Error::chain(format!("pco does not support data type `{:?}`", decoded.data_type()));
            e.with_hint("use integers or floating-point numbers of 2, 4 or 8 bytes, or `bytes` and a compressor")
        })?;
        let (bytes, element) = (decoded.bytes_within(cx.limits)?, decoded.element_size());
        let paging = Paging::new(bytes / element, configuration.equal_pages_up_to);
        Ok(Self { configuration, chunk, paging, number, shape: decoded.shape().into(), element, bytes })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl ArrayToBytes for Pcodec {
    fn encoded_size(&self) -> Size {
        let max = match self.element {
            2 => self.paging.max_file::<u16>(),
            4 => self.paging.max_file::<u32>(),
            _ => self.paging.max_file::<u64>(),
        };
        max.map_or(Size::Unknown, Size::AtMost)
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let mut scratch = Vec::new();
        let bytes = decoded.contiguous(&mut scratch)?;
        with_type!(self.number, T => file::write::<T>(bytes, &self.paging, &self.chunk, out))
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        if let Some(bytes) = out.as_slice() {
            return self.read(encoded, bytes);
        }
        let mut scratch = call.scratch(self.bytes)?;
        self.read(encoded, &mut scratch)?;
        out.copy_from(&View::new(&scratch, &self.shape, self.element)?, 1)
    }
}

impl Pcodec {
    fn read(&self, encoded: &[u8], bytes: &mut [u8]) -> Result<()> {
        with_type!(self.number, T => file::read::<T>(encoded, bytes))
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.numcodecs-pcodec", ArrayToBytes: [Pcodec] }

#[cfg(test)]
mod tests;
