#[path = "../../laws.rs"]
mod laws;

use laws::{create, decode, decode_growing, encode};
use zarr_plugin_api::{ErrorKind, Json, Size};

const NAME: &str = "numcodecs.lz4";
const GOLDEN: &[u8] = b"\x04\0\0\0\x40\x01\x02\x03\xfa";

#[test]
fn laws() {
    laws::check(NAME, "{}", &[0, 1, 3, 12, 13, 127, 128, 1000, 4096, 70_001], true, false);
}

#[test]
fn golden_bytes() {
    let codec = create(NAME, "{}", Size::Exact(4)).unwrap().0;
    assert_eq!(encode(&*codec, &[1, 2, 3, 250]), GOLDEN);
    assert_eq!(decode(&*codec, GOLDEN, 4).unwrap(), [1, 2, 3, 250]);
    assert!(decode(&*codec, GOLDEN, 3).is_err(), "more than there is room for");
}

#[test]
fn a_match_that_overlaps_itself() {
    let codec = create(NAME, "{}", Size::Unknown).unwrap().0;
    // One literal, then 19 + 35 bytes from one byte before, then five literals.
    let block = b"\x3c\0\0\0\x1fa\x01\0\x23\x50bcdef";
    let want = [&[b'a'; 55][..], b"bcdef"].concat();
    assert_eq!(decode_growing(&*codec, block, 100).unwrap(), want);
    let no_offset = b"\x3c\0\0\0\x1fa\0\0\x23\x50bcdef";
    assert!(decode_growing(&*codec, no_offset, 100).is_err());
}

#[test]
fn sizes_are_checked_before_memory_is_asked_for() {
    let codec = create(NAME, "{}", Size::Unknown).unwrap().0;
    for size in [5u32, 61, 1 << 20, u32::MAX] {
        let bytes = [&size.to_le_bytes(), &GOLDEN[4..]].concat();
        for max in [4, 1 << 40] {
            let e = decode_growing(&*codec, &bytes, max).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
        }
    }
    // Less than the block holds.
    assert!(decode_growing(&*codec, &[&3u32.to_le_bytes(), &GOLDEN[4..]].concat(), 100).is_err());
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"acceleration":1}"#, r#"{"acceleration":-7}"#, r#"{"id":"lz4","acceleration":12}"#] {
        assert!(create(NAME, good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [r#"{"acceleration":"1"}"#, r#"{"acceleration":1.5}"#, r#"{"acceleration":null}"#, r#"{"level":1}"#] {
        let e = create(NAME, bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    let written = create(NAME, "{}", Size::Unknown).unwrap().1;
    assert_eq!(written.configuration().unwrap().get("acceleration"), Some(&Json::from(1)));
    let e = create(NAME, "{}", Size::Exact(0x7E00_0001)).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
}
