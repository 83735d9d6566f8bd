//! Documents are preserved by reading and writing; rules for unknown members.

use super::*;
use crate::name::NodePath;

fn parse(text: &str) -> Result<NodeMetadata> {
    NodeMetadata::parse(text.as_bytes(), &Limits::default())
}

const ARRAY: &str = r#"{"node_type":"array","zarr_format":3,"shape":[10,20],"data_type":"float64","x":{"b":1.50,"must_understand":false},"fill_value":"NaN","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[5,5]}},"chunk_key_encoding":"default","codecs":["bytes"],"dimension_names":["x",null],"storage_transformers":[],"attributes":{"z":1e3,"a":123456789012345678901234567890}}"#;

#[test]
fn documents_are_preserved() {
    let NodeMetadata::Array(mut array) = parse(ARRAY).unwrap() else { panic!("an array") };
    assert_eq!(Json::Object(array.document().clone()).to_string(), ARRAY);
    assert_eq!((array.shape(), array.codecs().len()), (&[10, 20][..], 1));
    array.set_shape(&[3, 4]).unwrap();
    assert!(array.set_shape(&[3]).is_err());
    let text = Json::Object(array.document().clone()).to_string();
    assert_eq!(text, ARRAY.replace("[10,20]", "[3,4]"));
}

#[test]
fn unknown_members() {
    let with = |member: &str| parse(&ARRAY.replacen('{', &format!("{{{member},"), 1));
    for bad in [
        r#""y":1"#,
        r#""y":null"#,
        r#""y":{}"#,
        r#""y":{"must_understand":true}"#,
        r#""y":{"must_understand":"false"}"#,
    ] {
        let e = with(bad).unwrap_err();
        assert!(e.json_path().is_some_and(|p| p.starts_with('y')), "{e}");
    }
    assert!(with(r#""y":{"must_understand":false,"anything":[1]}"#).is_ok());
    let group = |member: &str| parse(&format!(r#"{{"zarr_format":3,"node_type":"group",{member}}}"#));
    assert!(group(r#""attributes":{"must_understand":true,"x":{"must_understand":true}}"#).is_ok());
    assert!(group(r#""shape":[1]"#).is_err() && group(r#""y":{"must_understand":false}"#).is_ok());
    assert!(group(r#""consolidated_metadata":null"#).is_ok());
    assert!(group(r#""consolidated_metadata":{"kind":"inline","must_understand":true,"metadata":{}}"#).is_err());
    let other = group(r#""consolidated_metadata":{"kind":"other","must_understand":false}"#).unwrap();
    assert!(matches!(other, NodeMetadata::Group(g) if g.consolidated().is_none()));
}

#[test]
fn errors_have_a_path() {
    let e = parse(&ARRAY.replace(r#"["x",null]"#, r#"["x",1]"#)).unwrap_err();
    assert_eq!(e.json_path(), Some("dimension_names[1]"));
    let e = parse(&ARRAY.replace(r#"["bytes"]"#, r#"["bytes",{"name":"a1","configuration":1}]"#)).unwrap_err();
    assert_eq!(e.json_path(), Some("codecs[1].configuration"));
}

#[test]
fn consolidated_metadata_matches_other_writers() {
    let mut group = GroupMetadata::new(Object::new());
    group.set_consolidated(Some(
        [("a", Json::Object(GroupMetadata::new(Object::new()).document().clone()))].into_iter().collect(),
    ));
    let text = Json::Object(group.document().clone()).to_string();
    assert_eq!(
        text,
        r#"{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":{"zarr_format":3,"node_type":"group","attributes":{}}}}}"#
    );
    assert!(parse(&text).is_ok());
    group.set_consolidated(None);
    assert!(group.consolidated().is_none() && NodePath::ROOT.is_root());
}
