//! Tests of the parser against RFC 8259, serde_json and its limits.

use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Json> {
    document(text.as_bytes(), &Limits::default())
}

#[test]
fn invalid_json_is_refused() {
    let bad = [
        "",
        "{",
        "[1,]",
        "[1 2]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "NaN",
        "[Infinity]",
        "-",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "1 2",
        "nul",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"a",
        "\"\n\"",
        "'a'",
        "\u{feff}1",
        "[1]//",
        "\"\\u12\"",
        "{\"a\":1,\"a\":1}",
        "{\"\\u0061\":1,\"a\":1}",
    ];
    for text in bad {
        assert!(parse(text).is_err(), "{text:?}");
    }
    assert!(document(b"\"\xff\"", &Limits::default()).is_err());
    let many: Vec<String> = (0..40).map(|i| format!("\"k{}\":0", i % 39)).collect();
    assert!(parse(&format!("{{{}}}", many.join(","))).is_err());
}

/// A value needs no more memory than was counted, and memory beyond the limit is not allocated.
#[test]
fn memory_is_counted_before_it_is_allocated() {
    assert_eq!((size_of::<Json>(), size_of::<Text>()), (24, 16));
    let list = |item: &str, length: usize| format!("[{}]", vec![item; length / (item.len() + 1)].join(","));
    let refused = |text: &str| match parse(text) {
        Ok(_) => false,
        Err(e) => {
            let ErrorKind::Limit { asked, limit, .. } = e.kind() else { panic!("{e}") };
            assert_eq!(*limit, text.len() as u64 * 6 + (16 << 20));
            assert!(*asked > *limit && *asked < *limit + 4096, "{e}");
            assert!(e.hint().is_some_and(|hint| hint.contains("`Limits::json_factor`")), "{e}");
            true
        }
    };
    let long = 10 << 20;
    for bad in ["[]", "{}", "\"\"", "0", "[0]", "{\"\":0}"] {
        assert!(refused(&list(bad, long)), "{bad}");
        assert!(!refused(&list(bad, 1 << 20)), "{bad}");
    }
    for good in
        ["1.5", "0.12345678", "\"station\"", "\"a longer name\"", "[1.25, 102.5, 3.75]", "{\"x\": 1.25, \"y\": 2.75}"]
    {
        assert!(!refused(&list(good, long)), "{good}");
    }
    let keys: Vec<String> = (0..300_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let object = parse(&format!("{{{}}}", keys.join(","))).unwrap();
    assert_eq!(object.as_object().unwrap().get("k277777").unwrap().as_u64(), Some(277_777));
}

/// A document that exceeds a limit can be read with a larger limit, also as a typed value.
#[test]
fn the_memory_multiple_is_configurable() {
    let text = format!("[{}7]", "7,".repeat(3 << 19));
    let read = |json_factor| document(text.as_bytes(), &Limits { json_factor, ..Limits::default() });
    for (factor, fits) in [(0, false), (6, false), (12, true)] {
        assert_eq!(read(factor).is_ok(), fits, "{factor}");
    }
    let json = read(12).unwrap();
    assert_eq!(json.as_array().map(<[Json]>::len), Some((3 << 19) + 1));
    let typed: Json = json.deserialize().unwrap();
    assert!(typed == json && Json::from_serialize(&typed).unwrap() == json);
    for json_factor in [0, u32::MAX] {
        assert!(document(b"[0, 1]", &Limits { json_factor, ..Limits::default() }).is_ok(), "short ones always fit");
    }
}

#[test]
fn duplicate_members_are_named() {
    for n in [3, 100] {
        let members: Vec<String> = (0..n).map(|i| format!("\"k{i}\": [\"a\", {{}}]")).collect();
        let text = format!("{{\n{},\n \"k1\": 1, \"k0\": 2}}", members.join(",\n"));
        let e = parse(&text).unwrap_err().to_string();
        assert!(e.contains(&format!("line {}, column 2", n + 2)), "{e}");
    }
}

#[test]
fn errors_state_line_and_column() {
    let e = parse("{\n  \"a\": NaN}").unwrap_err().to_string();
    assert!(e.contains("line 2, column 8"), "{e}");
}

/// RFC 8259 leaves the meaning of these texts to the parser. A metadata document that can be read in two ways is
/// rejected.
#[test]
fn ambiguous_text_is_refused() {
    let bad = [
        ("\u{feff}{}", "byte order mark"),
        (r#"{"a":1,"a":2}"#, "duplicate member"),
        (r#"{"a":1,"b":0,"a":1}"#, "duplicate member"),
        (r#"{"x":[{"a":{"b":1,"c":2,"b":3}}]}"#, "duplicate member"),
        (r#"{"a":1,"\u0061":2}"#, "duplicate member"),
        (r#""\ud83d""#, "unpaired surrogate"),
        (r#""\ude00""#, "unpaired surrogate"),
        (r#""\ude00\ud83d""#, "unpaired surrogate"),
        (r#""\ud83dx""#, "unpaired surrogate"),
    ];
    for (text, reason) in bad {
        let e = parse(text).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Json { .. }) && e.to_string().contains(reason), "{text}: {e}");
    }
    assert!(parse(r#"{"a":1,"\u0041":2}"#).is_ok(), "names that differ in case are two");
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    for text in ["[".repeat(1 << 20), r#"{"a":"#.repeat(1 << 20), "[".repeat(10_000) + &"]".repeat(10_000)] {
        assert!(matches!(parse(&text).unwrap_err().kind(), ErrorKind::Limit { .. }));
    }
    let depth = Limits::default().json_depth as usize;
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(depth)).is_ok() && parse(&nested(depth + 1)).is_err());
}

#[test]
fn escapes() {
    let v = parse(r#""\u00e9\ud83d\ude00\n\/\"""#).unwrap();
    assert_eq!(v, Json::from("é😀\n/\""));
    assert_eq!(parse(&v.to_string()).unwrap(), v);
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_filter_map("finite", Json::from_f64),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn printed_documents_read_back(v in any_json()) {
        prop_assert_eq!(&parse(&v.to_string()).unwrap(), &v);
        prop_assert_eq!(&parse(&v.to_pretty()).unwrap(), &v);
        prop_assert_eq!(&v.deserialize::<Json>().unwrap(), &v);
        prop_assert_eq!(&Json::from_serialize(&v).unwrap(), &v);
    }
    #[test]
    fn the_parser_agrees_with_serde_json(v in any_json()) {
        let theirs: serde_json::Value = serde_json::from_str(&v.to_string()).unwrap();
        let text = serde_json::to_string(&theirs).unwrap();
        prop_assert!(parse(&text).is_ok());
    }
    #[test]
    fn the_parser_never_panics(text in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = document(&text, &Limits::default());
    }
}
