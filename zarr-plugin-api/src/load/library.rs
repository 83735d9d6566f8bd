//! A library that is read once, to be checked before it is installed and loaded.

use super::{Manifest, Plugin, PluginError, Reason, lazy, manifest};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The bytes of a plugin's library and its manifest. The file is read once: what is checked is what is installed, whatever
/// becomes of the file meanwhile.
pub struct Library {
    file: PathBuf,
    bytes: Vec<u8>,
    manifest: Manifest,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "library {} of {} bytes", self.file.display(), self.bytes.len())
    }
}

impl Library {
    /// Reads a library, without running any of its code.
    ///
    /// # Errors
    /// When it cannot be read, or is no library with a manifest for this program.
    pub fn read(file: &Path) -> Result<Self, PluginError> {
        let bytes = manifest::read(file)?;
        let manifest = Manifest::within(&bytes, file)?.0;
        Ok(Self { file: file.to_owned(), bytes, manifest })
    }
    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// The SHA-256 of its bytes, as manifests have it.
    pub fn sha256(&self) -> String {
        lazy::hash_of(&self.bytes)
    }
    /// Loads a copy of it, which has the same bytes. This runs code of the plugin.
    ///
    /// # Errors
    /// As [`Plugin::open`], with the file that was read.
    pub fn load_copy(&self, copy: &Path) -> Result<Arc<Plugin>, PluginError> {
        let text = Manifest::within(&self.bytes, &self.file)?.1;
        let copy = copy.canonicalize().map_err(|e| PluginError::new(copy, Reason::Read(Arc::new(e))))?;
        Plugin::load(copy, self.manifest.clone(), text).map_err(|e| e.with_file(&self.file))
    }
}
