//! The operations, from Rust, on stores in directories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{Array, Context, Error, ErrorKind, Hierarchy, Json, NewArray, Node, codecs::Zstd, zarr_core::store::Key};
use ozarr_tools::{
    Action, CopyOptions, Fault, Format, KeptLengths, Lengths, ProblemKind, Progress, RepairOptions, Stage, Staleness,
    Subject, TransferOptions, ValidateOptions, check_consolidated, consolidate, copy, export, import_file, repair,
    stored, validate,
};
use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

fn usual() -> TransferOptions<'static> {
    TransferOptions::default()
}

fn weather() -> Hierarchy {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/weather.zarr");
    Hierarchy::options().read_only().open(path).unwrap()
}

/// Three arrays: one of shards, one of chunks, one below a group. The root has copies of their documents.
fn sample(path: &Path) -> Hierarchy {
    let zarr = Hierarchy::create(path).unwrap();
    let new = NewArray::of::<u16>([8, 8]);
    let elements: Vec<u16> = (0..64).map(|i| i * 7 + 1).collect();
    zarr.create_array("/shards", new.clone().chunks([2, 2]).shards([4, 8])).unwrap().write(.., &elements).unwrap();
    zarr.create_array("/chunks", new.clone().chunks([4, 8])).unwrap().write(.., &elements).unwrap();
    zarr.create_array("/g/below", new.chunks([8, 8])).unwrap().write(.., &elements).unwrap();
    consolidate(&zarr, "/").unwrap();
    zarr
}

#[derive(Default)]
struct Count {
    total: AtomicU64,
    done: AtomicU64,
}
impl Progress for Count {
    fn begin(&self, _stage: Stage, total: u64) {
        self.total.fetch_add(total, Relaxed);
    }
    fn add(&self, n: u64) {
        self.done.fetch_add(n, Relaxed);
    }
}

/// The names of all codecs of an array, those of shards behind that of the shards.
fn codecs(array: &Array) -> Vec<String> {
    let name = |codec: &Json| codec.as_object().and_then(|o| o.get("name")?.as_str()).unwrap().to_owned();
    let inner = array.metadata().codecs().iter().filter_map(|codec| codec.configuration()?.get("codecs")?.as_array());
    let outer = array.metadata().codecs().iter().map(|codec| codec.name().to_owned());
    outer.chain(inner.flatten().map(name)).collect()
}

#[test]
fn a_rechunked_copy_has_the_same_elements() {
    let (dir, source, count) = (tempfile::tempdir().unwrap(), weather(), Count::default());
    let destination = Hierarchy::create(dir.path().join("copy.zarr")).unwrap();
    let notes = Mutex::new(Vec::new());
    let note = |lengths: &KeptLengths| notes.lock().unwrap().push(lengths.clone());
    let options = CopyOptions::default().with_chunks([5]).with_codecs([Zstd::level(1)]);
    let report = copy(&source, "/", &destination, "/", &options.with_notes(&note).with_progress(&count)).unwrap();
    assert_eq!((report.arrays, report.groups), (9, 3));
    let kept: Vec<_> = report.kept.iter().map(|k| (k.node.as_key(), k.option, k.given, k.dimensions)).collect();
    assert_eq!(
        kept,
        [
            ("observations/land_mask", Lengths::Chunks, 1, 2),
            ("observations/pressure", Lengths::Chunks, 1, 3),
            ("observations/rainfall", Lengths::Chunks, 1, 3),
            ("observations/temperature", Lengths::Chunks, 1, 3),
            ("stations/temperature", Lengths::Chunks, 1, 2),
        ]
    );
    assert_eq!(notes.into_inner().unwrap(), report.kept);
    let mut elements = 0;
    for child in source.group("/").unwrap().walk() {
        let Node::Array(array) = child.unwrap().node.unwrap() else { continue };
        let (path, mut before, mut after) = (array.path().to_string(), Vec::new(), Vec::new());
        let copied = destination.array(&path).unwrap();
        export(&array, .., Format::JsonLines, &mut before, &usual()).unwrap();
        export(&copied, .., Format::JsonLines, &mut after, &usual()).unwrap();
        assert!(before == after, "{path}");
        match array.ndim() {
            1 => assert_eq!(copied.chunk_shape(), Some(&[5][..]), "{path}"),
            _ => assert_eq!(copied.chunk_shape(), array.chunk_shape(), "{path}"),
        }
        let wanted: &[&str] = match &*path {
            "/observations/pressure" => &["sharding_indexed", "bytes", "zstd"],
            "/stations/name" => &["vlen-utf8", "zstd"],
            _ => &["bytes", "zstd"],
        };
        assert_eq!(codecs(&copied), wanted, "{path}");
        elements += array.len();
    }
    assert_eq!((count.total.into_inner(), count.done.into_inner()), (elements, elements));
    let found = validate(&destination, "/", &ValidateOptions::default().with_data(true)).unwrap();
    assert!(found.problems.is_empty() && found.chunks > 0, "{found:?}");
}

