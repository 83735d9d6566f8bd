//! Unknown members are treated alike by every operation that opens a node: open, list, walk, read from copies, change
//! attributes, write chunks, create.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod changes;
mod copies;
mod table;

use ozarr::{
    Array, Children, Context, ErrorKind, Hierarchy, Node, Result,
    store::MemoryStore,
    zarr_core::{
        json::Json,
        store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore},
    },
};
use std::sync::Arc;
use table::{Row, Verdict, arrays, good_array, good_group, groups};

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// A store that cannot list.
#[derive(Debug)]
struct Unlisted(Arc<dyn Store>);

impl Store for Unlisted {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.0.readable()
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.0.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        None
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.0.uri(prefix)
    }
}

/// A store with a root group, a valid node on each side of the tested node, and a prefix that is not a node.
struct World {
    store: Arc<dyn Store>,
    hierarchy: Hierarchy,
}

impl World {
    /// `node` is stored at `row`, and `copy` in the consolidated metadata of the root.
    fn new(node: &str, copy: &str) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let good = good_array();
        let root = format!(
            r#"{{"attributes":{{"n":1.50}},"zarr_format":3,"consolidated_metadata":{{"kind":"inline","must_understand":false,"metadata":{{"a":{good},"row":{copy},"z":{good}}}}},"node_type":"group","kept":{{"must_understand":false,"n":1e0}}}}"#
        );
        for (name, text) in [("", &root[..]), ("a/", &good), ("row/", node), ("z/", &good)] {
            store.writer().unwrap().set(&key(&format!("{name}zarr.json")), text.as_bytes()).unwrap();
        }
        store.writer().unwrap().set(&key("stray/value"), b"1").unwrap();
        let hierarchy = Hierarchy::new(store.clone(), Context::new());
        Self { store, hierarchy }
    }
    /// Returns everything that is stored.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let value = |k: Key| (k.to_string(), self.store.reader().unwrap().get(&k).unwrap().unwrap());
        self.store.lister().unwrap().list().unwrap().into_iter().map(value).collect()
    }
    fn document(&self, node: &str) -> Json {
        let text = self.store.reader().unwrap().get(&key(&format!("{node}zarr.json"))).unwrap().unwrap();
        Json::parse(&text, &Default::default()).unwrap()
    }
}

/// Returns the tested node, if its siblings open and nothing else exists.
fn of_children(children: Children, stray: bool) -> Result<Node> {
    let children: Vec<_> = children.collect();
    let names: Vec<&str> = children.iter().map(|c| c.name.as_str()).collect();
    let all: &[&str] = if stray { &["a", "row", "stray", "z"] } else { &["a", "row", "z"] };
    assert_eq!(names, all);
    let mut found = None;
    for child in children {
        match (child.name.as_str(), child.node) {
            ("row", node) => found = Some(node),
            ("stray", Err(e)) => assert!(matches!(e.kind(), ErrorKind::NodeNotFound), "{e}"),
            ("stray", Ok(_)) => panic!("a prefix without a document is not a node"),
            (name, node) => assert!(node.is_ok(), "{name} is hidden: {node:?}"),
        }
    }
    found.unwrap()
}

fn of_walk(hierarchy: &Hierarchy) -> Result<Node> {
    let (mut seen, mut found) = (Vec::new(), None);
    for child in hierarchy.group("/")?.walk() {
        let child = child?;
        if child.path == "row" {
            found = Some(child.node);
        }
        seen.push(child.path);
    }
    for name in ["a", "row", "z"] {
        assert!(seen.iter().any(|p| p == name), "{name} is hidden: {seen:?}");
    }
    found.unwrap()
}

