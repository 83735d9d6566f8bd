//! A plugin's library that is read once, checked, and then installed and loaded.

use super::{Manifest, Plugin, PluginError, Reason, lazy, manifest};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The bytes and the manifest of a plugin's library.
///
/// The file is read once, so the bytes that were checked are the bytes that are installed, even if the file changes in
/// the meantime.
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
    /// Reads a library without running any of its code.
    ///
    /// # Errors
    /// If the file cannot be read, is not a shared library for this machine, or does not contain a manifest that is
    /// valid for this program.
    pub fn read(file: &Path) -> Result<Self, PluginError> {
        let bytes = manifest::read(file)?;
        let manifest = Manifest::within(&bytes, file)?.0;
        Ok(Self { file: file.to_owned(), bytes, manifest })
    }
    /// Returns the manifest that the library contains.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// Returns the bytes of the library.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// Returns the SHA-256 of the bytes in lower-case hexadecimal, as manifests contain it.
    pub fn sha256(&self) -> String {
        lazy::hash_of(&self.bytes)
    }
    /// Loads the plugin from `copy`, a file with the same bytes as this library. This runs code of the plugin.
    ///
    /// # Errors
    /// As [`Plugin::open`]. The error names the original file, except that it names `copy` if that path cannot be
    /// resolved.
    pub fn load_copy(&self, copy: &Path) -> Result<Arc<Plugin>, PluginError> {
        let text = Manifest::within(&self.bytes, &self.file)?.1;
        let copy = copy.canonicalize().map_err(|e| PluginError::new(copy, Reason::Read(Arc::new(e))))?;
        Plugin::load(copy, self.manifest.clone(), text).map_err(|e| e.with_file(&self.file))
    }
}
