use zarr_plugin_api::{
    ErrorKind, Intent, Json, Result, Size,
    testing::{Bench, Codec},
};

fn create(configuration: &str, size: Size) -> Result<Codec> {
    let json = format!(r#"{{"name":"numcodecs.shuffle","configuration":{configuration}}}"#);
    Bench::new().with_intent(Intent::Create).bytes_codec(&json, size)
}

#[test]
fn properties() {
    for n in [0, 1, 2, 3, 4, 5, 8, 16] {
        let codec = create(&format!(r#"{{"elementsize":{n}}}"#), Size::Unknown).unwrap().with_multiple(n.max(1));
        codec.assert_round_trips().assert_survives_damage();
    }
}

#[test]
fn golden_bytes() {
    let codec = create(r#"{"elementsize":2}"#, Size::Exact(4)).unwrap();
    assert_eq!(codec.encode(&[1, 2, 3, 250]).unwrap(), [1, 3, 2, 250]);
    assert_eq!(codec.decode_exact(&[1, 3, 2, 250], 4).unwrap(), [1, 2, 3, 250]);
    let codec = create(r#"{"elementsize":3}"#, Size::Exact(6)).unwrap();
    assert_eq!(codec.encode(b"abcdef").unwrap(), b"adbecf");
    assert_eq!(codec.bytes_to_bytes().encoded_size(Size::Exact(6)), Size::Exact(6));
}

#[test]
fn whole_elements_only() {
    let e = create("{}", Size::Exact(6)).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
    let codec = create("{}", Size::Unknown).unwrap();
    for n in [1, 2, 3, 5, 7, 9] {
        assert!(codec.decode_within(&vec![0; n], 100).is_err(), "{n}");
    }
    assert!(codec.decode_within(&[0; 8], 7).is_err(), "more than it should");
}

#[test]
fn configurations() {
    for good in ["{}", r#"{"elementsize":0}"#, r#"{"elementsize":null}"#, r#"{"id":"shuffle","elementsize":8}"#] {
        assert!(create(good, Size::Unknown).is_ok(), "{good}");
    }
    for bad in [r#"{"elementsize":-1}"#, r#"{"elementsize":"4"}"#, r#"{"elementsize":1.5}"#, r#"{"size":4}"#] {
        let e = create(bad, Size::Unknown).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
    }
    for four in ["{}", r#"{"elementsize":null}"#] {
        let written = create(four, Size::Unknown).unwrap().written;
        assert_eq!(written.configuration().unwrap().get("elementsize"), Some(&Json::from(4)));
    }
}
