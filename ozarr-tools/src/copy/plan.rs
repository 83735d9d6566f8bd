//! Plans the metadata of copies.

use super::{
    convert::Converter,
    options::{CopyOptions, KeptLengths, Lengths},
};
use ozarr::{
    Array, Context, Error, Group, Json, Node, Result,
    zarr_core::{
        extension::Extension,
        metadata::{ArrayMetadata, GroupMetadata, NodeMetadata, ResolvedArray},
        registry::Constructor,
    },
};

/// A callback that receives lengths that do not fit an array.
pub(super) type Kept<'k> = &'k mut dyn FnMut(KeptLengths);

/// The requested changes. Everything else stays the same.
pub(super) struct Plan<'a> {
    pub(super) options: &'a CopyOptions<'a>,
    /// A single array is copied, not a hierarchy.
    pub(super) is_single: bool,
}

impl Plan<'_> {
    /// Returns the document of the copy of a node, and passes lengths that do not fit to `kept`.
    pub(super) fn metadata(&self, node: &Node, kept: Kept<'_>) -> Result<NodeMetadata> {
        match node {
            Node::Group(group) => Ok(NodeMetadata::Group(plain(group))),
            Node::Array(array) => {
                self.resolved(array, kept).map(NodeMetadata::Array).map_err(|e| e.at_node(array.path()))
            }
        }
    }
    /// Returns the document of an array, after checking that it can be created and written.
    fn resolved(&self, array: &Array, kept: Kept<'_>) -> Result<ArrayMetadata> {
        let (mut metadata, context) = (self.array(array, kept)?, array.hierarchy().context());
        let resolved = ResolvedArray::create(&mut metadata, &context.registry, &context.limits, &context.options)?;
        resolved.check_writable()?;
        Ok(metadata)
    }
    fn array(&self, array: &Array, kept: Kept<'_>) -> Result<ArrayMetadata> {
        let (m, mut document) = (array.metadata(), array.metadata().document().clone());
        let shards = sharding(m);
        let old_inner = shards.and_then(|s| s.configuration());
        if let Some(data_type) = &self.options.data_type {
            document.set("data_type", data_type.to_json().clone());
            document.set("fill_value", self.fill_value(array, data_type)?);
        }
        let old_chain = match old_inner.and_then(|c| c.get("codecs")) {
            Some(inner) => inner.as_array().unwrap_or_default().to_vec(),
            None => m.codecs().iter().map(|c| c.to_json().clone()).collect(),
        };
        let chain = match &self.options.codecs {
            None => old_chain,
            Some(codecs) => completed(array.hierarchy().context(), codecs, old_chain),
        };
        let chunk = self.fitting(Lengths::Chunks, &self.options.chunks, array, kept)?;
        let shard = self.fitting(Lengths::Shards, &self.options.shards, array, kept)?;
        let old_chunk = old_inner.and_then(|c| c.get("chunk_shape"));
        let grid = |shape: Json| Extension::new("regular", [("chunk_shape", shape)]).to_json().clone();
        if shard.is_none() && old_inner.is_none() {
            document.set("codecs", Json::Array(chain));
            if let Some(chunk) = chunk {
                document.set("chunk_grid", grid(chunk.into()));
            }
            return ArrayMetadata::from_object(document, &array.hierarchy().context().limits);
        }
        let inner = match (chunk, old_chunk, array.chunk_shape()) {
            // Codecs before the sharding codec stay in place, and may change the order of dimensions.
            (Some(chunk), Some(_), _) => encoded_part(array, &chunk)?.into(),
            (Some(chunk), None, _) => chunk.into(),
            (None, Some(old), _) => old.clone(),
            (None, None, Some(old)) => old.into(),
            (None, None, None) => {
                return Err(Error::argument("cannot choose inner chunks for this chunk grid").with_hint("set `chunks`"));
            }
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
        ArrayMetadata::from_object(document, &array.hierarchy().context().limits)
    }
    /// Returns the requested lengths if the array has this number of dimensions.
    fn fitting(
        &self,
        option: Lengths,
        lengths: &Option<Vec<u64>>,
        array: &Array,
        kept: Kept<'_>,
    ) -> Result<Option<Vec<u64>>> {
        let (Some(lengths), rank) = (lengths, array.shape().len()) else { return Ok(None) };
        if lengths.len() == rank {
            return Ok(Some(lengths.clone()));
        }
        let (given, shape) = (lengths.len(), array.shape());
        if self.is_single {
            let e = format!("{option} has rank {given}, but the array has rank {rank} and shape {shape:?}");
            return Err(Error::argument(e));
        }
        kept(KeptLengths { node: array.path().clone(), option, given, dimensions: rank });
        Ok(None)
    }
    fn fill_value(&self, array: &Array, data_type: &Extension) -> Result<Json> {
        let context = array.hierarchy().context();
        let to = context.registry.data_type(&Extension::parse(data_type.to_json())?, &context.limits)?.object;
        let from = array.representation().data_type();
        let converter = Converter { from: &**from, to: &*to, lossy: self.options.lossy };
        let fill = converter.elements(array.representation().fill());
        to.fill_to_json(&fill.map_err(|(_, e)| e.within("fill_value"))?)
    }
}

/// Returns the shape of a part of a chunk as it reaches the array -> bytes codec.
fn encoded_part(array: &Array, lengths: &[u64]) -> Result<Vec<u64>> {
    let part = array
        .chunk_shape()
        .and_then(|shape| array.codec_chain(shape).ok())
        .and_then(|chain| chain.encoded_part(lengths));
    let unknown = "cannot compute the inner chunk shape after the array -> array codecs before the shards";
    part.map(|p| p.to_vec()).ok_or_else(|| Error::argument(unknown))
}

/// A chain of only bytes -> bytes codecs follows the existing array codecs, so that one chain serves a hierarchy of
/// numbers and strings.
fn completed(context: &Context, codecs: &[Extension], old: Vec<Json>) -> Vec<Json> {
    let only_bytes = |codec: &Json| {
        let found = Extension::parse(codec).ok().and_then(|e| context.registry.codec(&e).ok().flatten());
        found.is_some_and(|r| matches!(r.constructor(), Constructor::BytesToBytes(_)))
    };
    let new = codecs.iter().map(|codec| codec.to_json().clone());
    if !new.clone().all(|codec| only_bytes(&codec)) {
        return new.collect();
    }
    old.into_iter().filter(|c| !only_bytes(c)).chain(new).collect()
}

fn sharding(m: &ArrayMetadata) -> Option<&Extension> {
    m.codecs().iter().find(|c| c.name() == "sharding_indexed")
}

/// Returns the document of a group without consolidated metadata: the copy has its own.
fn plain(group: &Group) -> GroupMetadata {
    let mut metadata = group.metadata().clone();
    if metadata.consolidated().is_some() {
        metadata.set_consolidated(None);
    }
    metadata
}
