//! `zarr copy`: an array or a hierarchy, with other codecs, chunks or data type if asked.

use super::{Outcome, info::stored};
use crate::{
    args::Copy as Args,
    convert::Converter,
    elements::slabs,
    location::Location,
    output::{bytes, print, say},
    progress::Progress,
};
use std::time::Instant;
use zarr_array::{
    Array, Context, Error, Group, Hierarchy, Node, Result, Selection,
    core::{
        extension::Extension,
        json::{Json, Object},
        limits::Limits,
        metadata::{ArrayMetadata, NodeMetadata},
        name::NodePath,
        registry::Constructor,
        store::{Prefix, Store, SubStore},
        view::{Handle, Heap, View, ViewMut},
    },
};

/// What happened.
#[derive(Default)]
struct Summary {
    arrays: u64,
    groups: u64,
    before: u64,
    after: u64,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let from = Location::read(&args.source)?;
    let root = from.hierarchy.node(&from.path())?;
    let plan = Plan::new(args)?;
    // Everything is opened and planned before anything is written.
    let mut nodes = Vec::new();
    collect(&root, &from.node, &mut nodes)?;
    let planned = nodes.iter().map(|(_, node)| plan.metadata(node)).collect::<Result<Vec<_>>>()?;
    let to = Location::create(&args.destination)?;
    if args.overwrite && to.hierarchy.metadata(&to.node).is_ok() {
        to.hierarchy.erase(&to.path())?;
    }
    let progress = Progress::new("copying", nodes.iter().map(|(_, n)| elements(n)).sum());
    let mut summary = Summary::default();
    for ((relative, node), metadata) in nodes.iter().zip(planned) {
        let path = to.node.join(relative)?.to_string();
        match (node, metadata) {
            (Node::Group(_), NodeMetadata::Group(m)) => {
                to.hierarchy.create_group_from(&path, m)?;
                summary.groups += 1;
            }
            (Node::Array(source), NodeMetadata::Array(m)) => {
                let copy = to.hierarchy.create_array_from(&path, m, false)?;
                copy_elements(source, &copy, args.lossy, &progress).map_err(|e| e.at_node(source.path()))?;
                summary.arrays += 1;
            }
            _ => {}
        }
    }
    if let Node::Group(group) = &root
        && group.metadata().consolidated().is_some()
    {
        to.hierarchy.consolidate(&to.path())?;
    }
    drop(progress);
    summary.before = size(&from.hierarchy, &from.node)?;
    summary.after = size(&to.hierarchy, &to.node)?;
    report(&summary, start, args)
}

fn report(s: &Summary, start: Instant, args: &Args) -> Result<Outcome> {
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        let mut o = Object::new();
        o.set("arrays", s.arrays);
        o.set("groups", s.groups);
        o.set("bytes_before", s.before);
        o.set("bytes_after", s.after);
        o.set("seconds", Json::from_f64(seconds).unwrap_or(Json::Null));
        print(&Json::Object(o).to_pretty())?;
    } else {
        let share = 100.0 * s.after as f64 / s.before.max(1) as f64;
        say(&format!(
            "copied {} arrays and {} groups: {} before, {} after ({share:.0}%), {seconds:.2} s",
            s.arrays,
            s.groups,
            bytes(s.before),
            bytes(s.after)
        ));
    }
    Ok(Outcome::Done)
}

/// The node and all below it, parents first, each with its path relative to the first.
fn collect(node: &Node, root: &NodePath, found: &mut Vec<(String, Node)>) -> Result<()> {
    found.push((node.path().relative_to(root).unwrap_or_default().to_owned(), node.clone()));
    if let Node::Group(group) = node {
        for child in group.children()? {
            collect(&child.node?, root, found)?;
        }
    }
    Ok(())
}

fn elements(node: &Node) -> u64 {
    match node {
        Node::Array(a) => a.representation().elements().unwrap_or(0),
        Node::Group(_) => 0,
    }
}

