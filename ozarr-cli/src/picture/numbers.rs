//! Converts elements to numbers that can be drawn.

use half::f16;
use ozarr::{
    Array, Error, Result,
    zarr_core::layout::{Layout, ScalarKind},
};

/// An element in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A number, or the magnitude of a complex number.
    Value(f64),
    /// Not a number.
    Nan,
    /// The fill value of the array.
    Fill,
}

/// Converts the elements of an array to numbers.
#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    pub(crate) kind: ScalarKind,
    /// The size of one scalar in bytes.
    pub(crate) width: usize,
    pub(crate) is_complex: bool,
    /// The fill value, if it is drawn in a separate color.
    fill: Option<Vec<u8>>,
}

impl Numbers {
    /// Returns the conversion for an array.
    ///
    /// # Errors
    /// If its elements are not numbers.
    pub(crate) fn of(array: &Array) -> Result<Self> {
        use ScalarKind::{Bool, Float, Int, UInt};
        let r = array.representation();
        if let &Layout::Fixed { kind, width, components } = r.layout()
            && matches!(
                (kind, width, components),
                (Bool, 1, 1) | (Int | UInt, 1 | 2 | 4 | 8, 1) | (Float, 2 | 4 | 8, 1 | 2)
            )
        {
            // Both values of a boolean are data.
            let fill = (kind != Bool).then(|| r.fill().to_vec());
            return Ok(Self { kind, width, is_complex: components == 2, fill });
        }
        let name = array.metadata().data_type().name();
        let e = Error::argument(format!("cannot draw elements of data type `{}`", ozarr::text::name(name)));
        Err(e.with_hint("print them with `ozarr read`"))
    }
    /// Treats a fill value of zero as any other number: it is seldom a mark for missing data.
    #[must_use]
    pub(crate) fn without_zero_fill(self) -> Self {
        if self.fill.iter().flatten().all(|byte| *byte == 0) { self.without_fill() } else { self }
    }
    /// Treats the fill value as any other number.
    #[must_use]
    pub(crate) fn without_fill(self) -> Self {
        Self { fill: None, ..self }
    }
    /// Returns the size of one element in bytes.
    pub(crate) fn size(&self) -> usize {
        if self.is_complex { 2 * self.width } else { self.width }
    }
    /// True if the elements are booleans.
    pub(crate) fn is_bool(&self) -> bool {
        self.kind == ScalarKind::Bool
    }
    /// Converts an element, which has [`size`](Self::size) bytes in native byte order.
    pub(crate) fn number(&self, element: &[u8]) -> Number {
        let (first, second) = element.split_at(self.width.min(element.len()));
        let mut value = self.scalar(first);
        if self.is_complex {
            value = value.hypot(self.scalar(second));
        }
        match &self.fill {
            _ if value.is_nan() => Number::Nan,
            Some(fill) if fill == element => Number::Fill,
            _ => Number::Value(value),
        }
    }
    /// Converts one scalar of an element.
    pub(crate) fn scalar(&self, bytes: &[u8]) -> f64 {
        let wide = || <[u8; 8]>::try_from(bytes).unwrap_or_default();
        match (self.kind, bytes) {
            (ScalarKind::Float, &[a, b]) => f16::from_ne_bytes([a, b]).to_f64(),
            (ScalarKind::Float, &[a, b, c, d]) => f32::from_ne_bytes([a, b, c, d]).into(),
            (ScalarKind::Float, _) => f64::from_ne_bytes(wide()),
            (ScalarKind::Int, _) => self.integer(bytes) as f64,
            (_, &[a]) => a.into(),
            (_, &[a, b]) => u16::from_ne_bytes([a, b]).into(),
            (_, &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]).into(),
            _ => u64::from_ne_bytes(wide()) as f64,
        }
    }
    /// Converts one scalar of an integer element.
    pub(crate) fn integer(&self, bytes: &[u8]) -> i128 {
        let wide = || <[u8; 8]>::try_from(bytes).unwrap_or_default();
        match (self.kind, bytes) {
            (ScalarKind::Int, &[a]) => i8::from_ne_bytes([a]).into(),
            (ScalarKind::Int, &[a, b]) => i16::from_ne_bytes([a, b]).into(),
            (ScalarKind::Int, &[a, b, c, d]) => i32::from_ne_bytes([a, b, c, d]).into(),
            (ScalarKind::Int, _) => i64::from_ne_bytes(wide()).into(),
            (_, &[a]) => a.into(),
            (_, &[a, b]) => u16::from_ne_bytes([a, b]).into(),
            (_, &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]).into(),
            _ => u64::from_ne_bytes(wide()).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::{Hierarchy, NewArray};

    fn numbers(data_type: &str) -> Result<Numbers> {
        Numbers::of(&Hierarchy::in_memory().create_array("/a", NewArray::new([2], data_type)).unwrap())
    }

    #[test]
    fn elements_of_each_type_are_numbers() {
        let of = |data_type: &str, element: &[u8]| numbers(data_type).unwrap().number(element);
        assert_eq!(of("int8", &(-3i8).to_ne_bytes()), Number::Value(-3.0));
        assert_eq!(of("int16", &(-300i16).to_ne_bytes()), Number::Value(-300.0));
        assert_eq!(of("int32", &i32::MIN.to_ne_bytes()), Number::Value(-2_147_483_648.0));
        assert_eq!(of("int64", &(-7i64).to_ne_bytes()), Number::Value(-7.0));
        assert_eq!(of("uint8", &[200]), Number::Value(200.0));
        assert_eq!(of("uint16", &65_535u16.to_ne_bytes()), Number::Value(65_535.0));
        assert_eq!(of("uint32", &u32::MAX.to_ne_bytes()), Number::Value(4_294_967_295.0));
        assert_eq!(of("uint64", &u64::MAX.to_ne_bytes()), Number::Value(u64::MAX as f64));
        assert_eq!(of("float16", &f16::from_f64(1.5).to_ne_bytes()), Number::Value(1.5));
        assert_eq!(of("float32", &f32::NEG_INFINITY.to_ne_bytes()), Number::Value(f64::NEG_INFINITY));
        assert_eq!(of("float64", &f64::NAN.to_ne_bytes()), Number::Nan);
        assert_eq!(of("bool", &[0]), Number::Value(0.0));
        assert_eq!(of("complex64", &[3f32, -4.0].map(f32::to_ne_bytes).concat()), Number::Value(5.0));
        assert_eq!(of("complex128", &[1.0, f64::NAN].map(f64::to_ne_bytes).concat()), Number::Nan);
    }

    #[test]
    fn the_fill_value_is_distinguished_from_other_numbers() {
        let of = numbers("int16").unwrap();
        assert_eq!([of.number(&[0, 0]), of.clone().without_fill().number(&[0, 0])], [Number::Fill, Number::Value(0.0)]);
    }

    #[test]
    fn a_fill_value_of_zero_is_a_number() {
        let of = numbers("int16").unwrap();
        assert_eq!(of.clone().without_zero_fill().number(&[0, 0]), Number::Value(0.0));
        let marked = Numbers { fill: Some(vec![1, 0]), ..of };
        assert_eq!(marked.without_zero_fill().number(&[1, 0]), Number::Fill);
    }

    #[test]
    fn elements_that_are_not_numbers_are_refused() {
        for data_type in ["string", "r16"] {
            let e = numbers(data_type).unwrap_err().to_string();
            assert!(e.contains(&format!("cannot draw elements of data type `{data_type}`")), "{e}");
        }
    }
}
