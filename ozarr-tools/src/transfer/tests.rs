use super::*;
use crate::Progress;
use ozarr::{Hierarchy, NewArray};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn usual() -> TransferOptions<'static> {
    TransferOptions::default()
}
fn array(shape: &[u64], data_type: &str) -> Array {
    Hierarchy::in_memory().create_array("/a", NewArray::new(shape.to_vec(), data_type)).unwrap()
}
fn text(array: &Array, format: Format) -> String {
    let mut out = Vec::new();
    export(array, .., format, &mut out, &usual()).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn each_format_round_trips() {
    for shape in [&[][..], &[3], &[2, 3], &[2, 0, 3], &[0]] {
        let n = shape.iter().product::<u64>();
        let numbers: Vec<u16> = (0..n as u16).map(|i| 300 * i).collect();
        for format in [Format::Json, Format::JsonLines, Format::Raw, Format::Npy] {
            let (a, b) = (array(shape, "uint16"), array(shape, "uint16"));
            a.write(.., &numbers).unwrap();
            let mut file = Vec::new();
            export(&a, .., format, &mut file, &usual()).unwrap();
            import(&b, .., format, &file, &usual()).unwrap();
            assert_eq!(b.read::<u16>(..).unwrap(), numbers, "{format:?} {shape:?}");
            file.push(b'7');
            assert!(import(&b, .., format, &file, &usual()).is_err(), "{format:?} {shape:?}");
        }
    }
}

#[test]
fn lists_nest_as_deep_as_the_array() {
    let a = array(&[2, 1, 2], "int8");
    a.write(.., &[1i8, 2, 3, 4]).unwrap();
    assert_eq!(text(&a, Format::Json), "[[[1,2]],[[3,4]]]");
    assert_eq!(text(&a, Format::JsonLines), "1\n2\n3\n4\n");
    assert_eq!(text(&array(&[2, 0, 2], "int8"), Format::Json), "[[],[]]");
    for bad in [
        "[1,2,3,4]",
        "[[[1,2]],[[3]]]",
        "[[[1,2]]]",
        "[[[1,2]],[[3,4],[5,6]]]",
        "[[[1,2]],3]",
        "7",
        "[[[1,2]],[[3,900]]]",
    ] {
        assert!(import(&a, .., Format::Json, bad.as_bytes(), &usual()).is_err(), "{bad}");
    }
    let wide = array(&[1 << 33, 1 << 33, 0], "int8");
    let e = export(&wide, .., Format::Json, &mut Vec::new(), &usual()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Limit { .. } | ErrorKind::Argument(_)), "{e}");
    // Elements can be lists themselves.
    let c = array(&[2], "complex64");
    import(&c, .., Format::Json, b"[[1.5,2],[0,\"NaN\"]]", &usual()).unwrap();
    assert_eq!(text(&c, Format::Json), "[[1.5,2.0],[0.0,\"NaN\"]]");
}

#[test]
fn strings_are_supported_only_in_json() {
    let a = array(&[2], "string");
    for format in [Format::Json, Format::JsonLines] {
        a.write(.., &["a\nb".to_owned(), String::new()]).unwrap();
        let written = text(&a, format);
        a.write(.., &[String::new(), String::new()]).unwrap();
        import(&a, .., format, written.as_bytes(), &usual()).unwrap();
        assert_eq!(a.read::<String>(..).unwrap(), ["a\nb", ""]);
    }
    for format in [Format::Raw, Format::Npy] {
        assert!(export(&a, .., format, &mut Vec::new(), &usual()).is_err());
        assert!(import(&a, .., format, b"", &usual()).is_err());
    }
}

#[test]
fn errors_name_the_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lines");
    fs::write(&path, "1\n2\n300\n").unwrap();
    let e = import_file(&array(&[3], "uint8"), .., Format::JsonLines, &path, &usual()).unwrap_err();
    assert_eq!((e.key(), e.json_path()), (None, Some("line 3")), "{e}");
    assert!(e.to_string().contains(path.to_str().unwrap()), "{e}");
}

fn in_parts(most: u64) -> TransferOptions<'static> {
    TransferOptions { part: Some(most), ..usual() }
}

/// The elements 256, 257, .. of an array of shape [3, 4] in each format.
fn golden(format: Format) -> Vec<u8> {
    let bytes: Vec<u8> = (0..12).flat_map(|i| [i, 1]).collect();
    match format {
        Format::Json => b"[[256,257,258,259],[260,261,262,263],[264,265,266,267]]".to_vec(),
        Format::JsonLines => b"256\n257\n258\n259\n260\n261\n262\n263\n264\n265\n266\n267\n".to_vec(),
        Format::Raw => bytes,
        Format::Npy => {
            let header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u2', 'fortran_order': False, 'shape': (3,4,), }";
            let mut file = header.to_vec();
            file.resize(127, b' ');
            file.push(b'\n');
            [file, bytes].concat()
        }
    }
}

#[test]
fn the_size_of_parts_does_not_change_files() {
    let elements: Vec<u16> = (256..268).collect();
    for format in [Format::Json, Format::JsonLines, Format::Raw, Format::Npy] {
        for most in [1, 3, 4, 5, 8, 100] {
            let new = NewArray::new([5, 6], "uint16").chunks([2, 2]);
            let a = Hierarchy::in_memory().create_array("/a", new).unwrap();
            // Every second row, and the columns after the first.
            let selection = || Selection::from((ozarr::slice(..).step_by(2), 1..5));
            import(&a, selection(), format, &golden(format), &in_parts(most)).unwrap();
            assert_eq!(a.read::<u16>(selection()).unwrap(), elements, "{format:?} {most}");
            assert_eq!(a.read::<u16>(..).unwrap().iter().filter(|e| **e == 0).count(), 18, "{format:?} {most}");
            let mut file = Vec::new();
            export(&a, selection(), format, &mut file, &in_parts(most)).unwrap();
            assert!(file == golden(format), "{format:?} {most}: {}", String::from_utf8_lossy(&file));
        }
    }
}

