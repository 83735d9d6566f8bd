//! `{{name}}`: a storage transformer that changes nothing. Give a store of your own in its place.

use std::sync::Arc;
use zarr_plugin_api::{ExtensionType, NoConfiguration, Result, CreateContext, StorageTransformer, Store, export_plugin};

#[derive(Debug)]
struct Nothing;

impl ExtensionType for Nothing {
    const NAME: &'static str = "{{name}}";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl StorageTransformer for Nothing {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        Ok(below)
    }
}

export_plugin! { id: "{{id}}", StorageTransformer: [Nothing] }
