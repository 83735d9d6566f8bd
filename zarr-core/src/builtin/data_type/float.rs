//! The data types `float16`, `float32` and `float64`. Specification: "Core data types".
//!
//! A fill value is a JSON number, rounded once to the nearest value; `"NaN"` (one exact bit pattern), `"Infinity"` or
//! `"-Infinity"`; or the bits as `"0x.."`. Printing preserves the exact bits.
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""float32""#, &Default::default())?;
//! let float32 = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(float32.object.fill_from_json(&"NaN".into())?, 0x7fc00000u32.to_ne_bytes());
//! assert_eq!(float32.object.fill_to_json(&0x7fa00001u32.to_ne_bytes())?, "0x7fa00001".into());
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{plain_data_type, wrong_fill, wrong_length};
use crate::{
    data_type::DataType,
    error::Result,
    json::{Json, Number},
    layout::{Layout, ScalarKind},
};
use std::{fmt, marker::PhantomData};

pub(super) const WANTED: &str =
    "a number, \"NaN\", \"Infinity\", \"-Infinity\", or a hexadecimal string of all its bits";

/// A floating point type of Rust, as bits.
pub(super) trait Float: Copy + Send + Sync + 'static {
    const NAME: &'static str;
    const BITS: u32;
    const INFINITY: u64;
    const NAN: u64;
    fn parse(number: &Number) -> u64;
    /// Returns the shortest number that reads back as the same bits, if the value is finite.
    fn print(bits: u64) -> Option<Json>;
}

impl Float for f32 {
    const NAME: &'static str = "float32";
    const BITS: u32 = 32;
    const INFINITY: u64 = 0x7f80_0000;
    const NAN: u64 = 0x7fc0_0000;
    fn parse(number: &Number) -> u64 {
        number.as_str().parse::<f32>().unwrap_or(f32::NAN).to_bits().into()
    }
    fn print(bits: u64) -> Option<Json> {
        Json::from_f32(f32::from_bits(bits as u32))
    }
}
impl Float for f64 {
    const NAME: &'static str = "float64";
    const BITS: u32 = 64;
    const INFINITY: u64 = 0x7ff0_0000_0000_0000;
    const NAN: u64 = 0x7ff8_0000_0000_0000;
    fn parse(number: &Number) -> u64 {
        number.as_f64().to_bits()
    }
    fn print(bits: u64) -> Option<Json> {
        Json::from_f64(f64::from_bits(bits))
    }
}
impl Float for half::f16 {
    const NAME: &'static str = "float16";
    const BITS: u32 = 16;
    const INFINITY: u64 = 0x7c00;
    const NAN: u64 = 0x7e00;
    fn parse(number: &Number) -> u64 {
        // The conversion only uses the upper half of the bits, so the lower half is folded into its last bit.
        let bits = round_to_odd(number).to_bits();
        let below = u64::from(bits & 0xffff_ffff != 0) << 32;
        half::f16::from_f64(f64::from_bits(bits & !0xffff_ffff | below)).to_bits().into()
    }
    fn print(bits: u64) -> Option<Json> {
        let value = half::f16::from_bits(bits as u16).to_f64();
        Json::from_f64(value)
    }
}

/// Converts a number to a 64-bit one that rounds correctly to fewer bits: an inexact result that could be a tie gets an
/// odd last bit, so that the second rounding never sees a false tie.
fn round_to_odd(number: &Number) -> f64 {
    let nearest = number.as_f64();
    let bits = nearest.to_bits();
    if !nearest.is_finite() || bits & 1 == 1 || bits & 0xff_ffff != 0 {
        // Infinite, or not near a tie of the smaller type.
        return nearest;
    }
    let exact = |v: f64| Decimal::of(&format!("{v:.1074}"));
    match Decimal::of(number.as_str()).compare_magnitude(&exact(nearest)) {
        std::cmp::Ordering::Equal => nearest,
        std::cmp::Ordering::Greater => f64::from_bits(bits + 1),
        std::cmp::Ordering::Less if nearest == 0.0 => nearest,
        std::cmp::Ordering::Less => f64::from_bits(bits - 1),
    }
}

/// The digits of a decimal number without its sign: `0.digits * 10^exponent`, without leading or trailing zeros.
#[derive(PartialEq, Eq)]
struct Decimal {
    exponent: i64,
    digits: String,
}
impl Decimal {
    fn of(text: &str) -> Self {
        let text = text.trim_start_matches('-');
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let dropped = (all.len() - digits.len()) as i64;
        let exponent: i64 = exponent.trim_start_matches('+').parse().unwrap_or(i64::MAX / 2);
        Self {
            exponent: exponent.saturating_add(whole.len() as i64 - dropped),
            digits: digits.trim_end_matches('0').to_owned(),
        }
    }
    fn compare_magnitude(&self, other: &Self) -> std::cmp::Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (false, false) => self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits)),
            (a, b) => b.cmp(&a),
        }
    }
}

