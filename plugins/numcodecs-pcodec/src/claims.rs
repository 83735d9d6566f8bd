//! What a part of a file asks memory for, compared with what there is before pco makes that memory.
//!
//! Specification: the page on the format of pco. A part begins with a byte for the type of its numbers and 24 bits for
//! how many there are, less one; then come the mode, and how deltas were made. All are read from the lowest bit.

use zarr_plugin_api::{Error, Result};

/// Writers make windows of up to so many numbers however few there are.
const MIN_WINDOW: u64 = 1 << 15;

/// `part` is the rest of the file, `width` the bytes of a number; there is room for `room` numbers. `windows`: the
/// version has deltas that look back in a window.
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
            // 25 bits times 8 at most.
            let bytes = entries as usize * width;
            if bytes > part.len().saturating_sub(start) {
                return Err(Error::data(format!("a dictionary of {entries} entries is cut short")));
            }
            8 * (start + bytes)
        }
        _ => 36,
    };
    if windows && bits(part, delta, 4) == 2 {
        let window = 2u64 << bits(part, delta + 4, 5);
        if window > numbers.next_power_of_two().max(MIN_WINDOW) {
            return Err(Error::data(format!("a window of {window} elements for {numbers}")));
        }
    }
    Ok(())
}

pub(crate) fn too_many() -> Error {
    Error::data("more elements than the chunk has")
}

/// Up to 32 bits; those beyond the end are zero.
fn bits(bytes: &[u8], at: usize, count: u32) -> u64 {
    let from = bytes.get(at / 8..).unwrap_or_default();
    let word = from.iter().take(5).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    word >> (at % 8) & ((1 << count) - 1)
}
