//! `ozarr copy`: an array or a hierarchy, with other codecs, chunks or data type if asked.

use super::{Outcome, info};
use crate::{
    args::Copy as Args,
    convert::Converter,
    elements::string_handles,
    location::Location,
    output::{bytes, print, say},
    progress::Progress,
};
use ozarr::{
    Array, Context, Error, ErrorKind, Group, Hierarchy, Node, Result, Selection,
    zarr_core::{
        extension::Extension,
        json::{Json, Object},
        limits::Limits,
        metadata::{ArrayMetadata, NodeMetadata, ResolvedArray},
        name::NodePath,
        registry::Constructor,
        store::{Key, ListableStore, Prefix, Store, SubStore},
        view::{Handle, Heap, Region, View, ViewMut},
    },
};
use std::{collections::BTreeSet, time::Instant};

/// What happened.
#[derive(Default)]
struct Summary {
    arrays: u64,
    groups: u64,
    before: u64,
    after: u64,
    /// Groups whose copies of metadata are yet to be made.
    consolidated: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let start = Instant::now();
    let from = Location::read(&args.source, context)?;
    let root = from.hierarchy.node(&from.path())?;
    let plan = Plan { args, is_single: matches!(root, Node::Array(_)) };
    let to = Location::create(&args.destination, context)?;
    let apart = Apart::new(&from, &to, args.overwrite);
    // Everything is opened, planned and resolved before anything is written. What is planned is planned again when it is
    // written: of many nodes only the names are in memory.
    let (mut names, mut total) = (Vec::new(), 0u64);
    each_node(root, &mut |node| {
        plan.metadata(&node, true)?;
        apart.check(&node)?;
        names.push(node.path().relative_to(&from.node).unwrap_or_default().to_owned());
        total = total.saturating_add(elements(&node));
        Ok(())
    })?;
    let (mut summary, progress) = (Summary::default(), Progress::new("copying", total));
    to.hierarchy.build(&to.path(), args.overwrite, |staged| {
        staged.batch(|batch| {
            names.iter().try_for_each(|name| copy_node(&from, name, &plan, (batch, &to.node), &progress, &mut summary))
        })?;
        // From the innermost out, as each copies what is below it.
        summary.consolidated.iter().rev().try_for_each(|path| staged.consolidate(path))
    })?;
    summary.before = size(&from.hierarchy, &from.node)?;
    summary.after = size(&to.hierarchy, &to.node)?;
    report(&summary, start, args)
}

/// Refuses to copy into what is being read: no node of the source lies in the destination or around it, whatever links lead
/// there. What is overwritten has no value of the source either.
struct Apart<'a> {
    from: &'a Location,
    to: &'a Location,
    /// The URI of the destination.
    place: String,
    overwrite: bool,
}

impl<'a> Apart<'a> {
    fn new(from: &'a Location, to: &'a Location, overwrite: bool) -> Self {
        let place = Self::uri(&**to.hierarchy.store(), &Prefix::of(&to.node));
        Self { from, to, place, overwrite }
    }
    fn uri(store: &dyn Store, prefix: &Prefix) -> String {
        store.uri(prefix).trim_end_matches('/').to_owned() + "/"
    }
    fn check(&self, node: &Node) -> Result<()> {
        let source = &**self.from.hierarchy.store();
        let overlap = || {
            let e = Error::argument(format!("{} and {} overlap", self.from.typed, self.to.typed));
            Err(e.at_node(node.path()))
        };
        let at = Self::uri(source, &Prefix::of(node.path()));
        if at.starts_with(&self.place) || self.place.starts_with(&at) {
            return overlap();
        }
        let values = match node {
            _ if !self.overwrite => return Ok(()),
            Node::Group(_) => [Key::metadata(node.path())].into(),
            Node::Array(_) => source.lister()?.list_prefix(&Prefix::of(node.path()))?,
        };
        for key in values {
            if Self::uri(source, &Prefix::new(format!("{key}/"))?).starts_with(&self.place) {
                return overlap();
            }
        }
        Ok(())
    }
}

