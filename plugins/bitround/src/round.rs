//! Rounds elements in memory, in the machine's byte order.
//!
//! No floating-point arithmetic is used: if the bits are rounded as an integer, the carry into the exponent is correct.

use zarr_plugin_api::{Layout, ScalarKind};

/// The rounding of scalars of one kind and width.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    width: usize,
    bits: Bits,
}

#[derive(Debug, Clone, Copy)]
enum Bits {
    /// All bits are kept.
    All,
    /// Removes `cut` bits, at least one, from a mantissa of the given number of bits.
    Float {
        cut: u32,
        mantissa: u32,
    },
    Integer {
        keep: u32,
        signed: bool,
    },
}

impl Rounding {
    /// Returns `None` for elements that are neither integers nor floating-point numbers.
    pub(crate) fn new(layout: &Layout, keep: u64) -> Option<Self> {
        let Layout::Fixed { kind, width, .. } = *layout else { return None };
        let keep = u32::try_from(keep).unwrap_or(u32::MAX);
        let bits = match (kind, width) {
            (ScalarKind::Float, 2) => Bits::float(10, keep),
            (ScalarKind::Float, 4) => Bits::float(23, keep),
            (ScalarKind::Float, 8) => Bits::float(52, keep),
            (ScalarKind::Int | ScalarKind::UInt, 1 | 2 | 4 | 8) => {
                Bits::Integer { keep, signed: kind == ScalarKind::Int }
            }
            _ => return None,
        };
        Some(Self { width, bits })
    }
    /// Rounds all elements.
    pub(crate) fn apply(self, elements: &mut [u8]) {
        match self.width {
            1 => apply_8(self.bits, elements),
            2 => apply_16(self.bits, elements),
            4 => apply_32(self.bits, elements),
            _ => apply_64(self.bits, elements),
        }
    }
}

impl Bits {
    fn float(mantissa: u32, keep: u32) -> Self {
        match mantissa.saturating_sub(keep) {
            0 => Self::All,
            cut => Self::Float { cut, mantissa },
        }
    }
}

macro_rules! rounding {
    ($($t:ident: $apply:ident, $float:ident, $integer:ident;)*) => { $(
        fn $apply(how: Bits, elements: &mut [u8]) {
            let scalars = elements.as_chunks_mut::<{ size_of::<$t>() }>().0;
            match how {
                Bits::All => {}
                Bits::Float { cut, mantissa } => {
                    let exponent = $t::MAX >> 1 & $t::MAX.unbounded_shl(mantissa);
                    for s in scalars {
                        *s = $float($t::from_ne_bytes(*s), cut, exponent).to_ne_bytes();
                    }
                }
                Bits::Integer { keep, signed } => {
                    for s in scalars {
                        *s = $integer($t::from_ne_bytes(*s), keep, signed).to_ne_bytes();
                    }
                }
            }
        }

        fn $float(bits: $t, cut: u32, exponent: $t) -> $t {
            let odd = bits.unbounded_shr(cut) & 1;
            let below_half = (1 as $t).unbounded_shl(cut - 1).wrapping_sub(1);
            let rounded = bits.wrapping_add(odd).wrapping_add(below_half) & $t::MAX.unbounded_shl(cut);
            // Rounding a NaN could carry into another number.
            if bits & exponent == exponent { bits } else { rounded }
        }

        fn $integer(value: $t, keep: u32, signed: bool) -> $t {
            let cut = ($t::BITS - value.leading_zeros()).saturating_sub(keep);
            if cut == 0 {
                return value;
            }
            let positive = signed && value <= $t::MAX >> 1;
            let max = if positive { $t::MAX >> 1 } else { $t::MAX };
            let odd = value.unbounded_shr(cut) & 1;
            let below_half = (1 as $t).unbounded_shl(cut - 1) - 1;
            value.saturating_add(below_half + odd).min(max) & $t::MAX.unbounded_shl(cut)
        }
    )* };
}

rounding! {
    u8: apply_8, float_8, integer_8;
    u16: apply_16, float_16, integer_16;
    u32: apply_32, float_32, integer_32;
    u64: apply_64, float_64, integer_64;
}
