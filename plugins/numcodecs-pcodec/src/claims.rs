//! Checks the memory that a part of a file requests against the available input and output, before pco allocates it.
//!
//! Specification: the page on the format of pco. A part begins with a byte for the type of its numbers and 24 bits for
//! their count minus one, followed by the mode and the kind of deltas. All are read from the lowest bit.

use zarr_plugin_api::{Error, Result};

/// Writers use windows of up to this many numbers, however few numbers there are.
const MIN_WINDOW: u64 = 1 << 15;

/// Checks a part. `part` is the rest of the file, `width` is the size of a number in bytes, and the output has room for
/// `room` numbers. `windows` states whether the version has deltas that refer to earlier numbers in a window.
pub(crate) fn check(part: &[u8], width: usize, room: usize, windows: bool) -> Result<()> {
    if part.first().is_none_or(|kind| *kind == 0) {
        return Ok(());
    }
    let numbers = bits(part, 8, 24) + 1;
    if numbers > room as u64 {
        return Err(too_many());
    }
    let delta = match bits(part, 32, 4) {
        1 | 2 => 36 + 8 * width,
        3 => 44,
        4 => {
            let (entries, start) = (bits(part, 36, 25), 8);
            // At most 25 bits times 8.
            let bytes = entries as usize * width;
            if bytes > part.len().saturating_sub(start) {
                return Err(Error::data(format!("a dictionary of {entries} entries is truncated")));
            }
            8 * (start + bytes)
        }
        _ => 36,
    };
    if windows && bits(part, delta, 4) == 2 {
        let window = 2u64 << bits(part, delta + 4, 5);
        if window > numbers.next_power_of_two().max(MIN_WINDOW) {
            return Err(Error::data(format!("a window of {window} elements is too large for {numbers} elements")));
        }
    }
    Ok(())
}

pub(crate) fn too_many() -> Error {
    Error::data("more elements than expected")
}

/// Reads up to 32 bits. Bits beyond the end are zero.
fn bits(bytes: &[u8], at: usize, count: u32) -> u64 {
    let from = bytes.get(at / 8..).unwrap_or_default();
    let word = from.iter().take(5).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    word >> (at % 8) & ((1 << count) - 1)
}