fn copy_node(
    from: &Location,
    relative: &str,
    plan: &Plan<'_>,
    (to, at): (&Hierarchy, &NodePath),
    progress: &Progress,
    summary: &mut Summary,
) -> Result<()> {
    let (path, source) = (at.join(relative)?.to_string(), from.node.join(relative)?.to_string());
    let source = from.hierarchy.node(&source)?;
    match (&source, plan.metadata(&source, false)?) {
        (Node::Group(source), NodeMetadata::Group(m)) => {
            to.create_group_from(&path, m)?;
            if source.metadata().consolidated().is_some() {
                summary.consolidated.push(path);
            }
            summary.groups += 1;
        }
        (Node::Array(source), NodeMetadata::Array(m)) => {
            let copy = to.create_array_from(&path, m, false)?;
            copy_elements(source, &copy, plan.args.lossy, progress).map_err(|e| e.at_node(source.path()))?;
            summary.arrays += 1;
        }
        _ => {}
    }
    Ok(())
}

fn report(s: &Summary, start: Instant, args: &Args) -> Result<Outcome> {
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        let mut o = Object::new();
        o.set("arrays", s.arrays);
        o.set("groups", s.groups);
        o.set("bytes_before", s.before);
        o.set("bytes_after", s.after);
        o.set("ratio", Json::from_f64(s.after as f64 / s.before.max(1) as f64).unwrap_or(Json::Null));
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

/// The node and all below it, parents first.
fn each_node(node: Node, each: &mut dyn FnMut(Node) -> Result<()>) -> Result<()> {
    let below = match &node {
        Node::Group(group) => Some(group.walk()),
        Node::Array(_) => None,
    };
    each(node)?;
    below.into_iter().flatten().try_for_each(|child| each(child?.node?))
}

fn elements(node: &Node) -> u64 {
    match node {
        Node::Array(a) => a.representation().elements().unwrap_or(0),
        Node::Group(_) => 0,
    }
}

fn size(hierarchy: &Hierarchy, node: &NodePath) -> Result<u64> {
    let below = SubStore::new(hierarchy.store().clone(), Prefix::of(node));
    let keys = below.list()?;
    keys.iter().try_fold(0, |total, key| Ok(total + info::size(&below, key)?))
}

/// What is asked for, beside what is kept.
struct Plan<'a> {
    args: &'a Args,
    /// One array is copied, not a hierarchy.
    is_single: bool,
}

