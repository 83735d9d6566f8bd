//! Monitors calls of a plugin's code, and refuses further calls after a violation of the contract.

use super::{Manifest, PluginError, Reason};
use crate::{
    abi,
    bridge::{
        error,
        float_env::Environment,
        guard::{Ended, Fault, Guard, Wrong},
    },
};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use zarr_core::Result;

/// The quarantine of a plugin, which all its instances share.
pub(crate) struct PluginGuard {
    id: String,
    version: String,
    file: PathBuf,
    faulty: AtomicBool,
    fault: OnceLock<String>,
}

impl fmt::Debug for PluginGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {} {} of {}", self.id, self.version, self.file.display())
    }
}

impl PluginGuard {
    pub(super) fn new(manifest: &Manifest, file: PathBuf) -> Self {
        let (id, version) = (manifest.id.clone(), manifest.version.clone());
        Self { id, version, file, faulty: AtomicBool::new(false), fault: OnceLock::new() }
    }
    /// Returns the path of the library.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
    /// Returns the reason for the quarantine, if there is one.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }
    pub(super) fn error(&self, reason: Reason) -> PluginError {
        PluginError::new(&self.file, reason).of(&self.id, &self.version)
    }
    /// Puts the plugin in quarantine, unless it already is, and returns the error for that.
    #[cold]
    pub(super) fn quarantine(&self, what: &str) -> PluginError {
        let first = self.fault.get_or_init(|| what.to_owned());
        self.faulty.store(true, Ordering::Relaxed);
        self.error(Reason::Quarantined(first.clone()))
    }
    /// Fails if the plugin is in quarantine.
    #[inline]
    pub(super) fn usable(&self) -> Result<()> {
        if self.faulty.load(Ordering::Relaxed) { Err(self.quarantine("").into()) } else { Ok(()) }
    }
    /// Runs a call of the plugin's code, unless the plugin is in quarantine, and returns the result of the call.
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
        let reported = match ended.wrong.map(|wrong| *wrong) {
            Some(Wrong::Contract(Fault(what))) => return Err(self.quarantine(what).into()),
            Some(Wrong::Reported(e)) => Some(e),
            None => None,
        };
        if changed {
            return Err(self.quarantine("it changed the floating-point environment").into());
        }
        match ended.status {
            abi::E_PANIC => {
                let text = reported.map_or("it panicked".to_owned(), |e| format!("it panicked: {}", e.kind()));
                Err(self.quarantine(&text).into())
            }
            abi::OK..=abi::E_INTERNAL => {
                let id = (&self.id, &self.version);
                // "Nothing is stored" would be read as fill values. Only the host can know that a key is missing.
                let unreported = || {
                    error::rebuilt(ended.status, &format!("plugin {} {} failed without a message", id.0, id.1), None)
                };
                let suspended = ended.status == abi::E_SUSPENDED;
                Err(reported.unwrap_or_else(|| if suspended { error::relayed(ended.status) } else { unreported() }))
            }
            other => Err(self.quarantine(&format!("it returned {other}, which is not a status")).into()),
        }
    }
}

impl Guard for PluginGuard {
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
