//! `{{name}}`: a storage transformer that changes nothing. Replace it with your store.

use std::sync::Arc;
use zarr_plugin_api::{
    CreateContext, ExtensionType, NoConfiguration, Result, StorageTransformer, Store, export_plugin,
};

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