#[test]
fn a_copied_group_has_its_own_consolidated_metadata() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = sample(&dir.path().join("s"));
    consolidate(&zarr, "/g").unwrap();
    let destination = Hierarchy::create(dir.path().join("t")).unwrap();
    copy(&zarr, "/", &destination, "/moved", &CopyOptions::default().with_chunks([1, 2])).unwrap();
    for (group, nodes) in [("/moved", &["chunks", "g", "g/below", "shards"][..]), ("/moved/g", &["below"])] {
        let copied = destination.group(group).unwrap();
        let mut names: Vec<_> = copied.metadata().consolidated().unwrap().iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        assert_eq!(names, nodes, "{group}");
        assert!(check_consolidated(&destination, group).unwrap().is_up_to_date(), "{group}");
    }
    assert!(destination.group("/").unwrap().metadata().consolidated().is_none());
}

#[test]
fn an_impossible_copy_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = sample(&dir.path().join("s"));
    zarr.array("/chunks").unwrap().write([0..1, 0..1], &[700u16]).unwrap();
    let elements = |path: &str| match zarr.array(path) {
        Ok(array) => Some(array.read::<u16>(..).unwrap()),
        Err(e) => {
            assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}");
            None
        }
    };
    let refused = |from: &str, to: &str, options: &CopyOptions<'_>| {
        let before = (elements(from), elements(to));
        let e = copy(&zarr, from, &zarr, to, options).unwrap_err();
        assert!((elements(from), elements(to)) == before, "{to}: {e}");
        e
    };
    let bytes = CopyOptions::default().with_data_type("uint8");
    let e = refused("/chunks", "/new", &bytes);
    assert!(matches!(e.kind(), ErrorKind::Conversion(_)), "{e}");
    assert!(e.to_string().contains("[0, 0]") && e.hint().unwrap().contains("`lossy`"), "{e}");
    let e = refused("/chunks", "/new", &CopyOptions::default().with_shards([8]));
    assert!(e.to_string().contains("`shards` has rank 1, but the array has rank 2"), "{e}");
    let e = refused("/g/below", "/g/below/new", &CopyOptions::default());
    assert!(e.to_string().contains("overlap"), "{e}");
    let e = refused("/chunks", "/shards", &CopyOptions::default());
    assert!(matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}");
    let e = refused("/chunks", "/shards", &bytes.clone().with_overwrite(true));
    assert!(matches!(e.kind(), ErrorKind::Conversion(_)), "{e}");
    copy(&zarr, "/chunks", &zarr, "/shards", &bytes.with_lossy(true).with_overwrite(true)).unwrap();
    assert_eq!(zarr.array("/shards").unwrap().read::<u8>([0..1, 0..3]).unwrap(), [255, 8, 15]);
}

