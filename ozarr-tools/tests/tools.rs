//! The operations, from Rust, on stores in directories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{Context, ErrorKind, Hierarchy, NewArray, Node, codecs::Zstd, zarr_core::store::Key};
use ozarr_tools::{
    Action, CopyOptions, Fault, Format, KeptLengths, Lengths, Progress, RepairOptions, Rule, StaleCopy,
    ValidateOptions, check_consolidated, consolidate, copy, export, import_file, repair, stored, validate,
};
use std::{
    cell::RefCell,
    fs,
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

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
    fn begin(&self, _label: &'static str, total: u64) {
        self.total.fetch_add(total, Relaxed);
    }
    fn add(&self, n: u64) {
        self.done.fetch_add(n, Relaxed);
    }
}

#[test]
fn a_copy_in_other_chunks_has_the_same_elements() {
    let (dir, source, count) = (tempfile::tempdir().unwrap(), weather(), Count::default());
    let destination = Hierarchy::create(dir.path().join("copy.zarr")).unwrap();
    let kept = RefCell::new(Vec::new());
    let note = |lengths: &KeptLengths| kept.borrow_mut().push((lengths.node.to_string(), lengths.option));
    let options = CopyOptions::default().with_chunk_shape([5]).with_codecs([Zstd::level(1)]);
    let report = copy(&source, "/", &destination, "/", &options.with_notes(&note).with_progress(&count)).unwrap();
    assert!(report.bytes_before > 0 && report.bytes_after > 0, "{report:?}");
    assert_eq!(
        count.total.into_inner(),
        source.group("/").unwrap().walk().fold(0, |n, child| {
            n + match child.unwrap().node.unwrap() {
                Node::Array(array) => array.len(),
                Node::Group(_) => 0,
            }
        })
    );
    let mut arrays = 0;
    for child in source.group("/").unwrap().walk() {
        let Node::Array(array) = child.unwrap().node.unwrap() else { continue };
        let (path, mut before, mut after) = (array.path().to_string(), Vec::new(), Vec::new());
        let copied = destination.array(&path).unwrap();
        export(&array, .., Format::JsonLines, &mut before).unwrap();
        export(&copied, .., Format::JsonLines, &mut after).unwrap();
        assert!(before == after, "{path}");
        match array.ndim() {
            1 => assert_eq!(copied.inner_chunk_shape().or(copied.chunk_shape()), Some(&[5][..]), "{path}"),
            _ => assert!(kept.borrow().contains(&(path, Lengths::Chunks))),
        }
        arrays += 1;
    }
    assert_eq!(report.arrays, arrays);
    let found = validate(&destination, "/", &ValidateOptions::default().with_data(true)).unwrap();
    assert!(found.problems.is_empty() && found.chunks > 0, "{found:?}");
}

#[test]
fn what_cannot_be_copied_as_it_is_asked_for_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = sample(&dir.path().join("s"));
    zarr.array("/chunks").unwrap().write([0..1, 0..1], &[700u16]).unwrap();
    let refused = |from: &str, to: &str, options: &CopyOptions<'_>| {
        let e = copy(&zarr, from, &zarr, to, options).unwrap_err();
        assert!(matches!(zarr.node("/new").map_err(|e| e.to_string()), Err(e) if e.contains("no node")), "{e}");
        e
    };
    let bytes = CopyOptions::default().with_data_type("uint8");
    let e = refused("/chunks", "/new", &bytes);
    assert!(matches!(e.kind(), ErrorKind::Conversion(_)), "{e}");
    assert!(e.to_string().contains("[0, 0]") && e.hint().unwrap().contains("`lossy`"), "{e}");
    let e = refused("/chunks", "/new", &CopyOptions::default().with_shard_shape([8]));
    assert!(e.to_string().contains("`shard_shape` has 1 lengths, and the array 2 dimensions"), "{e}");
    let e = refused("/g", "/g/new", &CopyOptions::default());
    assert!(e.to_string().contains("overlap"), "{e}");
    let e = refused("/chunks", "/shards", &CopyOptions::default());
    assert!(matches!(e.kind(), ErrorKind::NodeAlreadyExists), "{e}");
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
    fs::write(root.join("g/note"), b"mine").unwrap();
    fs::remove_file(root.join("g/below/zarr.json")).unwrap();
    fs::remove_dir_all(root.join("shards")).unwrap();
    let found = validate(&zarr, "/", &all).unwrap();
    assert!(found.is_repairable);
    let has = |rule, key: Option<&str>, fault: &dyn Fn(&Fault) -> bool| {
        let mut of_rule = found.problems.iter().filter(|p| p.rule == rule && p.key.as_deref() == key);
        assert!(of_rule.any(|p| fault(&p.fault)), "{rule} {key:?}: {found:?}");
    };
    has(Rule::ChunkDecodes, Some("chunks/c/0/0"), &|f| matches!(f, Fault::Error(_)));
    has(Rule::ChunkInGrid, Some("chunks/c/9/0"), &|f| matches!(f, Fault::NoSuchCell(cell) if *cell == [9, 0]));
    has(Rule::KeyOfChunk, Some("chunks/note"), &|f| matches!(f, Fault::KeyOfNoChunk));
    has(Rule::KeyOfNode, Some("g/note"), &|f| matches!(f, Fault::KeyOfNoNode));
    has(
        Rule::AllChunksAreStored,
        None,
        &|f| matches!(f, Fault::MissingChunks { missing: 1, total: 2, examples } if examples == &["chunks/c/1/0"]),
    );
    has(Rule::ConsolidatedIsUpToDate, Some("g/below/zarr.json"), &|f| matches!(f, Fault::LostDocument));
    has(
        Rule::ConsolidatedIsUpToDate,
        Some("zarr.json"),
        &|f| matches!(f, Fault::StaleCopy(StaleCopy::Superfluous(node)) if node == "shards"),
    );
    let absent = validate(&zarr, "/nothing", &all).unwrap();
    assert_eq!(absent.problems[0].rule, Rule::NodeOpens);
    assert!(validate(&zarr, "//", &all).is_err());
}

