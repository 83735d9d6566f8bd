use zarr_plugin_api::{
    ErrorKind, Intent, Json, Result, Size,
    testing::{Bench, Codec},
};

const GOLDEN: &[u8] = b"\x78\x01\x63\x64\x62\xfe\x05\0\x01\x0e\x01\x01";

fn create(configuration: &str, size: Size) -> Result<Codec> {
    let json = format!(r#"{{"name":"numcodecs.zlib","configuration":{configuration}}}"#);
    Bench::new().with_intent(Intent::Create).bytes_codec(&json, size)
}

#[test]
fn properties() {
    for level in [-1, 0, 1, 9] {
        let codec = create(&format!(r#"{{"level":{level}}}"#), Size::Unknown).unwrap();
        codec.assert_round_trips().assert_rejects_damage();
    }
}

#[test]
fn golden_bytes() {
    let codec = create("{}", Size::Exact(4)).unwrap();
    assert!(codec.bytes_to_bytes().encoded_size(Size::Exact(4)).max().is_some());
    assert_eq!(codec.decode_exact(GOLDEN, 4).unwrap(), [1, 2, 3, 250]);
    assert!(codec.decode_exact(GOLDEN, 3).is_err(), "more than there is room for");
}

#[test]
fn nothing_may_follow_the_stream() {
    for size in [Size::Exact(4), Size::Unknown] {
        let codec = create("{}", size).unwrap();
        for tail in [&b"x"[..], GOLDEN] {
            let bytes = [GOLDEN, tail].concat();
            assert!(codec.decode_exact(&bytes, 4).is_err());
            assert!(codec.decode_within(&bytes, 100).is_err());
        }
    }
}

#[test]
fn output_beyond_the_limit_is_refused() {
    let codec = create("{}", Size::Unknown).unwrap();
    let bomb = codec.encode(&vec![0; 10 << 20]).unwrap();
    assert!(codec.decode_within(&bomb, 1 << 20).is_err());
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"level":-1}"#, r#"{"level":9}"#, r#"{"id":"zlib","level":0}"#] {
        assert!(create(good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [
        r#"{"level":10}"#,
        r#"{"level":-2}"#,
        r#"{"level":"1"}"#,
        r#"{"level":1.5}"#,
        r#"{"level":null}"#,
        r#"{"wbits":15}"#,
    ] {
        let e = create(bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    let written = create("{}", Size::Unknown).unwrap().written;
    assert_eq!(written.configuration().unwrap().get("level"), Some(&Json::from(1)));
}