#[test]
fn each_problem_is_found_and_typed() {
    let dir = tempfile::tempdir().unwrap();
    let (root, count) = (dir.path().join("s"), Count::default());
    let zarr = sample(&root);
    let all = ValidateOptions::default().with_data(true).with_complete(true);
    let sound = validate(&zarr, "/", &all.clone().with_progress(&count)).unwrap();
    assert!(sound.problems.is_empty() && !sound.is_repairable, "{sound:?}");
    assert_eq!((sound.nodes, sound.chunks), (5, 5));
    assert_eq!((count.total.into_inner(), count.done.into_inner()), (5, 5));

    fs::write(root.join("chunks/c/0/0"), b"damaged").unwrap();
    fs::remove_file(root.join("chunks/c/1/0")).unwrap();
    fs::create_dir_all(root.join("chunks/c/9")).unwrap();
    fs::write(root.join("chunks/c/9/0"), b"outside").unwrap();
    fs::write(root.join("chunks/note"), b"mine").unwrap();
    fs::write(root.join("chunks/c/__zarr_partial.1.2.3"), b"half").unwrap();
    fs::write(root.join("g/note"), b"mine").unwrap();
    fs::remove_file(root.join("g/below/zarr.json")).unwrap();
    fs::remove_dir_all(root.join("shards")).unwrap();
    let skipped = zarr.create_array("/skipped", NewArray::of::<u8>([4]).chunks([2]).no_compressor()).unwrap();
    skipped.write(.., &[1u8; 4]).unwrap();
    let document = fs::read_to_string(root.join("skipped/zarr.json")).unwrap();
    let document = document.parse::<Json>().unwrap().as_object().cloned().unwrap();
    let mut codecs = document.get("codecs").and_then(Json::as_array).unwrap().to_vec();
    codecs.push(r#"{"name":"acme.unknown","must_understand":false}"#.parse().unwrap());
    let mut document = document;
    document.set("codecs", Json::Array(codecs));
    fs::write(root.join("skipped/zarr.json"), Json::Object(document).to_pretty()).unwrap();
    fs::remove_file(root.join("skipped/c/1")).unwrap();
    fs::create_dir(root.join("skipped/c/1")).unwrap();
    let found = validate(&zarr, "/", &all).unwrap();
    assert!(found.is_repairable);
    let told: Vec<_> = found.problems.iter().map(|p| (p.node.to_string(), p.key.as_deref(), p.kind)).collect();
    let expected = [
        ("/", Some("g/below/zarr.json"), ProblemKind::MissingDocument),
        ("/", Some("zarr.json"), ProblemKind::StaleConsolidated),
        ("/", Some("zarr.json"), ProblemKind::StaleConsolidated),
        ("/chunks", Some("chunks/note"), ProblemKind::UnknownKey),
        ("/chunks", Some("chunks/c/9/0"), ProblemKind::ChunkOutOfGrid),
        ("/g", Some("g/note"), ProblemKind::UnknownKey),
        ("/g/below", Some("g/below/zarr.json"), ProblemKind::UnreadableNode),
        ("/skipped", None, ProblemKind::UnknownExtension),
        ("/skipped", Some("skipped/c/1"), ProblemKind::UnreadableKey),
        ("/chunks", Some("chunks/c/0/0"), ProblemKind::CorruptChunk),
        ("/chunks", None, ProblemKind::MissingChunk),
        ("/skipped", None, ProblemKind::MissingChunk),
        ("/", Some("chunks/c/__zarr_partial.1.2.3"), ProblemKind::OrphanedTemporary),
    ];
    assert_eq!(told, expected.map(|(node, key, kind)| (node.to_owned(), key, kind)));
    let stale: Vec<_> = found
        .problems
        .iter()
        .filter_map(|p| match &p.fault {
            Fault::StaleCopy(copy) => Some((copy.node.as_key(), copy.how)),
            _ => None,
        })
        .collect();
    assert_eq!(stale, [("shards", Staleness::Superfluous), ("skipped", Staleness::Differs)]);
    assert!(matches!(found.problems[0].fault, Fault::LostDocument));
    let fault = |kind: ProblemKind| &found.problems.iter().find(|p| p.kind == kind).unwrap().fault;
    assert!(matches!(fault(ProblemKind::CorruptChunk), Fault::Error(_)));
    assert!(matches!(fault(ProblemKind::ChunkOutOfGrid), Fault::ChunkOutsideGrid(index) if *index == [9, 0]));
    let unknown: Vec<_> = found.problems.iter().filter(|p| p.kind == ProblemKind::UnknownKey).collect();
    assert!(matches!(unknown[0].fault, Fault::KeyOfNoChunk) && matches!(unknown[1].fault, Fault::KeyOfNoNode));
    assert!(matches!(fault(ProblemKind::UnknownExtension), Fault::SkippedExtension(_, name) if name == "acme.unknown"));
    assert!(matches!(fault(ProblemKind::UnreadableKey), Fault::Error(_)));
    assert!(matches!(fault(ProblemKind::OrphanedTemporary), Fault::Orphan));
    let Fault::MissingChunks { missing: 1, total: 2, examples } = fault(ProblemKind::MissingChunk) else {
        panic!("{found:?}")
    };
    assert_eq!(examples, &["chunks/c/1/0"]);
    let absent = validate(&zarr, "/nothing", &all).unwrap();
    assert_eq!(absent.problems[0].kind, ProblemKind::UnreadableNode);
    assert!(validate(&zarr, "//", &all).is_err());
}

#[test]
fn copies_of_documents_do_not_replace_documents() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    sample(&root);
    fs::write(root.join("chunks/zarr.json"), b"{").unwrap();
    let zarr = Hierarchy::options().consolidated_metadata().open(&root).unwrap();
    zarr.array("/chunks").expect("the copy is taken");
    let found = validate(&zarr, "/", &ValidateOptions::default()).unwrap();
    assert!(
        found.problems.iter().any(|p| p.node.as_key() == "chunks" && p.kind == ProblemKind::UnreadableNode),
        "{found:?}"
    );
    assert_eq!(check_consolidated(&zarr, "/").unwrap().unread.len(), 1);
    assert!(consolidate(&zarr, "/").is_err());

    fs::remove_file(root.join("chunks/zarr.json")).unwrap();
    assert_eq!(check_consolidated(&zarr, "/").unwrap().lost.len(), 1);
    let e = consolidate(&zarr, "/").unwrap_err();
    assert_eq!(e.key(), Some("chunks/zarr.json"), "its copy is all that is left: {e}");
    let done = repair(&zarr, "/", &RepairOptions::default().with_apply(true)).unwrap();
    assert_eq!((done.repairs.len(), done.failed()), (1, 0), "{done:?}");
    assert!(check_consolidated(&zarr, "/").unwrap().is_up_to_date());
}

