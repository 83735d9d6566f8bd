//! `zarr.chunk-manifest`: a storage transformer that reads chunks from byte ranges of other files, for instance of
//! NetCDF, HDF5, GRIB or TIFF files that already contain them.
//!
//! Specification: `SPECIFICATION.md` of this crate.
//!
//! The transformer is read-only. It opens files only below the folders that the user allowed at run time, even when
//! symbolic links lead elsewhere: a manifest is data, and data must not decide which files are read.
//!
//! The manifest is a file of its own, or part of the configuration:
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{
//!     "name": "zarr.chunk-manifest",
//!     "configuration": {
//!         "entries": {
//!             "c/0/0": {"path": "air.nc", "offset": 15419, "length": 7738},
//!             "c/0/1": {"path": "file:///data/more/air.nc", "offset": 23157, "length": 7738}
//!         }
//!     }
//! }"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "zarr.chunk-manifest");
//! let json = br#"{"name": "zarr.chunk-manifest", "configuration": {"manifest": "air/manifest.json"}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "zarr.chunk-manifest");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

mod location;
mod manifest;
mod part;
mod read_at;
mod roots;
mod store;

use manifest::Manifest;
use roots::Roots;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;
use store::Mapped;
use zarr_plugin_api::{CreateContext, Error, ExtensionType, Json, Result, StorageTransformer, Store};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    manifest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    entries: Option<Json>,
}

/// Deserializes a member that may be missing, but must not be `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

#[derive(Debug)]
struct ChunkManifest {
    configuration: Configuration,
    manifest: Arc<Manifest>,
}

impl ExtensionType for ChunkManifest {
    const NAME: &'static str = "zarr.chunk-manifest";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let roots = || Roots::new(&cx.options.roots);
        let manifest = match (&configuration.manifest, &configuration.entries) {
            (Some(path), None) => {
                roots().and_then(|r| Manifest::load(path, r, cx.limits)).map_err(|e| e.within("manifest"))
            }
            (None, Some(entries)) => {
                roots().and_then(|r| Manifest::inline(entries, r)).map_err(|e| e.within("entries"))
            }
            _ => Err(Error::configuration("expected either `manifest` or `entries`")
                .with_hint("set `manifest` to the path of a JSON file, or `entries` to the contents of such a file")),
        };
        let manifest = Arc::new(manifest.map_err(|e| e.within("configuration"))?);
        Ok(Self { configuration, manifest })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl StorageTransformer for ChunkManifest {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(Mapped { below, manifest: self.manifest.clone() }))
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.chunk-manifest", StorageTransformer: [ChunkManifest] }

#[cfg(test)]
mod tests;
