//! A plugin that was loaded.

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

/// A plugin that was loaded, for as long as the process lives.
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
    /// Loads the library at a path. This runs code of the plugin.
    ///
    /// # Errors
    /// Each of [`Reason`] that can be found before a call.
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
        // SAFETY: a library with a manifest says that its entry has this type.
        let entry = unsafe { library.get::<abi::Entry>(abi::ENTRY) }.map(|entry| *entry);
        // Code that was loaded once may have left threads, destructors and pointers behind: it stays.
        std::mem::forget(library);
        let entry = entry.map_err(|_| of(Reason::NoEntry(abi::ENTRY)))?;
        let extensions = descriptor::read(entry, &manifest, text).map_err(of)?;
        let guard = Arc::new(PluginGuard::new(&manifest, file));
        Ok(Arc::new(Self { manifest, extensions, guard }))
    }
    /// Who it is.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }
    /// Its version.
    pub fn version(&self) -> &str {
        &self.manifest.version
    }
    /// The library.
    pub fn file(&self) -> &Path {
        self.guard.file()
    }
    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// Why it is used no more, if it did what no correct plugin does.
    pub fn quarantined(&self) -> Option<&str> {
        self.guard.fault()
    }
    /// Its extensions, for a registry.
    pub fn registrations(self: &Arc<Self>) -> Vec<Registration> {
        let make = |e: &super::ProvidedExtension| {
            let plugin = self.clone();
            descriptor::registration(e, &self.manifest, self.file(), Arc::new(move || Ok(plugin.clone())))
        };
        self.manifest.extensions.iter().map(make).collect()
    }
    /// Adds its extensions to a registry: they come before built-in ones of the same name.
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
    // SAFETY: runs the library's constructors. Whoever asked for this file trusts its code.
    let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) };
    before.restore();
    library.map(Into::into).map_err(|e| not_loaded(&e))
}

#[cfg(not(unix))]
fn open_library(file: &Path) -> Result<libloading::Library, Reason> {
    let before = Environment::now();
    // SAFETY: runs the library's constructors. Whoever asked for this file trusts its code.
    let library = unsafe { libloading::Library::new(file) };
    before.restore();
    library.map_err(|e| not_loaded(&e))
}

/// What the system's loader said: libloading itself says only which function failed.
fn not_loaded(e: &libloading::Error) -> Reason {
    Reason::Open(std::error::Error::source(e).map_or_else(|| e.to_string(), ToString::to_string))
}