type Road = (&'static str, fn(&World) -> Result<Node>);

/// Operations that open the stored document, whatever the copy contains.
const TO_THE_NODE: [Road; 7] = [
    ("open", |w| w.hierarchy.node("/row")),
    ("open as its kind", |w| {
        let array = w.hierarchy.array("/row");
        let other_kind = |k: &ErrorKind| matches!(k, ErrorKind::Argument(_));
        match array {
            Err(e) if other_kind(e.kind()) => w.hierarchy.group("/row").map(Node::Group),
            array => array.map(|a| Node::Array(Box::new(a))),
        }
    }),
    ("open from a group", |w| w.hierarchy.group("/")?.node("row")),
    ("open to read", |w| w.hierarchy.read_only().node("/row")),
    ("list", |w| of_children(w.hierarchy.group("/")?.children()?, true)),
    ("walk", |w| of_walk(&w.hierarchy)),
    ("list what cannot list", |w| {
        let unlisted = Hierarchy::new(Arc::new(Unlisted(w.store.clone())), w.hierarchy.context().clone());
        of_children(unlisted.group("/")?.children()?, false)
    }),
];

/// Operations that open the copy, whatever the document contains.
const TO_THE_COPY: [Road; 4] = [
    ("open a copy", |w| w.hierarchy.with_consolidated_metadata()?.node("/row")),
    ("open a copy from a group", |w| w.hierarchy.with_consolidated_metadata()?.group("/")?.node("row")),
    ("list copies", |w| of_children(w.hierarchy.with_consolidated_metadata()?.group("/")?.children()?, false)),
    ("walk copies", |w| of_walk(&w.hierarchy.with_consolidated_metadata()?)),
];

/// Checks an outcome against the table.
fn judge(row: &Row, outcome: Result<Node>) -> std::result::Result<(), String> {
    let skipped = |node: &Node| match node {
        Node::Array(a) => a.skipped().iter().map(|(_, name)| name.clone()).collect(),
        Node::Group(_) => Vec::new(),
    };
    match (&row.verdict, outcome) {
        (Verdict::Opens, Ok(node)) if skipped(&node).is_empty() => Ok(()),
        (Verdict::Skips(name, _), Ok(node)) if skipped(&node) == [*name] => Ok(()),
        (Verdict::Unknown(point), Err(e)) if matches!(e.kind(), ErrorKind::UnknownExtension { point: p, .. } if p == point) => {
            Ok(())
        }
        (Verdict::Breaks, Err(e))
            if matches!(
                e.kind(),
                ErrorKind::Metadata(_) | ErrorKind::Configuration(_) | ErrorKind::InvalidCodecChain(_)
            ) =>
        {
            Ok(())
        }
        (_, Ok(node)) => Err(format!("opens, skipping {:?}", skipped(&node))),
        (_, Err(e)) => Err(format!("is refused: {e}")),
    }
}

/// Returns every row with its document, and a valid document of the same kind.
fn documents() -> Vec<(Row, String, String)> {
    let of_array = arrays().into_iter().map(|r| (r.array(), r, good_array()));
    let of_group = groups().into_iter().map(|r| (r.group(), r, good_group()));
    let all: Vec<_> = of_array.chain(of_group).map(|(text, row, good)| (row, text, good)).collect();
    assert!(all.len() >= 262, "{}", all.len());
    all
}

#[test]
fn every_operation_agrees_with_the_table() {
    let mut failures = Vec::new();
    for (row, text, good) in documents() {
        let (stored, copied) = (World::new(&text, &good), World::new(&good, &text));
        let to_node = TO_THE_NODE.iter().map(|operation| (operation, &stored));
        for ((operation, open), world) in to_node.chain(TO_THE_COPY.iter().map(|operation| (operation, &copied))) {
            if let Err(reason) = judge(&row, open(world)) {
                failures
                    .push(format!("{operation}: {:?} for `{}: {}`: it {reason}", row.verdict, row.member, row.value));
            }
        }
        // An invalid document does not hide a valid copy, and an invalid copy does not hide a valid document.
        assert!(stored.hierarchy.with_consolidated_metadata().unwrap().node("/row").is_ok());
        assert!(copied.hierarchy.node("/row").is_ok());
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn array(hierarchy: &Hierarchy) -> Array {
    hierarchy.array("/row").unwrap()
}
