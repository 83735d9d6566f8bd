//! Tests that every permitted fill value is read exactly, and that all others are rejected.

use crate::{
    data_type::DataType,
    extension::Extension,
    json::Json,
    layout::{Layout, ScalarKind},
    limits::Limits,
    registry::Registry,
};
use proptest::prelude::*;
use std::sync::Arc;

const FIXED: &[&str] = &[
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "r8",
    "r16",
    "r24",
    "r128",
];

fn data_type(name: &str) -> Option<Arc<dyn DataType>> {
    let registry = Registry::builtin();
    registry.data_type(&Extension::short_hand(name), &Limits::default()).ok().map(|i| i.object)
}
/// The sizes and kinds of the specification's table of data types.
#[test]
fn sizes_and_kinds() {
    use ScalarKind::*;
    for (name, kind, width, components) in [
        ("bool", Bool, 1, 1),
        ("int8", Int, 1, 1),
        ("int16", Int, 2, 1),
        ("int32", Int, 4, 1),
        ("int64", Int, 8, 1),
        ("uint8", UInt, 1, 1),
        ("uint16", UInt, 2, 1),
        ("uint32", UInt, 4, 1),
        ("uint64", UInt, 8, 1),
        ("float16", Float, 2, 1),
        ("float32", Float, 4, 1),
        ("float64", Float, 8, 1),
        ("complex64", Float, 4, 2),
        ("complex128", Float, 8, 2),
    ] {
        assert_eq!(data_type(name).unwrap().layout(), Layout::Fixed { kind, width, components }, "{name}");
    }
    for (name, size) in [("r8", 1), ("r16", 2), ("r24", 3), ("r128", 16)] {
        let layout = data_type(name).unwrap().layout();
        assert!(matches!(layout, Layout::Fixed { kind: Raw, .. }) && layout.size() == size, "{name}: {layout:?}");
    }
}

#[test]
fn permitted_values() {
    let f32 = |bits: u32| bits.to_ne_bytes().to_vec();
    for (name, text, bytes) in [
        ("bool", "true", vec![1]),
        ("int8", "-128", vec![0x80]),
        ("int64", "-9223372036854775808", i64::MIN.to_ne_bytes().to_vec()),
        ("int64", "9007199254740993", 9007199254740993i64.to_ne_bytes().to_vec()),
        ("uint64", "18446744073709551615", vec![255; 8]),
        ("float32", "\"NaN\"", f32(0x7fc0_0000)),
        ("float32", "\"0x7FC00001\"", f32(0x7fc0_0001)),
        ("float32", "\"0x7fa00000\"", f32(0x7fa0_0000)),
        ("float32", "\"-Infinity\"", f32(0xff80_0000)),
        ("float32", "-0.0", f32(0x8000_0000)),
        ("float32", "0", f32(0)),
        ("float32", "1e400", f32(0x7f80_0000)),
        ("float32", "16777217", f32(16777216f32.to_bits())),
        ("float64", "0.1", 0.1f64.to_ne_bytes().to_vec()),
        ("float16", "\"0x7e01\"", 0x7e01u16.to_ne_bytes().to_vec()),
        ("complex64", "[1, \"0x7fc00002\"]", [f32(1f32.to_bits()), f32(0x7fc0_0002)].concat()),
        ("r16", "[1, 255]", vec![1, 255]),
        ("r16", "\"Af8=\"", vec![1, 255]),
        ("string", "\"é\"", "é".as_bytes().to_vec()),
        ("bytes", "\"AP8=\"", vec![0, 255]),
        ("bytes", "[0, 255]", vec![0, 255]),
        ("variable_length_bytes", "\"\"", vec![]),
        ("complex_float32", "[0, 0]", vec![0; 8]),
    ] {
        let t = data_type(name).unwrap();
        assert_eq!(t.fill_from_json(&text.parse::<Json>().unwrap()).unwrap(), bytes, "{name} {text}");
        let printed = t.fill_to_json(&bytes).unwrap();
        assert_eq!(t.fill_from_json(&printed).unwrap(), bytes, "{name} {printed}");
    }
}

#[test]
fn other_values_are_refused() {
    for (name, texts) in [
        ("bool", &["0", "1", "\"true\"", "null", "[]"][..]),
        ("int8", &["128", "-129", "0.0", "1e1", "-0.0", "\"1\"", "true", "null", "[1]"]),
        ("uint8", &["256", "-1"]),
        ("uint64", &["18446744073709551616", "-1"]),
        (
            "float32",
            &[
                "\"nan\"",
                "\"+Infinity\"",
                "\"1.5\"",
                "true",
                "null",
                "\"0x7fc0000\"",
                "\"0x7fc000000\"",
                "\"0X7fc00000\"",
                "\"0x+fc00000\"",
                "\"\"",
                "[0]",
            ],
        ),
        ("float16", &["\"0x7fc00000\""]),
        ("complex64", &["0", "[0]", "[0,0,0]", "[0, true]", "\"NaN\""]),
        ("r16", &["[1]", "[1,2,3]", "[1,256]", "[1,-1]", "1", "\"A\"", "\"AA==\""]),
        ("string", &["0", "null"]),
        ("bytes", &["0", "\"*\"", "[256]"]),
    ] {
        for text in texts {
            assert!(data_type(name).unwrap().fill_from_json(&text.parse::<Json>().unwrap()).is_err(), "{name} {text}");
        }
    }
    for name in ["r0", "r12", "r", "r08", "r8x", "int128", "Bool", "r99999999999999999999"] {
        assert!(data_type(name).is_none(), "{name}");
    }
}

#[test]
fn invalid_bit_patterns_are_refused() {
    assert!(data_type("bool").unwrap().check_elements(&[0, 1, 2]).is_err());
    assert!(data_type("bool").unwrap().check_elements(&[0, 1, 1]).is_ok());
    assert!(data_type("string").unwrap().fill_to_json(&[0xff]).is_err());
    assert!(data_type("int16").unwrap().fill_to_json(&[0; 3]).is_err());
}

proptest! {
    #[test]
    fn any_bits_print_and_read_back(i in 0..FIXED.len(), seed in prop::collection::vec(any::<u8>(), 16)) {
        let t = data_type(FIXED[i]).unwrap();
        let mut element = seed[..t.layout().size()].to_vec();
        if FIXED[i] == "bool" { element[0] &= 1 }
        let printed = t.fill_to_json(&element).unwrap();
        prop_assert_eq!(t.fill_from_json(&printed).unwrap(), element, "{}", printed);
        let fill = t.fill_from_json(&t.default_fill()).unwrap();
        prop_assert!(fill.iter().all(|b| *b == 0));
    }
}