#[test]
fn repairs_are_listed_before_they_are_applied() {
    let dir = tempfile::tempdir().unwrap();
    let (root, count) = (dir.path().join("s"), Count::default());
    let zarr = sample(&root);
    let shard = root.join("shards/c/0/0");
    let intact = fs::read(&shard).unwrap();
    let mut damaged = intact.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&shard, &damaged).unwrap();
    let document = fs::read(root.join("g/below/zarr.json")).unwrap();
    fs::remove_file(root.join("g/below/zarr.json")).unwrap();
    fs::create_dir(root.join("new")).unwrap();
    fs::write(root.join("new/zarr.json"), br#"{"zarr_format": 3, "node_type": "group"}"#).unwrap();

    let options = RepairOptions::default().with_data(true);
    let read_only = zarr.read_only();
    let look = repair(&read_only, "/", &options.clone().with_progress(&count)).unwrap();
    let nodes: Vec<_> = look.repairs.iter().map(|r| r.node.to_string()).collect();
    assert_eq!(nodes, ["/g/below", "/shards", "/"]);
    let actions: Vec<_> = look.repairs.iter().map(|r| &r.action).collect();
    let [
        Action::RecreateDocument { key: document_key, .. },
        Action::RebuildIndex { key: shard_key, chunk_index, .. },
        Action::Consolidate { stale, .. },
    ] = &actions[..]
    else {
        panic!("{look:?}")
    };
    assert_eq!((&**document_key, &**shard_key, &chunk_index[..]), ("g/below/zarr.json", "shards/c/0/0", &[0, 0][..]));
    let [copy] = &stale[..] else { panic!("{stale:?}") };
    assert_eq!(
        (copy.group.to_string(), copy.node.to_string(), copy.how),
        ("/".into(), "/new".into(), Staleness::Absent)
    );
    assert!(look.has_node && look.failed() == 0 && look.unexamined.is_empty());
    assert_eq!((count.total.into_inner(), count.done.into_inner()), (2, 2));
    assert_eq!(fs::read(&shard).unwrap(), damaged, "it was only looked at");

    let apply = options.with_apply(true);
    let e = repair(&read_only, "/", &apply).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Unsupported(_)), "{e}");
    let done = repair(&zarr, "/", &apply).unwrap();
    assert_eq!((done.repairs.len(), done.failed()), (3, 0), "{done:?}");
    assert_eq!(fs::read(&shard).unwrap(), intact);
    let json = |text: &[u8]| std::str::from_utf8(text).unwrap().parse::<Json>().unwrap();
    assert!(json(&fs::read(root.join("g/below/zarr.json")).unwrap()).is_same(&json(&document)));
    assert!(repair(&zarr, "/", &apply).unwrap().repairs.is_empty());
    let found = validate(&zarr, "/", &ValidateOptions::default().with_data(true)).unwrap();
    assert!(found.problems.is_empty(), "{found:?}");
}

