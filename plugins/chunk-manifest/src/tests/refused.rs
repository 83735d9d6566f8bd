//! Files that must not be read, and invalid manifests.

use super::*;
use std::io::ErrorKind as Why;
use zarr_plugin_api::Error;

#[track_caller]
fn refused(e: &Error, why: Why, says: &str) {
    assert!(matches!(e.kind(), ErrorKind::Io(io) if io.kind() == why), "{e}");
    assert!(e.to_string().contains(says), "{e}");
}

#[test]
fn without_an_allowed_folder_nothing_is_opened() {
    let folder = folder();
    for configuration in [
        r#"{"manifest":"manifest.json"}"#.to_owned(),
        format!(r#"{{"manifest":{}}}"#, quoted(&folder.path("manifest.json"))),
        format!(r#"{{"entries":{MANIFEST}}}"#),
    ] {
        let e = make(&configuration, &Options::default(), &Limits::default()).unwrap_err();
        refused(&e, Why::PermissionDenied, "no folder is allowed");
        assert!(e.hint().unwrap().contains("--allow-root FOLDER"));
        let path = e.json_path().unwrap();
        assert!(path == "configuration.manifest" || path == "configuration.entries", "{path}");
    }
}

#[test]
fn allowed_folders_must_be_absolute_and_exist() {
    let folder = folder();
    for (root, says) in
        [("deep", "absolute"), (".", "absolute"), ("", "absolute"), ("/no/such/folder", "cannot be allowed")]
    {
        let options = Options::default().with_roots(vec![text(folder.dir.path()), root.to_owned()]);
        let e = make(r#"{"manifest":"manifest.json"}"#, &options, &Limits::default()).unwrap_err();
        assert!(e.to_string().contains(says), "{root}: {e}");
    }
}

#[test]
fn nothing_outside_is_opened() {
    let outside = Folder::new(&[("secret", b"secret"), ("m.json", b"{}")]);
    let folder = Folder::new(&[("in/raw.bin", b"abcdef"), ("inside", b"abcdef"), ("in-side/raw.bin", b"abcdef")]);
    let mut only_in = Folder { options: Options::default(), ..folder };
    only_in.options.roots = vec![text(&only_in.path("in"))];
    let secret = outside.path("secret");
    for path in [
        text(&secret),
        "../inside".to_owned(),
        "../in-side/raw.bin".to_owned(),
        "../in/../inside".to_owned(),
        format!("../../../../../../../../../../../..{}", text(&secret)),
        text(&only_in.path("in/../inside")),
        text(&only_in.path("in-side/raw.bin")),
        "..".to_owned(),
    ] {
        let store = only_in.entry(&format!(r#"{{"path":{},"offset":0,"length":1}}"#, Json::from(path))).unwrap();
        let reader = store.reader().unwrap();
        for e in [reader.get(&key("k")).err(), reader.open(&key("k")).err()] {
            let e = e.unwrap();
            refused(&e, Why::PermissionDenied, "outside");
            assert!(e.hint().unwrap().contains("--allow-root"));
            assert_eq!((e.key(), e.extension().unwrap().1), (Some("k"), "zarr.chunk-manifest"));
        }
        // Keys are still listed: the list does not depend on the allowed folders.
        assert_eq!(store.lister().unwrap().list().unwrap().len(), 1);
    }
    for path in [text(&outside.path("m.json")), "../inside".to_owned()] {
        let e = only_in.make(&format!(r#"{{"manifest":{}}}"#, Json::from(path))).unwrap_err();
        refused(&e, Why::PermissionDenied, "outside");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_the_folder_is_compared() {
    use std::os::unix::fs::symlink;
    let outside = Folder::new(&[("secret", b"secret"), ("m.json", b"{}")]);
    let folder = Folder::new(&[("in/raw.bin", b"abcdef")]);
    for (to, name) in [
        (outside.path("secret"), "file"),
        (outside.dir.path().to_owned(), "dir"),
        (outside.path("m.json"), "m.json"),
        (folder.path("dir/secret"), "chain"),
        (folder.path("in/raw.bin"), "good"),
        (folder.path("loop"), "loop"),
        (folder.path("nowhere"), "dangling"),
    ] {
        symlink(to, folder.path(name)).unwrap();
    }
    let entry = |path: &str| format!(r#"{{"path":"{path}","offset":0,"length":2}}"#);
    for path in ["file", "dir/secret", "chain", "in/../file"] {
        refused(&folder.value(&entry(path)).unwrap_err(), Why::PermissionDenied, "outside");
    }
    refused(&folder.make(r#"{"manifest":"m.json"}"#).unwrap_err(), Why::PermissionDenied, "outside");
    refused(&folder.value(&entry("dangling")).unwrap_err(), Why::NotFound, "does not exist");
    assert!(folder.value(&entry("loop")).is_err());
    assert_eq!(folder.value(&entry("good")).unwrap(), b"ab");
    // A link may lead to the allowed folder itself, and from one allowed folder to another.
    let mut aliased = Folder::new(&[]);
    symlink(folder.dir.path(), aliased.path("alias")).unwrap();
    aliased.options.roots = vec![text(&aliased.path("alias"))];
    assert_eq!(aliased.value(&entry("in/raw.bin")).unwrap(), b"ab");
    refused(&aliased.value(&entry("file")).unwrap_err(), Why::PermissionDenied, "outside");
    let absolute = format!(r#"{{"path":{},"offset":0,"length":2}}"#, quoted(&folder.path("in/raw.bin")));
    assert_eq!(aliased.value(&absolute).unwrap(), b"ab");
    aliased.options.roots.push(text(outside.dir.path()));
    assert_eq!(aliased.value(&entry("file")).unwrap(), b"se");
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    let folder = folder();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["pipe", "deep", "."] {
        let entry = format!(r#"{{"path":"{path}","offset":0,"length":0}}"#);
        refused(&folder.value(&entry).unwrap_err(), Why::InvalidInput, "not a regular file");
        assert!(folder.make(&format!(r#"{{"manifest":"{path}"}}"#)).is_err());
    }
}

#[test]
fn missing_files_are_errors() {
    let folder = folder();
    for path in ["none", "raw.bin/x", "deep/none"] {
        let e = folder.value(&format!(r#"{{"path":"{path}","offset":0,"length":1}}"#)).unwrap_err();
        refused(&e, Why::NotFound, "does not exist");
        // Not the error for a missing chunk.
        assert!(!e.is_not_found() && e.hint().unwrap().contains("place the file in"), "{e}");
        refused(&folder.make(&format!(r#"{{"manifest":"{path}"}}"#)).unwrap_err(), Why::NotFound, "does not exist");
    }
    let entry = format!(r#"{{"path":{},"offset":0,"length":1}}"#, quoted(&folder.path("none")));
    assert!(folder.value(&entry).unwrap_err().hint().unwrap().contains("restore the file"));
}

#[test]
fn ranges_beyond_the_end_are_errors() {
    let folder = folder();
    for (offset, length) in [(0, 7), (6, 1), (7, 0), (3, 4), (u64::MAX, 0), (1 << 63, 1), (0, u64::MAX)] {
        let entry = format!(r#"{{"path":"raw.bin","offset":{offset},"length":{length}}}"#);
        let store = folder.entry(&entry).unwrap();
        let e = store.reader().unwrap().open(&key("k")).err().unwrap();
        assert!(matches!(e.kind(), ErrorKind::Data(_)) && e.hint().is_some(), "{e}");
        assert!(e.to_string().contains("has 6 bytes") && e.key() == Some("k"), "{e}");
        assert!(folder.value(&entry).is_err());
    }
    assert_eq!(folder.value(r#"{"path":"raw.bin","offset":6,"length":0}"#).unwrap(), b"");
    let source = folder.entry(r#"{"path":"raw.bin","offset":1,"length":2}"#).unwrap();
    let source = source.reader().unwrap().open(&key("k")).unwrap().unwrap();
    for bad in [
        ByteRange::Slice { start: 0, len: 3 },
        ByteRange::Slice { start: 3, len: 0 },
        ByteRange::Slice { start: u64::MAX, len: 1 },
        ByteRange::From(3),
        ByteRange::Suffix(3),
        ByteRange::Suffix(u64::MAX),
    ] {
        let e = source.read(&[ByteRange::All, bad], &mut |_, _| panic!("found before anything is read")).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Data(_)), "{bad:?}: {e}");
        assert!(source.read_into(bad, &mut [0; 3]).is_err(), "{bad:?}");
    }
    assert!(source.read_into(ByteRange::All, &mut [0; 1]).is_err());
}

#[test]
fn wrong_manifests_are_refused() {
    let folder = folder();
    for (manifest, says) in [
        ("", "unexpected end of document"),
        ("[]", "found an array"),
        ("null", "found null"),
        ("{\"a\":1,}", "invalid JSON"),
        ("{\"a\":{}}", "missing member `path`"),
        ("\u{feff}{}", "byte order mark"),
        (r#"{"a":["raw.bin",0,1]}"#, "expected an object"),
        (r#"{"a":"raw.bin"}"#, "expected an object"),
        (r#"{"a":{"path":"raw.bin","offset":0}}"#, "missing member `length`"),
        (r#"{"a":{"path":"raw.bin","length":0}}"#, "missing member `offset`"),
        (r#"{"a":{"path":"raw.bin","offset":0,"length":1,"size":1}}"#, "unknown member `size`"),
        (r#"{"a":{"path":null,"offset":0,"length":1}}"#, "expected a string"),
        (r#"{"a":{"path":"raw.bin","offset":"0","length":1}}"#, "expected u64"),
        (r#"{"a":{"path":"raw.bin","offset":-1,"length":1}}"#, "expected u64"),
        (r#"{"a":{"path":"raw.bin","offset":1.0,"length":1}}"#, "expected u64"),
        (r#"{"a":{"path":"raw.bin","offset":1e0,"length":1}}"#, "expected u64"),
        (r#"{"a":{"path":"raw.bin","offset":18446744073709551616,"length":1}}"#, "expected u64"),
        (r#"{"a":{"path":"raw.bin","offset":18446744073709551615,"length":1}}"#, "2^64"),
        (r#"{"a":{"path":"","offset":0,"length":1}}"#, "empty"),
        (r#"{"a":{"path":"s3://b/a","offset":0,"length":1}}"#, "`s3`"),
        (r#"{"a":{"path":"file://other/a","offset":0,"length":1}}"#, "machine"),
        (r#"{"a":{"path":"//other/a","offset":0,"length":1}}"#, "machine"),
        (r#"{"":{"path":"raw.bin","offset":0,"length":1}}"#, "not a valid key"),
        (r#"{"/a":{"path":"raw.bin","offset":0,"length":1}}"#, "not a valid key"),
        (r#"{"a/../b":{"path":"raw.bin","offset":0,"length":1}}"#, "not a valid key"),
        (r#"{"zarr.json":{"path":"raw.bin","offset":0,"length":1}}"#, "metadata document"),
        (
            r#"{"a":{"path":"raw.bin","offset":0,"length":1},"a":{"path":"raw.bin","offset":0,"length":1}}"#,
            "duplicate member",
        ),
        (r#"{"a":{"path":"raw.bin","offset":0,"offset":1,"length":1}}"#, "duplicate member"),
    ] {
        folder.write("m.json", manifest.as_bytes());
        for configuration in [r#"{"manifest":"m.json"}"#.to_owned(), format!(r#"{{"entries":{manifest}}}"#)] {
            let e = folder.make(&configuration).unwrap_err();
            let inline_json = configuration.contains("entries") && matches!(e.kind(), ErrorKind::Json { .. });
            assert!(inline_json || e.to_string().contains(says), "{configuration}: {e}");
        }
    }
    folder.write("m.json", br#"{"a":{"path":"raw.bin","offset":0,"length":"x"}}"#);
    let e = folder.make(r#"{"manifest":"m.json"}"#).unwrap_err();
    assert_eq!(e.json_path(), Some("configuration.manifest.a"));
    folder.write("m.json", b"{\"\xff\":1}");
    assert!(folder.make(r#"{"manifest":"m.json"}"#).is_err());
}

#[test]
fn wrong_configurations_are_refused() {
    let folder = folder();
    for configuration in [
        "{}",
        r#"{"manifest":"manifest.json","entries":{}}"#,
        r#"{"manifest":null}"#,
        r#"{"entries":null}"#,
        r#"{"manifest":"manifest.json","entries":null}"#,
        r#"{"manifest":{}}"#,
        r#"{"manifest":""}"#,
        r#"{"manifest":"https://example.org/m.json"}"#,
        r#"{"entries":[]}"#,
        r#"{"manifest":"manifest.json","x":1}"#,
    ] {
        let e = folder.make(configuration).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{configuration}: {e}");
    }
    assert!(folder.make("{}").unwrap_err().hint().is_some());
}

#[test]
fn a_manifest_is_limited_to_the_size_of_a_metadata_document() {
    let folder = folder();
    let mut limits = Limits::default();
    limits.metadata_bytes = MANIFEST.len() as u64;
    let read = |limits: &Limits| make(r#"{"manifest":"manifest.json"}"#, &folder.options, limits);
    assert!(read(&limits).is_ok());
    limits.metadata_bytes -= 1;
    let e = read(&limits).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Limit { what: "the size of the chunk manifest in bytes", .. }), "{e}");
    // The file must not be read into memory to find out.
    let huge = fs::File::create(folder.path("manifest.json")).unwrap();
    huge.set_len(1 << 40).unwrap();
    assert!(
        matches!(read(&Limits::default()).unwrap_err().kind(), ErrorKind::Limit { asked, .. } if *asked == 1 << 40)
    );
    folder.write("manifest.json", "[".repeat(100_000).as_bytes());
    assert!(matches!(read(&Limits::default()).unwrap_err().kind(), ErrorKind::Limit { .. }));
}

#[cfg(unix)]
#[test]
fn outcomes_of_the_specification() {
    let folder = Folder::new(&[("a.nc", b"01234"), ("a b.nc", b"0123"), ("x/y", b"")]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path("link")).unwrap();
    let rows = include_str!("../../SPECIFICATION.md").lines().filter(|l| l.starts_with("| `{"));
    let mut outcomes = [0; 3];
    for row in rows {
        let entry = row.split('`').nth(1).unwrap().replace("/data", &text(folder.dir.path()));
        let outcome = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
        let opened = folder.entry(&entry);
        let value = opened.as_ref().ok().map(|store| store.reader().unwrap().get(&key("k")));
        let kind = match (outcome, value) {
            ("the array is not opened", None) => 0,
            ("an error when it is read", Some(Err(_))) => 1,
            (bytes, Some(Ok(Some(v)))) if bytes.starts_with("four") => {
                assert_eq!(v, b"0123");
                2
            }
            other => panic!("{row}: {other:?}"),
        };
        outcomes[kind] += 1;
    }
    assert_eq!(outcomes, [3, 4, 3]);
}
