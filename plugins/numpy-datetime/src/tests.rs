use zarr_plugin_api::{
    DataType, Error, ErrorKind, Intent, Json, Layout, Result, ScalarKind,
    testing::{Bench, Made},
};

const NAMES: [&str; 2] = ["numpy.datetime64", "numpy.timedelta64"];

fn create(name: &str, configuration: &str) -> Result<Made<dyn DataType>> {
    let json = format!(r#"{{"name":"{name}","configuration":{configuration}}}"#);
    Bench::new().with_intent(Intent::Create).data_type(&json)
}

fn seconds(name: &str) -> Made<dyn DataType> {
    create(name, r#"{"unit":"s","scale_factor":1}"#).unwrap()
}

#[test]
fn units() {
    let all = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"];
    for name in NAMES {
        for unit in all {
            let configuration = format!(r#"{{"unit":"{unit}","scale_factor":2147483647}}"#);
            let made = create(name, &configuration).unwrap();
            assert_eq!(made.layout(), Layout::scalar(ScalarKind::Int, 8));
            assert_eq!(format!("{:?}", made.object), format!("{name}[2147483647{unit}]"));
            assert_eq!(Json::from(made.configuration).to_string(), configuration);
        }
        for micro in ["\u{3bc}s", "\u{b5}s"] {
            let configuration = format!(r#"{{"unit":"{micro}","scale_factor":1}}"#);
            let made = create(name, &configuration).unwrap();
            assert_eq!(format!("{:?}", made.object), format!("{name}[us]"));
            assert_eq!(made.written.configuration().unwrap().get("unit"), Some(&Json::from("us")));
        }
    }
}

#[test]
fn invalid_configurations_are_refused() {
    let is_configuration = |e: &Error| matches!(e.kind(), ErrorKind::Configuration(_));
    for name in NAMES {
        for bad in [
            "{}",
            r#"{"unit":"s"}"#,
            r#"{"scale_factor":1}"#,
            r#"{"unit":"s","scale_factor":0}"#,
            r#"{"unit":"s","scale_factor":-1}"#,
            r#"{"unit":"s","scale_factor":2147483648}"#,
            r#"{"unit":"s","scale_factor":1.0}"#,
            r#"{"unit":"s","scale_factor":"1"}"#,
            r#"{"unit":"S","scale_factor":1}"#,
            r#"{"unit":"d","scale_factor":1}"#,
            r#"{"unit":"Hour","scale_factor":1}"#,
            r#"{"unit":"","scale_factor":1}"#,
            r#"{"unit":null,"scale_factor":1}"#,
            r#"{"unit":"s","scale_factor":1,"endian":"little"}"#,
        ] {
            let e = create(name, bad).unwrap_err();
            assert!(is_configuration(&e), "{bad}: {e}");
        }
        assert!(is_configuration(&Bench::new().data_type(name).unwrap_err()));
    }
}

#[test]
fn fill_values() {
    for name in NAMES {
        let data_type = seconds(name);
        for (text, n) in [
            ("0", 0),
            ("-1", -1),
            ("1736942400", 1_736_942_400),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775807", i64::MIN + 1),
            ("\"NaT\"", i64::MIN),
        ] {
            let element = data_type.fill(text).unwrap();
            assert_eq!(element, n.to_ne_bytes(), "{text}");
            assert_eq!(data_type.fill_to_json(&element).unwrap(), text.parse().unwrap());
        }
        let nat = data_type.fill("-9223372036854775808").unwrap();
        assert_eq!(nat, data_type.fill_from_json(&data_type.default_fill()).unwrap());
        assert_eq!(data_type.fill_to_json(&nat).unwrap(), Json::from("NaT"));
        for bad in [
            "9223372036854775808",
            "-9223372036854775809",
            "1.0",
            "1e3",
            "\"nat\"",
            "\"NaN\"",
            "\"0\"",
            "\"2025-01-15\"",
            "true",
            "null",
            "[0]",
        ] {
            let e = data_type.fill(bad).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::FillValue(_)), "{bad}: {e}");
        }
        for n in [0, 4, 7, 9, 16] {
            assert!(data_type.fill_to_json(&vec![0; n]).is_err());
        }
    }
}