impl Plan<'_> {
    /// The document of the copy of a node. With `notes` people are told what is not as they asked.
    fn metadata(&self, node: &Node, notes: bool) -> Result<NodeMetadata> {
        match node {
            Node::Group(group) => Ok(NodeMetadata::Group(plain(group))),
            Node::Array(array) => {
                self.resolved(array, notes).map(NodeMetadata::Array).map_err(|e| e.at_node(array.path()))
            }
        }
    }
    /// The document of an array of which it is known that it can be created and written.
    fn resolved(&self, array: &Array, notes: bool) -> Result<ArrayMetadata> {
        let (mut metadata, context) = (self.array(array, notes)?, array.hierarchy().context());
        let resolved = ResolvedArray::create(&mut metadata, &context.registry, &context.limits, &context.options)?;
        resolved.check_writable()?;
        Ok(metadata)
    }
    fn array(&self, array: &Array, notes: bool) -> Result<ArrayMetadata> {
        let (m, mut document) = (array.metadata(), array.metadata().document().clone());
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
        let chain = match &self.args.codecs {
            None => old_chain,
            Some(codecs) => completed(array.hierarchy().context(), &codecs.0, old_chain),
        };
        let chunk = self.fitting("--chunk-shape", &self.args.chunk_shape, array, notes)?;
        let shard = self.fitting("--shard-shape", &self.args.shard_shape, array, notes)?;
        let old_chunk = old_inner.and_then(|c| c.get("chunk_shape"));
        let grid =
            |shape: Json| Extension::new("regular", [("chunk_shape", shape)].into_iter().collect()).to_json().clone();
        if shard.is_none() && old_inner.is_none() {
            document.set("codecs", Json::Array(chain));
            if let Some(chunk) = chunk {
                document.set("chunk_grid", grid(chunk.into()));
            }
            return ArrayMetadata::from_object(document, &Limits::default());
        }
        let inner = match (chunk, old_chunk, array.chunk_shape()) {
            // Codecs before the shards stay there, and may change the order of dimensions.
            (Some(chunk), Some(_), _) => encoded_part(array, &chunk)?.into(),
            (Some(chunk), None, _) => chunk.into(),
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
    /// Lengths that were asked for, if the array has as many dimensions.
    fn fitting(
        &self,
        option: &str,
        lengths: &Option<Vec<u64>>,
        array: &Array,
        notes: bool,
    ) -> Result<Option<Vec<u64>>> {
        let (Some(lengths), rank) = (lengths, array.shape().len()) else { return Ok(None) };
        if lengths.len() == rank {
            return Ok(Some(lengths.clone()));
        }
        let (found, shape) = (lengths.len(), array.shape());
        if self.is_single {
            let e = format!("{option} has {found} lengths, and the array {rank} dimensions: its shape is {shape:?}");
            return Err(Error::argument(e));
        }
        if notes {
            say(&format!(
                "note: {option} has {found} lengths; {} has {rank} dimensions and keeps its own",
                array.path()
            ));
        }
        Ok(None)
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

/// The lengths of a part of a chunk as they reach the array -> bytes codec.
fn encoded_part(array: &Array, lengths: &[u64]) -> Result<Vec<u64>> {
    let part = array
        .chunk_shape()
        .and_then(|shape| array.codec_chain(shape).ok())
        .and_then(|chain| chain.encoded_part(lengths));
    let unknown = "it is not known which lengths inner chunks have behind the codecs that come before the shards";
    part.map(|p| p.to_vec()).ok_or_else(|| Error::argument(unknown))
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
fn plain(group: &Group) -> ozarr::zarr_core::metadata::GroupMetadata {
    let mut metadata = group.metadata().clone();
    if metadata.consolidated().is_some() {
        metadata.set_consolidated(None);
    }
    metadata
}

/// Elements that are in memory at a time, unless a chunk has more.
const BLOCK: u64 = 1 << 23;

/// Whole chunks of the copy, so that each is encoded once, and only those that stored chunks of the source touch: runs of
/// chunks along the last dimension.
fn blocks(from: &Array, to: &Array) -> Result<Vec<Region>> {
    let whole = Region::whole(from.shape());
    let mut cells = BTreeSet::new();
    for chunk_index in from.stored_chunks()? {
        if let Some(part) = from.chunk_region(&chunk_index).ok().and_then(|chunk| chunk.intersection(&whole)) {
            cells.extend(to.chunks().within(&part)?.map(|c| c.index().to_vec()));
        }
    }
    let mut blocks: Vec<(Vec<u64>, Region)> = Vec::new();
    for chunk_index in cells {
        let Some(region) = to.chunk_region(&chunk_index)?.intersection(&whole) else { continue };
        if let (Some((before, block)), Some(last)) = (blocks.last_mut(), chunk_index.len().checked_sub(1)) {
            let follows =
                before[..last] == chunk_index[..last] && before[last].checked_add(1) == Some(chunk_index[last]);
            let joined =
                block.len.iter().take(last).product::<u64>().saturating_mul(region.end(last) - block.start[last]);
            if follows && joined <= BLOCK {
                block.len[last] = region.end(last) - block.start[last];
                *before = chunk_index;
                continue;
            }
        }
        blocks.push((chunk_index, region));
    }
    Ok(blocks.into_iter().map(|(_, region)| region).collect())
}

fn copy_elements(from: &Array, to: &Array, lossy: bool, progress: &Progress) -> Result<()> {
    let (r, w) = (from.representation(), to.representation());
    for region in blocks(from, to)? {
        let (shape, selection) = (region.len.to_vec(), Selection::from(&region));
        if r.layout().is_variable() {
            let (mut handles, heap) = (string_handles(&shape)?, Heap::new(r.fill()));
            from.read_view(
                selection.clone(),
                ViewMut::new(&mut handles, &shape, Handle::SIZE)?.with_heap(Some(&heap)),
            )?;
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
    let ErrorKind::Conversion(what) = e.kind() else { return e };
    let selected = selection.indices(shape).unwrap_or_default();
    let mut index = vec![0; selected.len()];
    for (d, s) in selected.iter().enumerate().rev() {
        let n = s.len.max(1) as usize;
        index[d] = s.start + (i % n) as u64 * s.step;
        i /= n;
    }
    let kind = ErrorKind::Conversion(format!("element {index:?}: {what}"));
    Error::new(kind).with_hint(e.hint().unwrap_or_default())
}
