//! Encodes pixels as PNG.

use super::pixels::Pixels;
use ozarr::{Error, ErrorKind, Result};
use std::io;

/// Returns a picture as the bytes of a PNG file.
///
/// # Errors
/// If it has no pixels, or too many.
pub(crate) fn encode(pixels: &Pixels) -> Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).map_err(|_| Error::from(ErrorKind::Memory(n as u64)));
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, side(pixels.width)?, side(pixels.height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::from)?;
    writer.write_image_data(pixels.colors.as_flattened()).map_err(io::Error::from)?;
    writer.finish().map_err(io::Error::from)?;
    Ok(out)
}
