//! A storage transformer of a plugin.

use super::{
    guard::PluginGuard,
    handle::{Handle, missing},
};
use crate::{
    abi::{self, Str},
    bridge::store,
};
use std::sync::Arc;
use zarr_core::{
    ErrorKind, Result,
    call::Options,
    extension::Extension,
    json::Json,
    limits::Limits,
    registry::{CreateContext, Instance},
    storage_transformer::StorageTransformer,
    store::Store,
};

#[derive(Debug)]
struct Transformer {
    handle: Arc<Handle>,
    table: abi::StorageTransformer,
    name: String,
    limits: Limits,
    options: Options,
}

pub(super) fn make(
    guard: &Arc<PluginGuard>,
    table: &abi::StorageTransformer,
    _strided: bool,
    extension: &Extension,
    cx: &CreateContext<'_>,
) -> Result<Instance<dyn StorageTransformer>> {
    let (handle, configuration) = Handle::create(guard, &table.head, extension, cx)?;
    let handle = Arc::new(handle);
    let name = extension.name().to_owned();
    let made = Transformer { handle, table: *table, name, limits: cx.limits.clone(), options: cx.options.clone() };
    Ok(Instance::new(Arc::new(made), Box::new(Json::Object(configuration))))
}

impl StorageTransformer for Transformer {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        let wrap = self.table.wrap.ok_or_else(missing)?;
        self.handle.guard().usable()?;
        let below = store::into_abi::<false>(below);
        let mut above: abi::Store = abi::blank();
        let (at, mut filled) = (&raw mut above, false);
        let roots: Vec<Str> = self.options.roots.iter().map(|r| Str::new(r)).collect();
        let done = self.handle.with_roots(&self.limits, &self.options, &roots, |this, call| {
            // SAFETY: the instance is alive, everything that is borrowed lives until the function returns, and the
            // ownership of `below` passes to the plugin.
            let status = unsafe { wrap(this, call, &raw const below, at) };
            filled = status == abi::OK;
            status
        });
        let (guard, owner) = (self.handle.guard().clone(), Box::new(self.handle.clone()));
        // SAFETY: the plugin filled it. The host must release it even if the call violated the contract.
        let imported =
            filled.then(|| unsafe { store::ImportedStore::new(above, &self.name, Some(guard), &self.limits, owner) });
        done?;
        imported
            .map(|imported| Arc::new(imported) as Arc<dyn Store>)
            .ok_or_else(|| ErrorKind::Contract("a storage transformer returned no store").into())
    }
}
