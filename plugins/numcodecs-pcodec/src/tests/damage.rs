//! Files that are truncated, changed, or crafted to request memory result in an error or in wrong numbers, and nothing
//! else.

use super::{CONFIGURATIONS, bytes_of, create, decode, encode};
use crate::claims;
use pco::{ChunkConfig, DeltaSpec, ModeSpec, data_types::Number, standalone::simple_compress};
use proptest::prelude::*;
use zarr_plugin_api::{ErrorKind, View};

fn cut_and_flip<T: Number + bytemuck::Pod>(data_type: &str, numbers: &[T]) {
    let (element, all) = (size_of::<T>(), bytes_of(numbers));
    for configuration in CONFIGURATIONS {
        // A page for each number results in long files.
        let count = if configuration.contains(":1}") { 9 } else { numbers.len() };
        let (decoded, shape) = (&all[..count * element], [count as u64]);
        let codec = create(configuration, data_type, &shape);
        let encoded = encode(&codec, &View::new(decoded, &shape, element).unwrap());
        for cut in 0..encoded.len() {
            let e = decode(&codec, &encoded[..cut], decoded.len(), element, cut % 2 == 0).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
        }
        let longer = [&encoded[..], &[0]].concat();
        assert!(decode(&codec, &longer, decoded.len(), element, true).is_err());
        for at in 0..encoded.len() {
            for changed in [encoded[at] ^ 1, encoded[at] ^ 4, encoded[at] ^ 0x20, encoded[at] ^ 0x80, 0, 0xff] {
                let mut bad = encoded.clone();
                bad[at] = changed;
                if let Err(e) = decode(&codec, &bad, decoded.len(), element, at % 2 == 0) {
                    assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
                }
            }
        }
    }
}

#[test]
fn truncated_and_changed_files_do_not_panic() {
    cut_and_flip("int64", &(0..400i64).map(|i| i * 3 % 97).collect::<Vec<_>>());
    cut_and_flip("float32", &(0..300).map(|i| (i * i % 53) as f32 / 10.).collect::<Vec<_>>());
    cut_and_flip("uint16", &(0..260u16).map(|i| i.wrapping_mul(40_503)).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), mode in 0u8..5, delta in 0u8..4) {
        let codec = create("{}", "uint32", &[300]);
        let zeros = encode(&codec, &View::new(&[0; 1200], &[300], 4).unwrap());
        // One part of 300 numbers in each mode and kind of deltas, followed by noise.
        let count = zeros.windows(3).position(|w| w == [0x2b, 1, 0]).unwrap();
        let file = [&zeros[..count + 3], &[mode | delta << 4], &bytes].concat();
        for file in [file, [&zeros[..count + 3], &bytes].concat(), bytes] {
            if let Err(e) = decode(&codec, &file, 1200, 4, mode % 2 == 0) {
                assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
            }
        }
    }
}

#[test]
fn claimed_sizes_need_enough_input() {
    // The bytes after the header of a file: type, 24 bits for the count minus one, 4 bits for the mode.
    let dictionary = b"\x01\x03\0\0\xf4\xff\xff\x1f\x01\0\0\0\x02\0\0\0";
    let e = claims::check(dictionary, 4, 4, true).unwrap_err();
    assert!(e.to_string().contains("dictionary of 33554431 entries"), "{e}");
    let dictionary = b"\x01\x03\0\0\x24\0\0\0\x01\0\0\0\x02\0\0\0";
    assert!(claims::check(dictionary, 4, 4, true).is_ok());
    assert!(claims::check(&dictionary[..15], 4, 4, true).is_err(), "two entries need 8 bytes");
    for (numbers, log, fine) in [(4u32, 15, true), (4, 16, false), (1 << 16, 16, true), (1 << 16, 17, false)] {
        for (mode, at) in [(0u8, 36), (3, 44), (1, 36 + 32), (2, 36 + 32), (4, 64 + 32)] {
            let mut part = [0u8; 32];
            part[0] = 1;
            part[1..4].copy_from_slice(&(numbers - 1).to_le_bytes()[..3]);
            part[4] = mode;
            if mode == 4 {
                part[4] |= 0x10;
            }
            let delta = (2u128 | (log - 1) << 4) << at;
            part.iter_mut().zip(delta.to_le_bytes()).for_each(|(p, d)| *p |= d);
            assert_eq!(claims::check(&part, 4, 1 << 20, true).is_ok(), fine, "mode {mode}, window {log}");
            assert!(claims::check(&part, 4, 1 << 20, false).is_ok(), "a version without windows");
            assert!(claims::check(&part, 4, numbers as usize - 1, true).is_err(), "more than there is room for");
        }
    }
    for end in [&b""[..], b"\0", b"\0\xff\xff\xff"] {
        assert!(claims::check(end, 8, 0, true).is_ok());
    }
}

#[test]
fn pco_files_that_claim_too_much_are_refused() {
    let numbers: Vec<u32> = (0..300u32).map(|i| [7, 1 << 20, 900, 5 << 28][(i * i % 7 % 4) as usize]).collect();
    let codec = create("{}", "uint32", &[300]);
    for (config, mode, change, says) in [
        (ChunkConfig::default().with_mode_spec(ModeSpec::TryDict), 4, [0, 0, 0xf0, 0x1f], "a dictionary of"),
        (
            ChunkConfig::default().with_mode_spec(ModeSpec::Classic).with_delta_spec(DeltaSpec::TryLookback),
            0x20,
            [0, 16, 0, 0],
            "a window of",
        ),
    ] {
        let mut file = simple_compress(&numbers, &config).unwrap();
        assert_eq!(decode(&codec, &file, 1200, 4, true).unwrap(), bytes_of(&numbers));
        let part = file.windows(3).position(|w| w == [0x2b, 1, 0]).unwrap() + 3;
        assert_eq!(file[part] & if mode == 4 { 15 } else { 0xff }, mode);
        file[part..].iter_mut().zip(change).for_each(|(f, c)| *f |= c);
        let e = decode(&codec, &file, 1200, 4, true).unwrap_err();
        assert!(e.to_string().contains(says), "{e}");
    }
}