#[test]
fn copies_of_documents_do_not_stand_for_documents() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    sample(&root);
    fs::write(root.join("chunks/zarr.json"), b"{").unwrap();
    let zarr = Hierarchy::options().consolidated_metadata().open(&root).unwrap();
    zarr.array("/chunks").expect("the copy is taken");
    let found = validate(&zarr, "/", &ValidateOptions::default()).unwrap();
    assert!(found.problems.iter().any(|p| p.node == "/chunks" && p.rule == Rule::NodeOpens), "{found:?}");
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
fn a_repair_is_found_first_and_then_done() {
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
    let found: Vec<_> = look.repairs.iter().map(|r| (&*r.node, r.action, &*r.subject)).collect();
    let stale = StaleCopy::Absent("new".to_owned()).to_string();
    assert_eq!(
        found,
        [
            ("/g/below", Action::RecreateDocument, "g/below/zarr.json"),
            ("/shards", Action::RebuildIndex, "shards/c/0/0"),
            ("/", Action::Consolidate, &stale),
        ]
    );
    assert!(look.has_node && look.failed() == 0);
    assert_eq!((count.total.into_inner(), count.done.into_inner()), (2, 2));
    assert_eq!(fs::read(&shard).unwrap(), damaged, "it was only looked at");

    let apply = options.with_apply(true);
    let e = repair(&read_only, "/", &apply).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Unsupported(_)), "{e}");
    let done = repair(&zarr, "/", &apply).unwrap();
    assert_eq!((done.repairs.len(), done.failed()), (3, 0), "{done:?}");
    assert_eq!(fs::read(&shard).unwrap(), intact);
    let json = |text: &[u8]| std::str::from_utf8(text).unwrap().parse::<ozarr::Json>().unwrap();
    assert!(json(&fs::read(root.join("g/below/zarr.json")).unwrap()).is_same(&json(&document)));
    assert!(repair(&zarr, "/", &apply).unwrap().repairs.is_empty());
    let found = validate(&zarr, "/", &ValidateOptions::default().with_data(true)).unwrap();
    assert!(found.problems.is_empty(), "{found:?}");
}

#[test]
fn what_cannot_be_repaired_is_an_error_of_its_step() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("s");
    let zarr = sample(&root);
    fs::remove_file(root.join("chunks/zarr.json")).unwrap();
    fs::write(root.join("chunks/stray"), b"mine").unwrap();
    let done = repair(&zarr, "/", &RepairOptions::default().with_apply(true)).unwrap();
    let [step] = &done.repairs[..] else { panic!("{done:?}") };
    assert_eq!((step.action, done.failed()), (Action::Find, 1));
    assert_eq!(step.error.as_ref().unwrap().key(), Some("chunks/stray"));
    assert!(!root.join("chunks/zarr.json").exists());
    let e = repair(&zarr, "/nothing", &RepairOptions::default()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}");
}

#[test]
fn numpy_files_go_there_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let zarr = sample(&dir.path().join("s"));
    let (array, path) = (zarr.array("/chunks").unwrap(), dir.path().join("part.npy"));
    let mut file = Vec::new();
    export(&array, [1..7, 2..5], Format::Npy, &mut file).unwrap();
    assert!(file.starts_with(b"\x93NUMPY\x01\x00") && file.len() == 128 + 6 * 3 * 2);
    fs::write(&path, &file).unwrap();
    let other = Hierarchy::in_memory().create_array("/a", NewArray::of::<u16>([6, 3]).chunks([2, 3])).unwrap();
    import_file(&other, .., Format::Npy, &path).unwrap();
    assert_eq!(other.read::<u16>(..).unwrap(), array.read::<u16>([1..7, 2..5]).unwrap());
    assert_eq!(stored(&other).unwrap().keys, 3);

    let name = path.to_str();
    let e = import_file(&other, [0..3, 0..3], Format::Npy, &path).unwrap_err();
    assert!(e.to_string().contains("the file has the shape [6, 3], the region [3, 3]") && e.key() == name, "{e}");
    let signed = Hierarchy::in_memory().create_array("/a", NewArray::of::<i16>([6, 3])).unwrap();
    let e = import_file(&signed, .., Format::Npy, &path).unwrap_err();
    assert!(e.to_string().contains("`<u2`") && e.key() == name, "{e}");
    let e = import_file(&signed, .., Format::Npy, dir.path().join("none")).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Io(_)), "{e}");
}

#[test]
fn what_is_stored_is_counted() {
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