fn size(hierarchy: &Hierarchy, node: &NodePath) -> Result<u64> {
    let below: std::sync::Arc<dyn Store> =
        std::sync::Arc::new(SubStore::new(hierarchy.store().clone(), Prefix::of(node)));
    Ok(stored(&below)?.1)
}

/// What is asked for, beside what is kept.
struct Plan<'a> {
    args: &'a Args,
    codecs: Option<Vec<Json>>,
}

impl<'a> Plan<'a> {
    fn new(args: &'a Args) -> Result<Self> {
        let codecs = match &args.codecs {
            None => None,
            Some(text) => match Json::parse(text.as_bytes(), &Limits::default())? {
                Json::Array(codecs) => Some(codecs),
                other => return Err(Error::argument(format!("--codecs is a JSON list, not {}", other.kind()))),
            },
        };
        Ok(Self { args, codecs })
    }
    /// The document of the copy of a node.
    fn metadata(&self, node: &Node) -> Result<NodeMetadata> {
        match node {
            Node::Group(group) => Ok(NodeMetadata::Group(plain(group))),
            Node::Array(array) => self.array(array).map(NodeMetadata::Array).map_err(|e| e.at_node(array.path())),
        }
    }
    fn array(&self, array: &Array) -> Result<ArrayMetadata> {
        let (m, mut document) = (array.metadata(), array.metadata().document().clone());
        // What a transformer did to the source's keys means nothing for the copy.
        document.remove("storage_transformers");
        let shards = sharding(m);
        let old_inner = shards.and_then(|s| s.configuration());
        if let Some(name) = &self.args.data_type {
            document.set("data_type", data_type(name));
            document.set("fill_value", self.fill_value(array, name)?);
        }
        let old_chain = match old_inner.and_then(|c| c.get("codecs")) {
            Some(inner) => inner.as_array().unwrap_or_default().to_vec(),
            None => m.codecs().iter().map(|c| c.to_json().clone()).collect(),
        };
        let chain = match &self.codecs {
            None => old_chain,
            Some(codecs) => completed(array.hierarchy().context(), codecs, old_chain),
        };
        let chunk = self.args.chunk_shape.clone();
        let shard = self.args.shard_shape.clone();
        let old_chunk = old_inner.and_then(|c| c.get("chunk_shape"));
        let grid = |shape: Json| Extension::new("regular", [("chunk_shape", shape)].into_iter().collect()).to_json().clone();
        if shard.is_none() && old_inner.is_none() {
            document.set("codecs", Json::Array(chain));
            if let Some(chunk) = chunk {
                document.set("chunk_grid", grid(chunk.into()));
            }
            return ArrayMetadata::from_object(document, &Limits::default());
        }
        let inner = match (chunk, old_chunk, array.chunk_shape()) {
            (Some(chunk), _, _) => chunk.into(),
            (None, Some(old), _) => old.clone(),
            (None, None, Some(old)) => old.into(),
            (None, None, None) => return Err(Error::argument("give --chunk-shape for shards of this chunk grid")),
        };
        let mut configuration = old_inner.cloned().unwrap_or_default();
        configuration.set("chunk_shape", inner);
        configuration.set("codecs", Json::Array(chain));
        let sharded = Extension::new("sharding_indexed", configuration).to_json().clone();
        let around = m.codecs().iter().map(|c| if Some(c) == shards { sharded.clone() } else { c.to_json().clone() });
        let codecs = if shards.is_some() { around.collect() } else { Json::Array(vec![sharded.clone()]) };
        document.set("codecs", codecs);
        if let Some(shard) = shard {
            document.set("chunk_grid", grid(shard.into()));
        }
        ArrayMetadata::from_object(document, &Limits::default())
    }
    fn fill_value(&self, array: &Array, name: &str) -> Result<Json> {
        let context = array.hierarchy().context();
        let to = context.registry.data_type(&Extension::parse(&data_type(name))?, &context.limits)?.object;
        let from = array.representation().data_type();
        let converter = Converter { from: &**from, to: &*to, lossy: self.args.lossy };
        let fill = converter.elements(array.representation().fill());
        to.fill_to_json(&fill.map_err(|(_, e)| e.within("fill_value"))?)
    }
}

