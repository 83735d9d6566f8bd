#[path = "../../laws.rs"]
mod laws;

use laws::{create, decode, decode_growing, encode};
use zarr_plugin_api::{ErrorKind, Json, Size};

const NAME: &str = "numcodecs.zlib";
const GOLDEN: &[u8] = b"\x78\x01\x63\x64\x62\xfe\x05\0\x01\x0e\x01\x01";

#[test]
fn laws() {
    for level in [-1, 0, 1, 9] {
        let sizes = [0, 1, 3, 127, 1000, 4096, 70_001];
        laws::check(NAME, &format!(r#"{{"level":{level}}}"#), &sizes, true, true);
    }
}

#[test]
fn golden_bytes() {
    let codec = create(NAME, "{}", Size::Exact(4)).unwrap().0;
    assert_eq!(decode(&*codec, GOLDEN, 4).unwrap(), [1, 2, 3, 250]);
    assert!(decode(&*codec, GOLDEN, 3).is_err(), "more than there is room for");
}

#[test]
fn nothing_may_follow_the_stream() {
    for size in [Size::Exact(4), Size::Unknown] {
        let codec = create(NAME, "{}", size).unwrap().0;
        for tail in [&b"x"[..], GOLDEN] {
            let bytes = [GOLDEN, tail].concat();
            assert!(decode(&*codec, &bytes, 4).is_err());
            assert!(decode_growing(&*codec, &bytes, 100).is_err());
        }
    }
}

#[test]
fn what_decodes_to_too_much_is_refused() {
    let codec = create(NAME, "{}", Size::Unknown).unwrap().0;
    let bomb = encode(&*codec, &vec![0; 10 << 20]);
    assert!(decode_growing(&*codec, &bomb, 1 << 20).is_err());
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"level":-1}"#, r#"{"level":9}"#, r#"{"id":"zlib","level":0}"#] {
        assert!(create(NAME, good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [
        r#"{"level":10}"#,
        r#"{"level":-2}"#,
        r#"{"level":"1"}"#,
        r#"{"level":1.5}"#,
        r#"{"level":null}"#,
        r#"{"wbits":15}"#,
    ] {
        let e = create(NAME, bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    let written = create(NAME, "{}", Size::Unknown).unwrap().1;
    assert_eq!(written.configuration().unwrap().get("level"), Some(&Json::from(1)));
}