#[test]
fn numpy_files_in_other_orders_are_read() {
    for (descr, order, bytes) in [
        (">u2", "False", [1u16, 2, 3, 4, 5, 6].map(u16::to_be_bytes)),
        ("<u2", "True", [1u16, 4, 2, 5, 3, 6].map(u16::to_le_bytes)),
        (">u2", "True", [1u16, 4, 2, 5, 3, 6].map(u16::to_be_bytes)),
    ] {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': (2, 3), }}\n");
        let file = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), &bytes.concat()];
        for most in [1, 2, 100] {
            let a = array(&[2, 3], "uint16");
            import(&a, .., Format::Npy, &file.concat(), &in_parts(most)).unwrap();
            assert_eq!(a.read::<u16>(..).unwrap(), [1, 2, 3, 4, 5, 6], "{descr} {order} {most}");
        }
    }
}

#[test]
fn json_may_contain_white_space() {
    let a = array(&[2, 2], "string");
    import(&a, .., Format::Json, b"\n[ [\t\"],[\" , \"\\\"\\\\\" ] ,\r\n [\"\",\"{\"]]\n", &in_parts(1)).unwrap();
    assert_eq!(a.read::<String>(..).unwrap(), ["],[", "\"\\", "", "{"]);
    for (text, wanted) in [
        ("[[\"a\",\"b\"],[\"c\"]]", "do not match the region of shape [2, 2]: expected `,` at line 1, column 16"),
        ("[[\"a\",\"b\"],\n[\"c\",\"d\",\"e\"]]", "expected `]` at line 2, column 9"),
        ("[[\"a\",\"b\"],[\"c\",\"d\"]] 1", "expected the end of the file at line 1, column 23"),
        ("[[\"a\",\"b\"],[\"c\",]]", "expected an element at line 1, column 17"),
        ("[[\"a\",\"b\"],[\"c\",\"d]]", "expected the end of an element at line 1, column 21"),
        ("[[\"a\",\"b\"],[\"c\",x]]", "invalid JSON: expected a value (at [1][1])"),
        ("[[\"a\",\"b\"],[7,\"d\"]]", "(at [1][0])"),
        ("", "expected `[` at line 1, column 1"),
    ] {
        let e = import(&a, .., Format::Json, text.as_bytes(), &usual()).unwrap_err().to_string();
        assert!(e.contains(wanted), "{text}: {e}");
    }
    assert_eq!(a.read::<String>(..).unwrap(), ["],[", "\"\\", "", "{"], "nothing was written");
}

#[test]
fn elements_have_the_limits_of_chunks_not_of_documents() {
    let mut context = ozarr::Context::new();
    context.limits.metadata_bytes = 2048;
    context.limits.chunk_bytes = 16;
    let zarr = Hierarchy::new(ozarr::store::MemoryStore::default(), context);
    let a = zarr.create_array("/a", NewArray::new([4000], "float32").chunks([4]).no_compressor()).unwrap();
    a.write(.., &[1.5f32; 4000]).unwrap();
    for format in [Format::Json, Format::JsonLines] {
        let mut file = Vec::new();
        export(&a, .., format, &mut file, &usual()).unwrap();
        assert!(file.len() > 2048);
        import(&a, .., format, &file, &usual()).unwrap();
    }
    for (format, text) in [(Format::Json, &b"[1.0000000000000000]"[..]), (Format::JsonLines, b"1.0000000000000000\n")] {
        let e = import(&a, 0..1, format, text, &usual()).unwrap_err();
        assert!(e.to_string().contains("the length of an element in bytes is 18, more than the limit of 16"), "{e}");
    }
}

/// Cancels after a number of elements.
struct Cancel(AtomicU64, u64);
impl Progress for Cancel {
    fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }
    fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed) >= self.1
    }
}

#[test]
fn cancelled_work_ends_between_parts() {
    let elements: Vec<u16> = (256..268).collect();
    for format in [Format::Json, Format::JsonLines, Format::Raw, Format::Npy] {
        let a = array(&[3, 4], "uint16");
        let cancel = Cancel(AtomicU64::new(0), 4);
        let e = import(&a, .., format, &golden(format), &in_parts(4).with_progress(&cancel)).unwrap_err();
        assert!(e.to_string().contains("cancelled"), "{e}");
        assert_eq!(a.read::<u16>(..).unwrap(), [&elements[..4], &[0; 8]].concat());

        a.write(.., &elements).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "old").unwrap();
        let cancel = Cancel(AtomicU64::new(0), 8);
        let e = export_file(&a, .., format, &path, &in_parts(4).with_progress(&cancel)).unwrap_err();
        assert!(e.to_string().contains("cancelled"), "{e}");
        assert_eq!((fs::read(&path).unwrap(), cancel.0.into_inner()), (b"old".to_vec(), 8));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
        export_file(&a, .., format, &path, &in_parts(4)).unwrap();
        assert!(fs::read(&path).unwrap() == golden(format), "{format:?}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (a, none) = (array(&[1], "uint8"), dir.path().join("none/file"));
    for e in [
        import_file(&a, .., Format::Raw, &none, &usual()).unwrap_err(),
        export_file(&a, .., Format::Raw, &none, &usual()).unwrap_err(),
    ] {
        assert!(matches!(e.kind(), ErrorKind::Io(_)) && e.key().is_none(), "{e}");
        assert!(e.to_string().contains(none.to_str().unwrap()), "{e}");
    }
}
