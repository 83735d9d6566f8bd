//! A chunk key encoding of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::abi::{self, Str};
use std::sync::Arc;
use zarr_core::{
    Result,
    chunk_key_encoding::ChunkKeyEncoding,
    extension::Extension,
    json::Json,
    limits::Limits,
    registry::{CreateContext, Instance},
    store::Key,
    view::Dims,
};

#[derive(Debug)]
struct Encoding {
    handle: Handle,
    table: abi::ChunkKeyEncoding,
    limits: Limits,
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::ChunkKeyEncoding,
    _strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn ChunkKeyEncoding>> {
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let made = Encoding { handle, table: *table, limits: cx.limits.clone() };
    Ok(Instance::new(Arc::new(made), Box::new(Json::Object(configuration))))
}

impl ChunkKeyEncoding for Encoding {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        let f = self.table.encode.ok_or_else(missing)?;
        let (at, rank) = (chunk_index.as_ptr(), chunk_index.len() as u32);
        // SAFETY: the instance is alive, and everything that is borrowed lives until the function returns.
        let key = self.handle.text(&self.limits, |this, call, out| unsafe { f(this, call, at, rank, out) })?;
        let key = String::from_utf8(key).ok().and_then(|key| Key::new(key).ok());
        let key = key.filter(|key| key.as_str() != "zarr.json");
        key.map(|key| key.as_str().to_owned()).ok_or_else(|| self.handle.fault("it returned an invalid store key"))
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let f = self.table.decode?;
        let (text, mut chunk_index, mut found) = (Str::new(key), Dims::from_elem(0, rank), 0);
        let (at, found_at) = (chunk_index.as_mut_ptr(), &raw mut found);
        // SAFETY: as above; `chunk_index` has room for `rank` numbers.
        let run = |this, call| unsafe { f(this, call, &raw const text, rank as u32, at, found_at) };
        self.handle.plain(&self.limits, |this, call| Ok((run(this, call), None))).ok()?;
        // The chunk index is only accepted if encoding it results in the same key.
        (found != 0 && self.encode(&chunk_index).is_ok_and(|k| k == key)).then_some(chunk_index)
    }
}
