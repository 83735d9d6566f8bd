//! Maps numbers to colors.

use clap::ValueEnum;

/// A color: red, green and blue.
pub(crate) type Rgb = [u8; 3];

/// The default color of NaN, which is in no colormap.
pub(crate) const NAN: Rgb = [255, 0, 255];

/// Colors by name.
const NAMES: [(&str, Rgb); 9] = [
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("gray", [128, 128, 128]),
    ("red", [255, 0, 0]),
    ("green", [0, 128, 0]),
    ("blue", [0, 0, 255]),
    ("yellow", [255, 255, 0]),
    ("cyan", [0, 255, 255]),
    ("magenta", NAN),
];

/// The colors of the numbers in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colormap {
    /// Violet, green, yellow; perceptually uniform
    Viridis,
    /// Black, red, yellow
    Inferno,
    /// Black to white
    Gray,
    /// Blue, white, red; for values on both sides of a center
    Coolwarm,
}

impl Colormap {
    /// Returns colors at equal distances, the lowest first.
    fn stops(self) -> &'static [Rgb] {
        match self {
            Colormap::Viridis => &[
                [0x44, 0x01, 0x54],
                [0x47, 0x2d, 0x7b],
                [0x3b, 0x52, 0x8b],
                [0x2c, 0x72, 0x8e],
                [0x21, 0x90, 0x8c],
                [0x27, 0xad, 0x81],
                [0x5d, 0xc8, 0x63],
                [0xaa, 0xdc, 0x32],
                [0xfd, 0xe7, 0x25],
            ],
            Colormap::Inferno => &[
                [0x00, 0x00, 0x04],
                [0x21, 0x0c, 0x4a],
                [0x56, 0x10, 0x6e],
                [0x89, 0x22, 0x6a],
                [0xbb, 0x37, 0x54],
                [0xe3, 0x59, 0x32],
                [0xf9, 0x8c, 0x0a],
                [0xf9, 0xc9, 0x32],
                [0xfc, 0xff, 0xa4],
            ],
            Colormap::Gray => &[[0, 0, 0], [255, 255, 255]],
            Colormap::Coolwarm => &[[0x3b, 0x4c, 0xc0], [0xdd, 0xdd, 0xdd], [0xb4, 0x04, 0x26]],
        }
    }
    /// Returns the color of a fraction of the range: 0 is the lowest number, 1 the highest.
    pub(crate) fn at(self, share: f64) -> Rgb {
        let stops = self.stops();
        let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let below = (place as usize).min(stops.len() - 2);
        let part = place - below as f64;
        std::array::from_fn(|i| {
            let (a, b) = (f64::from(stops[below][i]), f64::from(stops[below + 1][i]));
            (a + (b - a) * part).round() as u8
        })
    }
    /// Returns a color for the fill value that is not in the colormap.
    pub(crate) fn fill_color(self) -> Rgb {
        match self {
            Colormap::Gray => [0, 80, 200],
            Colormap::Coolwarm => [64, 64, 64],
            Colormap::Viridis | Colormap::Inferno => [128, 128, 128],
        }
    }
}

/// Parses a color: `#RRGGBB` or a name.
pub(crate) fn color(text: &str) -> Result<Rgb, String> {
    if let Some((_, rgb)) = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok(*rgb);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let is_hexadecimal = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    match u32::from_str_radix(digits, 16) {
        Ok(number) if is_hexadecimal => Ok([(number >> 16) as u8, (number >> 8) as u8, number as u8]),
        _ => {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            Err(format!("expected `#RRGGBB` or one of {}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colormaps_reach_both_end_colors() {
        for map in Colormap::value_variants() {
            let stops = map.stops();
            assert_eq!([map.at(0.0), map.at(1.0)], [stops[0], stops[stops.len() - 1]], "{map:?}");
            assert_eq!([map.at(-3.0), map.at(f64::INFINITY)], [map.at(0.0), map.at(1.0)], "{map:?}");
            for i in 0..=1000 {
                let color = map.at(f64::from(i) / 1000.0);
                assert!(color != NAN && color != map.fill_color(), "{map:?} {i}");
            }
        }
        assert_eq!(Colormap::Gray.at(0.5), [128, 128, 128]);
        assert_eq!(Colormap::Viridis.at(0.5), [0x21, 0x90, 0x8c]);
    }

    #[test]
    fn colors_are_names_or_hexadecimal() {
        assert_eq!(color("#0a0B0c"), Ok([10, 11, 12]));
        assert_eq!(color("ff0000"), Ok([255, 0, 0]));
        assert_eq!(color("Black"), Ok([0, 0, 0]));
        for wrong in ["", "#", "#12345", "#1234567", "+12345", "#gg0000", "ä"] {
            assert!(color(wrong).is_err(), "{wrong}");
        }
    }
}
