//! Converts values of one data type to another, exactly or to the nearest value.

use ozarr::{
    Error, Result,
    zarr_core::{
        data_type::DataType,
        json::Json,
        layout::{Layout, ScalarKind},
    },
};

/// A real number without rounding: every value of the built-in integer and floating-point types is one of these.
#[derive(Debug, Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
}

/// Converts elements one at a time.
pub(super) struct Converter<'a> {
    pub(super) from: &'a dyn DataType,
    pub(super) to: &'a dyn DataType,
    pub(super) lossy: bool,
}

impl Converter<'_> {
    /// Converts the bytes of elements. The error comes with the number of the element that does not convert.
    pub(super) fn elements(&self, elements: &[u8]) -> Result<Vec<u8>, (usize, Error)> {
        let (from, to) = (self.from.layout(), self.to.layout());
        if from.is_variable() || to.is_variable() {
            let e = Error::argument(format!("cannot convert `{:?}` to `{:?}`", self.from, self.to));
            return Err((0, e.with_hint("copy variable-length elements without changing their data type")));
        }
        let mut out = Vec::with_capacity(elements.len() / from.size() * to.size());
        for (i, e) in elements.chunks(from.size()).enumerate() {
            out.extend(self.element(&from, &to, e).map_err(|e| (i, e))?);
        }
        Ok(out)
    }
    fn element(&self, from: &Layout, to: &Layout, e: &[u8]) -> Result<Vec<u8>> {
        let both = (from, to);
        let (&Layout::Fixed { kind: a, width: m, components: p }, &Layout::Fixed { kind: b, width: n, components: q }) =
            both
        else {
            return Err(Error::argument("cannot convert variable-length elements or structs"));
        };
        if matches!(a, ScalarKind::Raw) || matches!(b, ScalarKind::Raw) || p > q {
            return Err(Error::argument(format!("cannot convert `{:?}` to `{:?}`", self.from, self.to)));
        }
        if (a, m, p) == (b, n, q) {
            return Ok(e.to_vec());
        }
        let mut out = Vec::with_capacity(to.size());
        for part in e.chunks(m) {
            let number = read(a, part);
            let (bytes, back) = write(b, n, number);
            if !self.lossy && !same(number, back) {
                return Err(self.inexact(e));
            }
            out.extend(bytes);
        }
        // A real number becomes a complex one.
        out.resize(to.size(), 0);
        Ok(out)
    }
    fn inexact(&self, e: &[u8]) -> Error {
        let value = self.from.fill_to_json(e).unwrap_or(Json::Null);
        let kind = ozarr::ErrorKind::Conversion(format!("{value} is not a value of `{:?}`", self.to));
        Error::new(kind).with_hint("use `lossy` to convert to the nearest value")
    }
}

fn same(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => a == b,
        // A NaN with a truncated payload is not the same value, unless it is the canonical NaN.
        (Number::Float(a), Number::Float(b)) => a.to_bits() == b.to_bits(),
        (Number::Int(i), Number::Float(f)) | (Number::Float(f), Number::Int(i)) => {
            f.is_finite() && f.fract() == 0.0 && f.abs() < 1e38 && f as i128 == i && !(f == 0.0 && f.is_sign_negative())
        }
    }
}

fn read(kind: ScalarKind, b: &[u8]) -> Number {
    let mut wide = [0u8; 8];
    let at = if cfg!(target_endian = "big") { 8 - b.len() } else { 0 };
    wide[at..at + b.len()].copy_from_slice(b);
    let bits = u64::from_ne_bytes(wide);
    let shift = 64 - 8 * b.len() as u32;
    match (kind, b.len()) {
        (ScalarKind::Float, 2) => Number::Float(f16_to_f64(bits as u16)),
        (ScalarKind::Float, 4) => Number::Float(widen(f32::from_bits(bits as u32))),
        (ScalarKind::Float, _) => Number::Float(f64::from_bits(bits)),
        (ScalarKind::Int, _) => Number::Int(i128::from(((bits << shift) as i64) >> shift)),
        _ => Number::Int(i128::from(bits)),
    }
}

/// Returns the nearest value of a type as bytes, and the number that these represent.
fn write(kind: ScalarKind, width: usize, number: Number) -> (Vec<u8>, Number) {
    let cut = |bits: u64| {
        let bytes = bits.to_le_bytes()[..width].to_vec();
        if cfg!(target_endian = "big") { bytes.into_iter().rev().collect() } else { bytes }
    };
    let float = match number {
        Number::Int(i) => i as f64,
        Number::Float(f) => f,
    };
    match (kind, width) {
        (ScalarKind::Float, 8) => (cut(float.to_bits()), Number::Float(float)),
        (ScalarKind::Float, 4) => {
            let f = narrow(number);
            (cut(f.to_bits().into()), Number::Float(widen(f)))
        }
        (ScalarKind::Float, _) => {
            let bits = f64_to_f16(float);
            (cut(bits.into()), Number::Float(f16_to_f64(bits)))
        }
        _ => {
            let bits = 8 * width as u32;
            let (low, high) = match kind {
                ScalarKind::Bool => (0, 1),
                ScalarKind::Int => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                _ => (0, (1i128 << bits) - 1),
            };
            let int = match number {
                Number::Int(i) => i,
                Number::Float(f) => f.round_ties_even() as i128,
            }
            .clamp(low, high);
            (cut(int as u64), Number::Int(int))
        }
    }
}