/// A name, or an extension as JSON.
fn data_type(text: &str) -> Json {
    Json::parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|_| text.into())
}

/// A chain of bytes -> bytes codecs alone follows the array codecs that were there: so one chain serves a hierarchy of
/// numbers and strings.
fn completed(context: &Context, codecs: &[Json], old: Vec<Json>) -> Vec<Json> {
    let only_bytes = |codec: &Json| {
        let found = Extension::parse(codec).ok().and_then(|e| context.registry.codec(&e).ok().flatten());
        found.is_some_and(|r| matches!(r.constructor(), Constructor::BytesToBytes(_)))
    };
    if !codecs.iter().all(only_bytes) {
        return codecs.to_vec();
    }
    old.into_iter().filter(|c| !only_bytes(c)).chain(codecs.iter().cloned()).collect()
}

fn sharding(m: &ArrayMetadata) -> Option<&Extension> {
    m.codecs().iter().find(|c| c.name() == "sharding_indexed")
}

/// A group's document without copies of the documents below it: they are made anew.
fn plain(group: &Group) -> zarr_array::core::metadata::GroupMetadata {
    let mut metadata = group.metadata().clone();
    metadata.set_consolidated(None);
    metadata
}

/// Elements that are in memory at a time, unless a chunk has more.
const BLOCK: u64 = 1 << 23;

/// Whole chunks of the copy, so that each is encoded once: slabs, or where these are too large one chunk after another.
fn blocks(to: &Array) -> Result<Vec<Selection>> {
    let slabs = slabs(to, &(..).into(), BLOCK)?;
    let size = |s: &Selection| Ok(s.shape(to.shape())?.iter().product::<u64>());
    if slabs.iter().map(size).collect::<Result<Vec<u64>>>()?.into_iter().all(|n| n <= 4 * BLOCK) {
        return Ok(slabs);
    }
    Ok(to.chunks(..)?.into_iter().map(|c| c.region.into()).collect())
}

fn copy_elements(from: &Array, to: &Array, lossy: bool, progress: &Progress) -> Result<()> {
    let (r, w) = (from.representation(), to.representation());
    for selection in blocks(to)? {
        let shape = selection.shape(to.shape())?;
        if r.layout().is_variable() {
            let count = shape.iter().product::<u64>() as usize;
            let (mut handles, heap) = (vec![0; count * Handle::SIZE], Heap::new(r.fill()));
            from.read_view(selection.clone(), ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
            to.write_view(selection, &View::new(&handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)))?;
        } else {
            let mut elements = from.read_bytes(selection.clone())?;
            if from.metadata().data_type() != to.metadata().data_type() {
                let converter = Converter { from: &**r.data_type(), to: &**w.data_type(), lossy };
                let converted = converter.elements(&elements);
                elements = converted.map_err(|(i, e)| at_position(e, i, &selection, to.shape()))?;
            }
            to.write_bytes(selection, &elements)?;
        }
        progress.add(shape.iter().product());
    }
    Ok(())
}

/// Says which element of the array it was.
fn at_position(e: Error, mut i: usize, selection: &Selection, shape: &[u64]) -> Error {
    let zarr_array::ErrorKind::Conversion(what) = e.kind() else { return e };
    let slices = selection.slices(shape).unwrap_or_default();
    let mut index = vec![0; slices.len()];
    for (d, s) in slices.iter().enumerate().rev() {
        let n = s.len().max(1) as usize;
        index[d] = s.start + (i % n) as u64;
        i /= n;
    }
    let kind = zarr_array::ErrorKind::Conversion(format!("element {index:?}: {what}"));
    Error::new(kind).with_hint(e.hint().unwrap_or_default())
}
