//! A loaded plugin.

use super::{
    Kind, Manifest, PluginError, Reason,
    descriptor::{self, Loaded},
    guard::PluginGuard,
    manifest,
};
use crate::{abi, bridge::float_env::Environment};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{
    Result,
    registry::{Registration, Registry},
};

/// A plugin that has been loaded. It stays loaded for as long as the process lives.
pub struct Plugin {
    manifest: Manifest,
    extensions: Vec<Loaded>,
    guard: Arc<PluginGuard>,
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.guard.fmt(f)
    }
}

impl Plugin {
    /// Loads the plugin whose library is at the path `file`. This runs code of the plugin.
    ///
    /// # Errors
    /// If the file cannot be read, is not a plugin for this machine and this version of the plugin interface, cannot be
    /// loaded by the operating system, or has an entry function that fails; and if its descriptor is malformed or
    /// contradicts its manifest.
    pub fn open(file: &Path) -> Result<Arc<Self>, PluginError> {
        let file = file.canonicalize().map_err(|e| PluginError::new(file, Reason::Read(Arc::new(e))))?;
        let bytes = manifest::read(&file)?;
        let (manifest, text) = Manifest::within(&bytes, &file)?;
        Self::load(file, manifest, text)
    }
    /// Loads the library at a canonical path, whose manifest was read from its bytes.
    pub(super) fn load(file: PathBuf, manifest: Manifest, text: &[u8]) -> Result<Arc<Self>, PluginError> {
        let of = |reason| PluginError::new(&file, reason).of(&manifest.id, &manifest.version);
        let library = open_library(&file).map_err(of)?;
        // SAFETY: a library that contains a manifest thereby declares that its entry function has this type.
        let entry = unsafe { library.get::<abi::Entry>(abi::ENTRY) }.map(|entry| *entry);
        // Loaded code may have left threads, destructors and pointers behind, so the library is never unloaded.
        std::mem::forget(library);
        let entry = entry.map_err(|_| of(Reason::NoEntry(abi::ENTRY)))?;
        let extensions = descriptor::read(entry, &manifest, text).map_err(of)?;
        let guard = Arc::new(PluginGuard::new(&manifest, file));
        Ok(Arc::new(Self { manifest, extensions, guard }))
    }
    /// Returns the plugin's id.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }
    /// Returns the plugin's version.
    pub fn version(&self) -> &str {
        &self.manifest.version
    }
    /// Returns the path of the library.
    pub fn file(&self) -> &Path {
        self.guard.file()
    }
    /// Returns the plugin's manifest, without a list of libraries.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// Returns the reason for the quarantine if the plugin violated its contract. A plugin in quarantine is not called
    /// again.
    pub fn quarantined(&self) -> Option<&str> {
        self.guard.fault()
    }
    /// Returns the registrations of all extensions that the plugin offers.
    pub fn registrations(self: &Arc<Self>) -> Vec<Registration> {
        let make = |e: &super::ProvidedExtension| {
            let plugin = self.clone();
            descriptor::registration(e, &self.manifest, self.file(), Arc::new(move || Ok(plugin.clone())))
        };
        self.manifest.extensions.iter().map(make).collect()
    }
    /// Adds the plugin's extensions to a registry, where they take precedence over built-in ones of the same name.
    ///
    /// # Errors
    /// As [`Registry::add`].
    pub fn add_to(self: &Arc<Self>, registry: &mut Registry) -> Result<()> {
        self.registrations().into_iter().try_for_each(|r| registry.add(r))
    }
    pub(super) fn extension(&self, kind: Kind, name: &str) -> Result<&Loaded, PluginError> {
        let found = self.extensions.iter().find(|e| e.kind == kind && e.name == name);
        found.ok_or_else(|| self.guard.error(Reason::NotOffered(name.to_owned())))
    }
    pub(super) fn guard(&self) -> &Arc<PluginGuard> {
        &self.guard
    }
}

#[cfg(unix)]
fn open_library(file: &Path) -> Result<libloading::Library, Reason> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    let before = Environment::now();
    // SAFETY: this runs the library's constructors. The caller who names this file trusts its code.
    let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) };
    before.restore();
    library.map(Into::into).map_err(|e| not_loaded(&e))
}

#[cfg(not(unix))]
fn open_library(file: &Path) -> Result<libloading::Library, Reason> {
    let before = Environment::now();
    // SAFETY: this runs the library's constructors. The caller who names this file trusts its code.
    let library = unsafe { libloading::Library::new(file) };
    before.restore();
    library.map_err(|e| not_loaded(&e))
}

/// Takes the message of the system's loader from the source of the error: libloading's own message only names the
/// function that failed.
fn not_loaded(e: &libloading::Error) -> Reason {
    Reason::Open(std::error::Error::source(e).map_or_else(|| e.to_string(), ToString::to_string))
}
