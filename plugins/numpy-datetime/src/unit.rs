//! The parts that both data types share: the unit, and values as 64-bit integers whose smallest means "not a time".

use serde::{Deserialize, Serialize};
use std::fmt;
use zarr_plugin_api::{Error, Json, Layout, Result, ScalarKind};

/// "Not a time". Its bits are those of the smallest integer.
pub(crate) const NAT: &str = "NaT";
const NAT_BITS: i64 = i64::MIN;

pub(crate) const LAYOUT: Layout = Layout::scalar(ScalarKind::Int, size_of::<i64>());

/// The configuration: one step is `scale_factor` units long.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Configuration {
    unit: Unit,
    scale_factor: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Unit {
    Y,
    M,
    W,
    D,
    #[serde(rename = "h")]
    Hour,
    #[serde(rename = "m")]
    Minute,
    #[serde(rename = "s")]
    Second,
    #[serde(rename = "ms")]
    Millisecond,
    /// Also accepted with the Greek letter mu, or with the micro sign that looks like it.
    #[serde(rename = "us", alias = "\u{3bc}s", alias = "\u{b5}s")]
    Microsecond,
    #[serde(rename = "ns")]
    Nanosecond,
    #[serde(rename = "ps")]
    Picosecond,
    #[serde(rename = "fs")]
    Femtosecond,
    #[serde(rename = "as")]
    Attosecond,
    #[serde(rename = "generic")]
    Generic,
}

impl Configuration {
    pub(crate) fn check(self) -> Result<Self> {
        match i32::try_from(self.scale_factor) {
            Ok(1..) => Ok(self),
            _ => Err(Error::configuration(format!(
                "{} is out of range for `scale_factor` (1 to {})",
                self.scale_factor,
                i32::MAX
            ))),
        }
    }
}

/// Formats the unit as NumPy does: `[10us]`.
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        if self.scale_factor != 1 {
            write!(f, "{}", self.scale_factor)?;
        }
        self.unit.serialize(&mut *f)?;
        f.write_str("]")
    }
}

pub(crate) fn fill_from_json(name: &str, value: &Json) -> Result<Vec<u8>> {
    let parsed = match value {
        Json::Number(n) => n.as_i64(),
        Json::String(s) if s == NAT => Some(NAT_BITS),
        _ => None,
    };
    let wrong = || {
        Error::fill_value(format!("`{name}` requires \"{NAT}\" or a 64-bit integer without exponent; found {value}"))
    };
    parsed.map(|n| n.to_ne_bytes().to_vec()).ok_or_else(wrong)
}

pub(crate) fn fill_to_json(name: &str, element: &[u8]) -> Result<Json> {
    let wrong = |_| Error::fill_value(format!("an element of `{name}` cannot have {} bytes", element.len()));
    match i64::from_ne_bytes(element.try_into().map_err(wrong)?) {
        NAT_BITS => Ok(NAT.into()),
        n => Ok(n.into()),
    }
}
