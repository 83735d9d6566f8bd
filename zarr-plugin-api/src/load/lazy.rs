//! A plugin that is loaded on first use.

use super::{Candidate, LibraryFile, Manifest, Plugin, PluginError, Reason, Search, manifest};
use sha2::{Digest, Sha256};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Loads a plugin once, and caches the plugin or the reason for which it cannot be loaded.
///
/// A plugin may be upgraded or removed between the search and its first use. If its files are not those that the search
/// found, it is searched for again.
pub(super) struct Lazy {
    library: PathBuf,
    manifest: Manifest,
    manifest_file: PathBuf,
    hash: String,
    /// The search that found the plugin, limited to the plugin's folder.
    search: Search,
    loaded: Mutex<Option<Result<Arc<Plugin>, PluginError>>>,
}

impl Lazy {
    pub(super) fn new(
        manifest_file: &Path,
        manifest: &Manifest,
        library: &Path,
        file: &LibraryFile,
        search: Search,
    ) -> Arc<Self> {
        Arc::new(Self {
            library: library.to_owned(),
            manifest: manifest.without_libraries(),
            manifest_file: manifest_file.to_owned(),
            hash: file.sha256.clone(),
            search,
            loaded: Mutex::new(None),
        })
    }
    pub(super) fn get(&self) -> Result<Arc<Plugin>, PluginError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*loaded {
            return known.clone();
        }
        match self.load() {
            Err(e) if matches!(e.reason(), Reason::Hash { .. }) || !self.library.exists() => {
                // A failure is not cached: the plugin may be installed again before its next use.
                let plugin = self.load_current()?;
                *loaded = Some(Ok(plugin.clone()));
                Ok(plugin)
            }
            result => loaded.insert(result).clone(),
        }
    }
    /// Loads the plugin of the same id that the same search finds now, with all checks of the search.
    fn load_current(&self) -> Result<Arc<Plugin>, PluginError> {
        let found = self.search.find();
        let is_it = |c: &&Candidate| match &c.manifest {
            Some(m) => m.id == self.manifest.id,
            None => c.file == self.manifest_file,
        };
        match found.plugins.iter().find(is_it) {
            Some(candidate) => candidate.usable()?.load(),
            None => {
                let e = PluginError::new(&self.manifest_file, Reason::Removed);
                Err(e.of(&self.manifest.id, &self.manifest.version))
            }
        }
    }
    fn load(&self) -> Result<Arc<Plugin>, PluginError> {
        let bytes = self.verified()?;
        let (manifest, text) = Manifest::within(&bytes, &self.library)?;
        if manifest != self.manifest {
            let e = PluginError::new(&self.manifest_file, Reason::Differs("the embedded manifest"));
            return Err(e.of(&self.manifest.id, &self.manifest.version));
        }
        let file = self.library.canonicalize();
        let file = file.map_err(|e| PluginError::new(&self.library, Reason::Read(Arc::new(e))))?;
        Plugin::load(file, manifest, text)
    }
    /// Returns the bytes of the library, if their SHA-256 is the one in the manifest next to it.
    pub(super) fn verified(&self) -> Result<Vec<u8>, PluginError> {
        let of = |file: &Path, reason| PluginError::new(file, reason).of(&self.manifest.id, &self.manifest.version);
        if !self.library.exists() {
            return Err(of(&self.manifest_file, Reason::LibraryMissing(self.library.clone())));
        }
        let bytes = manifest::read(&self.library)?;
        let found = hash_of(&bytes);
        if found != self.hash {
            return Err(of(&self.library, Reason::Hash { found, wanted: self.hash.clone() }));
        }
        Ok(bytes)
    }
}

/// Returns the SHA-256 of a file, in lower-case hexadecimal.
pub(super) fn hash(file: &Path) -> Result<String, PluginError> {
    Ok(hash_of(&manifest::read(file)?))
}

pub(super) fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}
