//! A plugin that was loaded.

use super::{
    Kind, Manifest, PluginError, Reason,
    descriptor::{self, Loaded},
    float::Environment,
    manifest,
};
use crate::{
    abi,
    bridge::{
        Fault, Guard,
        call::{self, Ended, Wrong},
        error,
    },
};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use zarr_core::{
    Result,
    limits::Limits,
    registry::{Registration, Registry},
};

/// A plugin that was loaded, for as long as the process lives.
pub struct Plugin {
    manifest: Manifest,
    file: PathBuf,
    extensions: Vec<Loaded>,
    faulty: AtomicBool,
    fault: OnceLock<String>,
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "plugin {} {} of {}", self.id(), self.version(), self.file.display())
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
        Ok(Arc::new(Self { manifest, file, extensions, faulty: AtomicBool::new(false), fault: OnceLock::new() }))
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
        &self.file
    }
    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    /// Why it is used no more, if it did what no correct plugin does.
    pub fn quarantined(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
    /// Its extensions, for a registry.
    pub fn registrations(self: &Arc<Self>) -> Vec<Registration> {
        let make = |e: &super::ProvidedExtension| {
            let plugin = self.clone();
            descriptor::registration(e, &self.manifest, &self.file, Arc::new(move || Ok(plugin.clone())))
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
        found.ok_or_else(|| self.error(Reason::NotOffered(name.to_owned())))
    }
    pub(super) fn error(&self, reason: Reason) -> PluginError {
        PluginError::new(&self.file, reason).of(self.id(), self.version())
    }
    /// Uses it no more.
    #[cold]
    pub(super) fn quarantine(&self, what: &str) -> PluginError {
        let first = self.fault.get_or_init(|| what.to_owned());
        self.faulty.store(true, Ordering::Relaxed);
        self.error(Reason::Quarantined(first.clone()))
    }
    /// Refuses if it is used no more.
    #[inline]
    pub(super) fn usable(&self) -> Result<()> {
        if self.faulty.load(Ordering::Relaxed) { Err(self.quarantine("").into()) } else { Ok(()) }
    }
    /// Runs a call of its code, unless it is used no more; gives what the call means.
    #[inline(always)]
    pub(super) fn watched(&self, call: impl FnOnce() -> Ended) -> Result<()> {
        self.usable()?;
        let before = Environment::now();
        let ended = call();
        let changed = before.restore();
        if ended.status == abi::OK && ended.wrong.is_none() && !changed {
            return Ok(());
        }
        self.convict(changed, ended)
    }
    #[cold]
    fn convict(&self, changed: bool, ended: Ended) -> Result<()> {
        let said = match ended.wrong.map(|wrong| *wrong) {
            Some(Wrong::Answered(Fault(what))) => return Err(self.quarantine(what).into()),
            Some(Wrong::Said(e)) => Some(e),
            None => None,
        };
        if changed {
            return Err(self.quarantine("it changed the floating-point environment").into());
        }
        match ended.status {
            abi::E_PANIC => {
                let text = said.map_or("it panicked".to_owned(), |e| format!("it panicked: {}", e.kind()));
                Err(self.quarantine(&text).into())
            }
            abi::OK..=abi::E_INTERNAL => {
                let id = (self.id(), self.version());
                // "Nothing is stored" means fill values to who reads an array. Only the host can know that.
                let unsaid = || error::rebuilt(ended.status, &format!("{} {} did not say why", id.0, id.1), None);
                let suspended = ended.status == abi::E_SUSPENDED;
                Err(said.unwrap_or_else(|| if suspended { error::relayed(ended.status) } else { unsaid() }))
            }
            other => Err(self.quarantine(&format!("it answered with {other}, which is no status")).into()),
        }
    }
}

impl Guard for Plugin {
    fn run(&self, call: &mut dyn FnMut() -> Ended) -> Result<()> {
        self.watched(call)
    }
    fn end(&self, end: &mut dyn FnMut()) {
        if self.usable().is_ok() {
            let before = Environment::now();
            end();
            before.restore();
        }
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

/// Asks the entry function for the descriptor.
pub(super) fn enter(entry: abi::Entry) -> Result<abi::Plugin, Reason> {
    let mut found = std::ptr::null();
    let before = Environment::now();
    let ended = call::to_abi_plain(&Limits::default(), |call| {
        // SAFETY: the entry's type is part of the ABI; host and call live until it returns.
        found = with_host(|host| unsafe { entry(host, call) });
        (abi::OK, None)
    });
    before.restore();
    if found.is_null() {
        return Err(Reason::Refused(match ended.wrong.as_deref() {
            Some(Wrong::Said(e)) => e.to_string(),
            _ => "it did not say why".to_owned(),
        }));
    }
    // SAFETY: it is static, and begins with its size.
    unsafe { abi::copied(found) }.ok_or(Reason::Descriptor("it does not say its size"))
}

/// Lends what a plugin may know of its host.
pub(super) fn with_host<R>(f: impl FnOnce(*const abi::Host) -> R) -> R {
    let (name, version) = (abi::Str::new("ozarr"), abi::Str::new(env!("CARGO_PKG_VERSION")));
    f(&abi::Host {
        struct_size: abi::size32::<abi::Host>(),
        abi_minor: abi::MINOR,
        name: &raw const name,
        version: &raw const version,
    })
}
