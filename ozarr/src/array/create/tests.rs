//! The settings of new arrays, and what the metadata records of them.

use super::*;
use crate::store::MemoryStore;
use zarr_codecs::{Bytes, Crc32c, Gzip, Transpose, Zstd};
use zarr_core::metadata::ResolvedArray;

fn hierarchy() -> Hierarchy {
    Hierarchy::new(MemoryStore::default(), Context::new())
}

/// Returns the recorded codecs, after checking that they leave nothing to be chosen.
fn recorded(new: NewArray) -> String {
    let hierarchy = hierarchy();
    hierarchy.create_array("/a", new).unwrap();
    let array = hierarchy.array("/a").unwrap();
    array.metadata().document().get("codecs").unwrap().to_string()
}

fn refused(new: &NewArray) -> String {
    hierarchy().create_array("/a", new).unwrap_err().to_string()
}

const LITTLE: &str = r#"{"name":"bytes","configuration":{"endian":"little"}}"#;

#[test]
fn shapes_convert_from_any_integers() {
    let (usize, u32, slice, vec) = (4_usize, 4_u32, &[4_u64, 6][..], vec![4_i32, 6]);
    let context = Context::new();
    let shape = |new: NewArray| new.metadata(&context).unwrap().shape().to_vec();
    for new in [
        NewArray::new([4, 6], "uint8"),
        NewArray::new([usize, 6], "uint8"),
        NewArray::new([u32, 6], "uint8"),
        NewArray::new(slice, "uint8"),
        NewArray::new(&vec, "uint8"),
        NewArray::new(vec, "uint8"),
        NewArray::of::<u8>([4, 6]),
    ] {
        assert_eq!(shape(new), [4, 6]);
    }
    assert_eq!(shape(NewArray::new((), "uint8")), [0; 0]);
    assert_eq!(shape(NewArray::new([u64::MAX], "uint8").chunks([1])), [u64::MAX]);
}

#[test]
fn negative_lengths_are_refused() {
    for (new, member) in [
        (NewArray::new([4, -6], "uint8"), "shape"),
        (NewArray::new([4], "uint8").chunks([-6]), "chunk_shape"),
        (NewArray::new([4], "uint8").shards([-6]), "chunk_grid"),
    ] {
        let e = refused(&new);
        assert!(e.contains("-6 is not a valid length of a dimension") && e.contains(member), "{e}");
    }
}

#[test]
fn rust_types_have_data_types() {
    fn check<T: HasDataType>(name: &str, element: T) {
        let array = hierarchy().create_array("/a", NewArray::of::<T>([1])).unwrap();
        assert_eq!(array.metadata().data_type().name(), name);
        array.write(.., &[element]).unwrap();
    }
    check("bool", true);
    check("int8", 1_i8);
    check("uint64", 1_u64);
    check("float16", half::f16::ONE);
    check("float32", 1_f32);
    check("complex128", [1_f64, 2.0]);
    check("r24", [1_u8, 2, 3]);
    check("string", "a".to_owned());
    check("bytes", vec![1_u8]);
}

