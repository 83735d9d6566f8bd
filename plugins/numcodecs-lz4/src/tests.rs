use zarr_plugin_api::{
    ErrorKind, Intent, Json, Result, Size,
    testing::{Bench, Codec},
};

const GOLDEN: &[u8] = b"\x04\0\0\0\x40\x01\x02\x03\xfa";

fn create(configuration: &str, size: Size) -> Result<Codec> {
    let json = format!(r#"{{"name":"numcodecs.lz4","configuration":{configuration}}}"#);
    Bench::new().with_intent(Intent::Create).bytes_codec(&json, size)
}

#[test]
fn properties() {
    create("{}", Size::Unknown).unwrap().assert_round_trips().assert_rejects_cuts();
}

#[test]
fn golden_bytes() {
    let codec = create("{}", Size::Exact(4)).unwrap();
    assert!(codec.bytes_to_bytes().encoded_size(Size::Exact(4)).max().is_some());
    assert_eq!(codec.encode(&[1, 2, 3, 250]).unwrap(), GOLDEN);
    assert_eq!(codec.decode_exact(GOLDEN, 4).unwrap(), [1, 2, 3, 250]);
    assert!(codec.decode_exact(GOLDEN, 3).is_err(), "more than there is room for");
}

#[test]
fn a_match_that_overlaps_itself() {
    let codec = create("{}", Size::Unknown).unwrap();
    // One literal, then 19 + 35 bytes at distance one, then five literals.
    let block = b"\x3c\0\0\0\x1fa\x01\0\x23\x50bcdef";
    let want = [&[b'a'; 55][..], b"bcdef"].concat();
    assert_eq!(codec.decode_within(block, 100).unwrap(), want);
    let no_offset = b"\x3c\0\0\0\x1fa\0\0\x23\x50bcdef";
    assert!(codec.decode_within(no_offset, 100).is_err());
}

#[test]
fn sizes_are_checked_before_allocation() {
    let codec = create("{}", Size::Unknown).unwrap();
    for size in [5u32, 61, 1 << 20, u32::MAX] {
        let bytes = [&size.to_le_bytes(), &GOLDEN[4..]].concat();
        for max in [4, 1 << 40] {
            let e = codec.decode_within(&bytes, max).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::Data(_)), "{e}");
        }
    }
    // Fewer bytes than the block contains.
    assert!(codec.decode_within(&[&3u32.to_le_bytes(), &GOLDEN[4..]].concat(), 100).is_err());
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"acceleration":1}"#, r#"{"acceleration":-7}"#, r#"{"id":"lz4","acceleration":12}"#] {
        assert!(create(good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [r#"{"acceleration":"1"}"#, r#"{"acceleration":1.5}"#, r#"{"acceleration":null}"#, r#"{"level":1}"#] {
        let e = create(bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    let written = create("{}", Size::Unknown).unwrap().written;
    assert_eq!(written.configuration().unwrap().get("acceleration"), Some(&Json::from(1)));
    let e = create("{}", Size::Exact(0x7E00_0001)).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
}