/// Returns the bits of a permitted fill value.
pub(super) fn bits_from_json<F: Float>(value: &Json) -> Option<u64> {
    match value {
        Json::Number(n) => Some(F::parse(n)),
        Json::String(s) => match s.as_str() {
            "NaN" => Some(F::NAN),
            "Infinity" => Some(F::INFINITY),
            "-Infinity" => Some(F::INFINITY | 1 << (F::BITS - 1)),
            hex => {
                let digits = hex.strip_prefix("0x")?;
                let all_digits = digits.len() as u32 == F::BITS / 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                all_digits.then(|| u64::from_str_radix(digits, 16).ok())?
            }
        },
        _ => None,
    }
}

/// The form that preserves exactly these bits.
pub(super) fn bits_to_json<F: Float>(bits: u64) -> Json {
    let hex = || Json::from(format!("{:#0width$x}", bits, width = F::BITS as usize / 4 + 2));
    match F::print(bits) {
        Some(number) => number,
        None if bits == F::NAN => "NaN".into(),
        None if bits == F::INFINITY => "Infinity".into(),
        None if bits == F::INFINITY | 1 << (F::BITS - 1) => "-Infinity".into(),
        None => hex(),
    }
}

/// Returns the bytes of a scalar in native order.
pub(super) fn to_bytes<F: Float>(bits: u64) -> Vec<u8> {
    match F::BITS {
        16 => (bits as u16).to_ne_bytes().to_vec(),
        32 => (bits as u32).to_ne_bytes().to_vec(),
        _ => bits.to_ne_bytes().to_vec(),
    }
}

/// Returns the bits of a scalar.
pub(super) fn from_bytes<F: Float>(bytes: &[u8]) -> Option<u64> {
    match F::BITS {
        16 => bytes.try_into().ok().map(u16::from_ne_bytes).map(u64::from),
        32 => bytes.try_into().ok().map(u32::from_ne_bytes).map(u64::from),
        _ => bytes.try_into().ok().map(u64::from_ne_bytes),
    }
}

struct FloatType<F>(PhantomData<fn() -> F>);

impl<F: Float> fmt::Debug for FloatType<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(F::NAME)
    }
}

impl<F: Float> DataType for FloatType<F> {
    fn layout(&self) -> Layout {
        Layout::scalar(ScalarKind::Float, F::BITS as usize / 8)
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        bits_from_json::<F>(value).map(to_bytes::<F>).ok_or_else(|| wrong_fill(F::NAME, value, WANTED))
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        from_bytes::<F>(element).map(bits_to_json::<F>).ok_or_else(|| wrong_length(F::NAME, element))
    }
    fn default_fill(&self) -> Json {
        Json::from_f64(0.0).unwrap_or(Json::from(0))
    }
}

plain_data_type!(FloatType<half::f16>, "float16", FloatType(PhantomData));
plain_data_type!(FloatType<f32>, "float32", FloatType(PhantomData));
plain_data_type!(FloatType<f64>, "float64", FloatType(PhantomData));

#[cfg(test)]
mod tests {
    use super::*;

    fn f16(text: &str) -> u64 {
        let json = Json::parse(text.as_bytes(), &Default::default()).unwrap();
        bits_from_json::<half::f16>(&json).unwrap()
    }

    #[test]
    fn decimal_digits_round_once() {
        // Half way between two 16-bit values, and a little off: less than 64 bits can represent.
        let tie = "1.00048828125";
        assert_eq!(f16(tie), 0x3c00);
        assert_eq!(f16(&format!("{tie}{}1", "0".repeat(30))), 0x3c01);
        assert_eq!(f16("-1.00048828125000000000000000000000001"), 0xbc01);
        let tie = "1.00146484375";
        assert_eq!(f16(tie), 0x3c02);
        assert_eq!(f16("1.00146484374999999999999999999999999"), 0x3c01);
        assert_eq!(f16("65519.999999999999999999999999"), 0x7bff);
        assert_eq!(f16("65520"), 0x7c00);
        assert_eq!(f16("0.000000029802322387695312500000000000000001"), 1);
        assert_eq!(f16("2.98023223876953125e-8"), 0);
        assert_eq!(f16("-0.0"), 0x8000);
    }

    #[test]
    fn every_float16_prints_and_reads_back() {
        for bits in 0..=u16::MAX {
            let json = bits_to_json::<half::f16>(bits.into());
            assert_eq!(bits_from_json::<half::f16>(&json), Some(bits.into()), "{json}");
        }
    }
}