#[test]
fn bare_names_are_recorded_in_full() {
    for (codec, full) in [
        ("zstd", r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#),
        ("gzip", r#"{"name":"gzip","configuration":{"level":5}}"#),
        (
            "blosc",
            r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}"#,
        ),
        ("crc32c", r#""crc32c""#),
    ] {
        let new = NewArray::new([4, 6], "uint16").codecs(["bytes", codec]);
        assert_eq!(recorded(new), format!("[{LITTLE},{full}]"));
    }
    let turned = NewArray::new([4, 6, 8], "uint16").filters(["transpose"]).no_compressor();
    let order = r#"{"name":"transpose","configuration":{"order":[2,1,0]}}"#;
    assert_eq!(recorded(turned), format!("[{order},{LITTLE}]"));
    for (data_type, codec) in [("string", "vlen-utf8"), ("bytes", "vlen-bytes")] {
        assert_eq!(recorded(NewArray::new([4], data_type).codecs([codec])), format!("[\"{codec}\"]"));
    }
}

#[test]
fn inner_chunks_and_their_index_are_recorded_in_full() {
    let index = format!(r#"[{LITTLE},{{"name":"crc32c"}}]"#);
    let sharding = zarr_codecs::Sharding::new([2, 3]);
    let full = format!(
        r#"[{{"name":"sharding_indexed","configuration":{{"chunk_shape":[2,3],"index_location":"end","codecs":[{LITTLE}],"index_codecs":{index}}}}}]"#
    );
    assert_eq!(recorded(NewArray::new([4, 6], "uint16").codecs([sharding])), full);
    let e = refused(&NewArray::new([4, 6], "uint16").codecs(["sharding_indexed"]));
    assert!(e.contains("`chunk_shape`"), "{e}");
    let inner = NewArray::new([4, 6], "uint16").chunks([2, 3]).shards([4, 6]).compressor("zstd");
    assert!(recorded(inner).contains(r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#));
}

#[test]
fn codecs_are_set_by_kind() {
    let new = || NewArray::new([4, 6], "uint16");
    let zstd = r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#;
    assert_eq!(recorded(new()), format!("[{LITTLE},{zstd}]"));
    assert_eq!(recorded(new().no_compressor()), format!("[{LITTLE}]"));
    assert_eq!(
        recorded(new().filters([Transpose::new([1, 0])]).serializer(Bytes::big()).compressor(Gzip::level(9))),
        [
            r#"[{"name":"transpose","configuration":{"order":[1,0]}}"#,
            r#"{"name":"bytes","configuration":{"endian":"big"}}"#,
            r#"{"name":"gzip","configuration":{"level":9}}]"#,
        ]
        .join(",")
    );
    let two = new().compressors([Extension::from(Zstd::level(3).checksum(true)), Crc32c.into()]);
    let zstd = r#"{"name":"zstd","configuration":{"level":3,"checksum":true}}"#;
    assert_eq!(recorded(two), format!(r#"[{LITTLE},{zstd},{{"name":"crc32c"}}]"#));
    for both in [
        new().codecs(["bytes"]).compressor("gzip"),
        new().codecs(["bytes"]).no_compressor(),
        new().codecs(["bytes"]).serializer("bytes"),
        new().codecs(["bytes"]).filters(["transpose"]),
    ] {
        assert!(refused(&both).contains("`codecs` cannot be combined with"));
    }
}

#[test]
fn malformed_extensions_are_refused_where_they_stand() {
    let malformed = |json: &str| Json::parse(json.as_bytes(), &Default::default()).unwrap();
    for json in ["1", "null", "\"\"", r#"{"name":"zstd","x":1}"#] {
        let e = refused(&NewArray::new([4], "uint8").compressor(malformed(json)));
        assert!(e.contains("codecs[1]"), "{e}");
        let e = refused(&NewArray::new([4], malformed(json)));
        assert!(e.contains("data_type") || e.contains("data type"), "{e}");
    }
    let e = refused(&NewArray::new([4], "uint8").compressor(Gzip::level(200)));
    assert!(e.contains("200 is out of range for `level` (0 to 9)"), "{e}");
}

#[test]
fn fill_values_convert_from_rust_values() {
    let recorded = |data_type, value: FillValue| {
        let array = hierarchy().create_array("/a", NewArray::new([4], data_type).fill_value(value)).unwrap();
        array.metadata().fill_value().to_string()
    };
    assert_eq!(recorded("float32", 0.1_f32.into()), "0.1");
    assert_eq!(recorded("float64", 0.0.into()), "0.0");
    assert_eq!(recorded("float64", f64::NAN.into()), "\"NaN\"");
    assert_eq!(recorded("float32", f32::INFINITY.into()), "\"Infinity\"");
    assert_eq!(recorded("float32", f64::NEG_INFINITY.into()), "\"-Infinity\"");
    assert_eq!(recorded("int64", i64::MIN.into()), i64::MIN.to_string());
    assert_eq!(recorded("uint8", 7.into()), "7");
    assert_eq!(recorded("bool", true.into()), "true");
    assert_eq!(recorded("string", "none".into()), "\"none\"");
    assert_eq!(recorded("complex64", Json::from(vec![1, 2]).into()), "[1,2]");
}

#[test]
fn dimensions_may_have_names() {
    let names = |new: NewArray| new.metadata(&Context::new()).unwrap().dimension_names().unwrap().to_vec();
    let new = || NewArray::new([4, 6], "uint8");
    let both = [Some("y".to_owned()), Some("x".to_owned())];
    assert_eq!(names(new().dimension_names(["y", "x"])), both);
    assert_eq!(names(new().dimension_names(["y".to_owned(), "x".to_owned()])), both);
    assert_eq!(names(new().dimension_names([Some("y"), Some("x")])), both);
    assert_eq!(names(new().dimension_names([Some("y"), None])), [Some("y".to_owned()), None]);
}

#[test]
fn attributes_serialize_to_an_object() {
    #[derive(Serialize)]
    struct Attributes {
        units: &'static str,
    }
    let attributes = |new: &NewArray| new.metadata(&Context::new()).unwrap().attributes().cloned().unwrap();
    let object: Object = [("units", "K")].into_iter().collect();
    assert_eq!(attributes(&NewArray::new([4], "uint8").attributes(Attributes { units: "K" })), object);
    assert_eq!(attributes(&NewArray::new([4], "uint8").attributes(&object)), object);
    let e = refused(&NewArray::new([4], "uint8").attributes([1, 2]));
    assert!(e.contains("expected an object, found an array") && e.contains("attributes"), "{e}");
}

/// Codecs that were chosen at creation also work for chunks of other shapes than the first ones.
#[test]
fn chosen_codecs_fit_chunks_of_all_shapes() {
    let context = Context::new();
    let mut metadata = NewArray::new([4, 6], "uint16").compressor("gzip").metadata(&context).unwrap();
    let array = ResolvedArray::create(&mut metadata, &context.registry, &context.limits, &context.options).unwrap();
    array.chains.get(&[1, 2]).unwrap();
}
