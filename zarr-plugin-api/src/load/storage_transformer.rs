//! A storage transformer of a plugin.

use super::{
    Plugin,
    handle::{Handle, plain_call},
};
use crate::{abi, bridge::store};
use std::sync::Arc;
use zarr_core::{
    ErrorKind, Result,
    extension::Extension,
    json::Json,
    limits::Limits,
    registry::{Instance, Site},
    storage_transformer::StorageTransformer,
    store::Store,
};

#[derive(Debug)]
struct Transformer {
    handle: Arc<Handle>,
    table: abi::StorageTransformer,
    name: String,
    limits: Limits,
}

pub(super) fn make(
    plugin: &Arc<Plugin>,
    table: &abi::StorageTransformer,
    _strided: bool,
    extension: &Extension,
    site: &Site<'_>,
) -> Result<Instance<dyn StorageTransformer>> {
    let (handle, configuration) = Handle::create(plugin, &table.head, extension, site)?;
    let handle = Arc::new(handle);
    let name = extension.name().to_owned();
    let made = Transformer { handle, table: *table, name, limits: site.limits.clone() };
    Ok(Instance::new(Arc::new(made), Box::new(Json::Object(configuration))))
}

impl StorageTransformer for Transformer {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        let Some(wrap) = self.table.wrap else {
            return Err(ErrorKind::Contract("a required function is null").into());
        };
        self.handle.plugin().usable()?;
        let below = store::give::<false>(below);
        // SAFETY: all zeros are a store, which the plugin overwrites.
        let mut above: abi::Store = unsafe { std::mem::zeroed() };
        above.struct_size = abi::size32::<abi::Store>();
        let at = &raw mut above;
        plain_call(&self.limits, |call| {
            // SAFETY: the instance is alive, what is lent lives until the function returns, and `below` is given away.
            self.handle.call(call, |this, call| unsafe { wrap(this, call, &raw const below, at) })
        })?;
        let guard = self.handle.plugin().clone();
        // SAFETY: the plugin filled it.
        Ok(Arc::new(unsafe { store::Taken::new(above, &self.name, Some(guard), Box::new(self.handle.clone())) }))
    }
}