/// Widens a number without quieting NaNs, as a cast would.
fn widen(f: f32) -> f64 {
    if !f.is_nan() {
        return f.into();
    }
    let bits = f.to_bits();
    f64::from_bits(u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29)
}

fn narrow(number: Number) -> f32 {
    match number {
        Number::Int(i) => i as f32,
        Number::Float(f) if f.is_nan() => {
            let bits = f.to_bits();
            let payload = ((bits >> 29) & 0x7f_ffff) as u32;
            f32::from_bits(((bits >> 63) as u32) << 31 | 0xff << 23 | if payload == 0 { 1 << 22 } else { payload })
        }
        Number::Float(f) => f as f32,
    }
}

fn f16_to_f64(bits: u16) -> f64 {
    let (sign, exponent, mantissa) = (u64::from(bits >> 15) << 63, (bits >> 10) & 0x1f, u64::from(bits & 0x3ff));
    match exponent {
        0 => f64::from_bits(sign | (mantissa as f64 * 2f64.powi(-24)).to_bits()),
        0x1f => f64::from_bits(sign | 0x7ff << 52 | mantissa << 42),
        e => f64::from_bits(sign | (u64::from(e) + 1008) << 52 | mantissa << 42),
    }
}

fn f64_to_f16(f: f64) -> u16 {
    let sign = ((f.to_bits() >> 63) as u16) << 15;
    if f.is_nan() {
        let payload = ((f.to_bits() >> 42) & 0x3ff) as u16;
        return sign | 0x7c00 | if payload == 0 { 0x200 } else { payload };
    }
    let magnitude = f.abs();
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The exponent of the unit in the last place at this magnitude, at least that of subnormal numbers.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    sign | (units + (((exponent + 14) as u16) << 10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::zarr_core::{extension::Extension, registry::Registry};

    fn convert(from: &str, to: &str, value: &str, lossy: bool) -> Option<String> {
        let registry = Registry::builtin();
        let data_type = |n: &str| registry.data_type(&Extension::short_hand(n), &Default::default()).unwrap().object;
        let (from, to) = (data_type(from), data_type(to));
        let e = from.fill_from_json(&Json::parse(value.as_bytes(), &Default::default()).unwrap()).unwrap();
        let out = Converter { from: &*from, to: &*to, lossy }.elements(&e).ok()?;
        Some(to.fill_to_json(&out).unwrap().to_string())
    }

    #[test]
    fn conversions_are_exact_or_errors() {
        for (from, to, value, want) in [
            ("uint8", "int16", "200", Some("200")),
            ("int16", "uint8", "-1", None),
            ("int64", "float64", "9007199254740993", None),
            ("int64", "float64", "9007199254740992", Some("9007199254740992.0")),
            ("float64", "int32", "3.0", Some("3")),
            ("float64", "int32", "3.5", None),
            ("float64", "int32", "-0.0", None),
            ("float64", "int32", "\"NaN\"", None),
            ("float64", "float32", "0.1", None),
            ("float64", "float32", "\"NaN\"", Some("\"NaN\"")),
            ("float64", "float32", "\"-Infinity\"", Some("\"-Infinity\"")),
            ("float32", "float64", "\"0x7fc00001\"", Some("\"0x7ff8000020000000\"")),
            ("float32", "float16", "1.5", Some("1.5")),
            ("float32", "float16", "1e-7", None),
            ("float16", "float64", "\"0x0001\"", Some("5.960464477539063e-8")),
            ("uint8", "bool", "1", Some("true")),
            ("uint8", "bool", "2", None),
            ("bool", "uint8", "true", Some("1")),
            ("float32", "complex64", "1.5", Some("[1.5,0.0]")),
            ("complex64", "float32", "[1,0]", None),
            ("uint64", "float32", "18446744073709551615", None),
            ("r8", "uint8", "[1]", None),
        ] {
            assert_eq!(convert(from, to, value, false).as_deref(), want, "{from} {value} to {to}");
        }
    }

    #[test]
    fn lossy_conversions_round_to_the_nearest() {
        for (from, to, value, want) in [
            ("int16", "uint8", "-1", "0"),
            ("int16", "uint8", "300", "255"),
            ("float64", "int32", "2.5", "2"),
            ("float64", "int8", "1e300", "127"),
            ("float64", "uint8", "\"NaN\"", "0"),
            ("float64", "float16", "65519.9", "65504.0"),
            ("float64", "float16", "65520", "\"Infinity\""),
            ("float64", "float32", "0.1", "0.1"),
        ] {
            assert_eq!(convert(from, to, value, true).as_deref(), Some(want), "{from} {value} to {to}");
        }
    }

    #[test]
    fn every_float16_round_trips() {
        for bits in 0..=u16::MAX {
            assert_eq!(f64_to_f16(f16_to_f64(bits)), bits, "{bits:#x}");
        }
    }
}
