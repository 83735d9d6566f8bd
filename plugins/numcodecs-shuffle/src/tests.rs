#[path = "../../laws.rs"]
mod laws;

use laws::{create, decode, decode_growing, encode};
use zarr_plugin_api::{ErrorKind, Json, Size};

const NAME: &str = "numcodecs.shuffle";

#[test]
fn laws() {
    for n in [0, 1, 2, 3, 4, 5, 8, 16] {
        let sizes: Vec<usize> = [0, 1, 3, 7, 100, 1001].iter().map(|count| count * n.max(1)).collect();
        laws::check(NAME, &format!(r#"{{"elementsize":{n}}}"#), &sizes, false, false);
    }
}

#[test]
fn golden_bytes() {
    let codec = create(NAME, r#"{"elementsize":2}"#, Size::Exact(4)).unwrap().0;
    assert_eq!(encode(&*codec, &[1, 2, 3, 250]), [1, 3, 2, 250]);
    assert_eq!(decode(&*codec, &[1, 3, 2, 250], 4).unwrap(), [1, 2, 3, 250]);
    let codec = create(NAME, r#"{"elementsize":3}"#, Size::Exact(6)).unwrap().0;
    assert_eq!(encode(&*codec, b"abcdef"), b"adbecf");
    assert_eq!(codec.encoded_size(Size::Exact(6)), Size::Exact(6));
}

#[test]
fn whole_elements_only() {
    let e = create(NAME, "{}", Size::Exact(6)).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
    let codec = create(NAME, "{}", Size::Unknown).unwrap().0;
    for n in [1, 2, 3, 5, 7, 9] {
        assert!(decode_growing(&*codec, &vec![0; n], 100).is_err(), "{n}");
    }
    assert!(decode_growing(&*codec, &[0; 8], 7).is_err(), "more than it should");
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"elementsize":0}"#, r#"{"elementsize":null}"#, r#"{"id":"shuffle","elementsize":8}"#] {
        assert!(create(NAME, good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [r#"{"elementsize":-1}"#, r#"{"elementsize":"4"}"#, r#"{"elementsize":1.5}"#, r#"{"size":4}"#] {
        let e = create(NAME, bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    for four in ["{}", r#"{"elementsize":null}"#] {
        let written = create(NAME, four, Size::Unknown).unwrap().1;
        assert_eq!(written.configuration().unwrap().get("elementsize"), Some(&Json::from(4)));
    }
}