#[test]
fn a_document_that_stored_keys_contradict_is_not_recreated() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    let zarr = sample(&root);
    fs::remove_file(root.join("chunks/zarr.json")).unwrap();
    fs::write(root.join("chunks/stray"), b"mine").unwrap();
    let done = repair(&zarr, "/", &RepairOptions::default().with_apply(true)).unwrap();
    let [document] = &done.unexamined[..] else { panic!("{done:?}") };
    assert_eq!((done.repairs.len(), done.failed()), (0, 0));
    assert_eq!(
        (document.node.to_string(), &document.subject),
        ("/chunks".into(), &Subject::Key("chunks/zarr.json".into()))
    );
    assert_eq!(document.error.key(), Some("chunks/stray"));
    assert!(!root.join("chunks/zarr.json").exists());
    let e = repair(&zarr, "/nothing", &RepairOptions::default()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}");
}

#[test]
fn numpy_files_round_trip() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = sample(&dir.path().join("s"));
    let (array, path) = (zarr.array("/chunks").unwrap(), dir.path().join("part.npy"));
    let mut file = Vec::new();
    export(&array, [1..7, 2..5], Format::Npy, &mut file, &usual()).unwrap();
    assert!(file.starts_with(b"\x93NUMPY\x01\x00") && file.len() == 128 + 6 * 3 * 2);
    fs::write(&path, &file).unwrap();
    let other = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([6, 3]).chunks([2, 3])).unwrap();
    import_file(&other, .., Format::Npy, &path, &usual()).unwrap();
    assert_eq!(other.read::<u16>(..).unwrap(), array.read::<u16>([1..7, 2..5]).unwrap());
    assert_eq!(stored(&other).unwrap().keys, 3);

    let names_path = |e: &Error| e.key().is_none() && e.to_string().contains(path.to_str().unwrap());
    let e = import_file(&other, [0..3, 0..3], Format::Npy, &path, &usual()).unwrap_err();
    assert!(
        e.to_string().contains("the file has shape [6, 3], but the region has shape [3, 3]") && names_path(&e),
        "{e}"
    );
    let signed = Hierarchy::in_memory().create_array("/a", NewArray::of::<i16>([6, 3])).unwrap();
    let e = import_file(&signed, .., Format::Npy, &path, &usual()).unwrap_err();
    assert!(e.to_string().contains("`<u2`") && names_path(&e), "{e}");
    let e = import_file(&signed, .., Format::Npy, dir.path().join("none"), &usual()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Io(_)), "{e}");
}

#[test]
fn stored_bytes_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    let zarr = Hierarchy::options().create().context(Context::new()).open(&root).unwrap();
    let array = zarr.create_array("/a", NewArray::of::<u8>([9]).chunks([3]).no_compressor()).unwrap();
    assert_eq!(stored(&array).unwrap(), Default::default());
    array.write(0..6, &[1u8; 6]).unwrap();
    zarr.store().writer().unwrap().set(&Key::new("a/stray").unwrap(), b"12345").unwrap();
    fs::create_dir(root.join("a/c/2")).unwrap();
    let found = stored(&array).unwrap();
    assert_eq!((found.keys, found.bytes, found.not_values), (3, 11, 1));
}
