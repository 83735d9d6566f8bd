mod properties;

use zarr_plugin_api::{
    ChunkKeyEncoding, ErrorKind, Json, Result,
    testing::{Bench, Made},
};

fn make(json: &str) -> Result<Made<dyn ChunkKeyEncoding>> {
    Bench::new().chunk_key_encoding(json, &[9, 99])
}

fn with_digits(digits: u8) -> Made<dyn ChunkKeyEncoding> {
    make(&format!(r#"{{"name":"zarr.fan-out","configuration":{{"digits":{digits}}}}}"#)).unwrap()
}

/// Returns the rows of a table of the specification below a heading: the cells between back quotes.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let text = include_str!("../SPECIFICATION.md");
    let (_, section) = text.split_once(heading).expect("the heading");
    let rows = section.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|')).skip(2);
    rows.map(|row| row.split('`').skip(1).step_by(2).collect()).collect()
}

#[test]
fn examples_of_the_specification() {
    let rows = table("\n## Examples\n");
    assert_eq!(rows.len(), 15);
    for row in rows {
        let [digits, chunk_index, key] = row[..] else { panic!("{row:?}") };
        let chunk_index: Vec<u64> = chunk_index.parse::<Json>().unwrap().deserialize().unwrap();
        let encoding = with_digits(digits.parse().unwrap());
        assert_eq!(encoding.encode(&chunk_index).unwrap(), key);
        assert_eq!(encoding.decode(key, chunk_index.len()).as_deref(), Some(&chunk_index[..]), "{key}");
        for rank in (0..4).filter(|rank| *rank != chunk_index.len()) {
            assert_eq!(encoding.decode(key, rank), None, "{key}");
        }
    }
}

#[test]
fn other_keys_of_the_specification() {
    let rows = table("\n### Other keys\n");
    assert_eq!(rows.len(), 16);
    for row in rows {
        assert_eq!(with_digits(3).decode(row[0], 1), None, "{row:?}");
    }
    for (key, rank) in [
        ("", 0),
        ("c", 0),
        ("c/", 0),
        ("c/0/", 0),
        ("c/00", 0),
        ("c/0/0", 0),
        ("zarr.json", 1),
        ("c/1/5", 2),
        ("c/1/5/", 2),
        ("c/1/5/1", 2),
        ("c/1/5//1/6", 2),
        ("c/1/5/1/6/1/7", 2),
        ("c/18446744073709551615/1", 1),
        ("c/99999999999999999999999/1", 1),
        ("c/1/५", 1),
        ("c/7/18/446/744/073/709/551/616", 1),
    ] {
        assert_eq!(with_digits(3).decode(key, rank), None, "{key}");
    }
}

#[test]
fn configurations() {
    for good in [r#""zarr.fan-out""#, r#"{"name":"zarr.fan-out"}"#, r#"{"name":"zarr.fan-out","configuration":{}}"#] {
        let made = make(good).unwrap();
        assert_eq!(made.encode(&[1234]).unwrap(), "c/2/1/234", "{good}");
        assert_eq!(made.written.to_json().to_string(), r#"{"name":"zarr.fan-out","configuration":{"digits":3}}"#);
        made.assert_keys();
    }
    for bad in [
        r#"{"digits":0}"#,
        r#"{"digits":20}"#,
        r#"{"digits":256}"#,
        r#"{"digits":-1}"#,
        r#"{"digits":3.0}"#,
        r#"{"digits":"3"}"#,
        r#"{"digits":null}"#,
        r#"{"separator":"/"}"#,
        r#"{"digits":3,"separator":"/"}"#,
    ] {
        let e = make(&format!(r#"{{"name":"zarr.fan-out","configuration":{bad}}}"#)).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{bad}: {e}");
    }
    assert!(make(r#"{"name":"zarr.fan-out","must_understand":false}"#).is_err());
}
