//! Facts about a whole hierarchy.

use crate::{
    args::Report as Args,
    commands::{
        needs::{self, Need},
        validate::as_json,
    },
    location::Location,
    session::Session,
};
use ozarr::{
    Array, Child, Hierarchy, Node, Result,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{Problem, ProblemKind, ValidateOptions, stored_bytes, validate};
use std::{collections::HashMap, iter};

/// The limits of a page.
pub(super) const MOST_ARRAYS: usize = 200;
pub(super) const MOST_ROWS: usize = 2000;
pub(super) const MOST_PROBLEMS: usize = 200;

/// The facts that the page shows apart from arrays.
pub(super) struct Overview {
    pub(super) title: String,
    pub(super) nodes: u64,
    pub(super) stored_bytes: Option<u64>,
    /// The number of decoded chunks, if all were decoded.
    pub(super) decoded: Option<u64>,
    pub(super) problems: Vec<Problem>,
    /// The keys of damaged chunks, by the path of their array.
    pub(super) damaged: HashMap<String, Vec<String>>,
    pub(super) needs: Vec<Need>,
    pub(super) rows: Vec<Row>,
    pub(super) rows_left_out: u64,
}

/// A node in the tree.
pub(super) struct Row {
    pub(super) depth: usize,
    pub(super) name: String,
    pub(super) text: String,
    /// The number of an array in the order of the page.
    pub(super) array: Option<usize>,
    pub(super) is_broken: bool,
}

impl Overview {
    pub(super) fn new(at: &Location, session: &Session, args: &Args) -> Result<Self> {
        let root = at.hierarchy.node(&at.path())?;
        let bar = session.status.bar();
        let options = ValidateOptions::default().with_data(args.data).with_progress(&bar);
        let found = validate(&at.hierarchy, &at.path(), &options)?;
        drop(bar);
        let mut damaged: HashMap<String, Vec<String>> = HashMap::new();
        for Problem { node, key, .. } in found.problems.iter().filter(|p| p.kind == ProblemKind::CorruptChunk) {
            damaged.entry(node.to_string()).or_default().extend(key.clone());
        }
        let (rows, rows_left_out) = rows(&root, &at.typed);
        Ok(Self {
            title: at.typed.clone(),
            nodes: found.nodes,
            // Nodes that cannot be listed are among the problems.
            stored_bytes: stored_bytes(&at.hierarchy, &at.path()).ok(),
            decoded: args.data.then_some(found.chunks),
            problems: found.problems,
            damaged,
            needs: needs::of(at, session)?.0,
            rows,
            rows_left_out,
        })
    }
    /// Returns the keys of damaged chunks of an array, if all chunks were decoded.
    pub(super) fn damaged_of(&self, array: &Array) -> Option<&[String]> {
        self.decoded?;
        Some(self.damaged.get(&array.path().to_string()).map(Vec::as_slice).unwrap_or_default())
    }
    pub(super) fn to_json(&self) -> Object {
        let mut o = Object::new();
        o.set("nodes", self.nodes);
        o.set("stored_bytes", self.stored_bytes);
        o.set("decoded_chunks", self.decoded);
        o.set("problems", self.problems.iter().map(as_json).collect::<Json>());
        o.set("extensions", self.needs.iter().map(Need::to_json).collect::<Json>());
        o
    }
}

/// Returns the nodes of the tree, and the number of nodes left out.
fn rows(root: &Node, typed: &str) -> (Vec<Row>, u64) {
    let text = |node: &Node| match node {
        Node::Array(array) => array.to_string(),
        Node::Group(_) => "group".to_owned(),
    };
    let mut arrays = 0;
    let mut number = |node: &Node| {
        matches!(node, Node::Array(_)).then(|| {
            arrays += 1;
            arrays - 1
        })
    };
    let first = Row { depth: 0, name: typed.to_owned(), text: text(root), array: number(root), is_broken: false };
    let (mut rows, mut left_out) = (vec![first], 0);
    let Node::Group(group) = root else { return (rows, left_out) };
    let mut walk = group.walk();
    while let Some(child) = walk.next() {
        let row = match child {
            Ok(Child { name, node: Ok(node), .. }) => {
                Row { depth: walk.depth(), name, text: text(&node), array: number(&node), is_broken: false }
            }
            Ok(Child { name, node: Err(e), .. }) => {
                Row { depth: walk.depth(), name, text: format!("cannot be opened: {e}"), array: None, is_broken: true }
            }
            Err(e) => {
                let (depth, text) = (walk.depth() + 1, format!("cannot be listed: {e}"));
                Row { depth, name: String::new(), text, array: None, is_broken: true }
            }
        };
        if rows.len() < MOST_ROWS { rows.push(row) } else { left_out += 1 }
    }
    (rows, left_out)
}

/// Returns the arrays at and below a node that can be opened, in the order of the tree.
pub(super) fn all_arrays(hierarchy: &Hierarchy, path: &str) -> Result<Box<dyn Iterator<Item = Array>>> {
    Ok(match hierarchy.node(path)? {
        Node::Array(array) => Box::new(iter::once(*array)),
        Node::Group(group) => Box::new(group.walk().filter_map(|child| match child {
            Ok(Child { node: Ok(Node::Array(array)), .. }) => Some(*array),
            _ => None,
        })),
    })
}
