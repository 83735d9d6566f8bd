//! Why a plugin cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{Error, ErrorKind};

/// A plugin that cannot be used: which, and why. It is inside an [`ErrorKind::Plugin`].
#[derive(Debug, Clone, thiserror::Error)]
#[error("plugin {}{}: {}", .0.file.display(), Identity(&.0.id), .0.reason)]
pub struct PluginError(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    file: PathBuf,
    id: Option<(String, String)>,
    reason: Reason,
}

struct Identity<'a>(&'a Option<(String, String)>);
impl std::fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some((id, version)) => write!(f, " ({id} {version})"),
            None => Ok(()),
        }
    }
}

/// Why a plugin cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(Arc<io::Error>),
    /// The file is no shared library of this machine.
    #[error("it is not a shared library that this program can load: {0}")]
    NotALibrary(&'static str),
    /// The library contains no manifest.
    #[error("it contains no manifest, so it is not a plugin")]
    NoManifest,
    /// The manifest is not what a manifest is.
    #[error("its manifest is not valid: {0}")]
    Manifest(String),
    /// Built for another major version of the ABI.
    #[error("it is built for version {found} of the plugin interface; this program has version {wanted}")]
    AbiMajor {
        /// The plugin's.
        found: u32,
        /// The host's.
        wanted: u32,
    },
    /// Needs a later minor version of the ABI, or for an experimental kind another.
    #[error("it needs version 1.{found} of the plugin interface; this program has 1.{wanted}")]
    AbiMinor {
        /// The plugin's.
        found: u32,
        /// The host's.
        wanted: u32,
    },
    /// The manifest lists no library for this machine.
    #[error("it has no library for {0}")]
    Target(String),
    /// The library that the manifest names is not there.
    #[error("its library {} is missing", .0.display())]
    LibraryMissing(PathBuf),
    /// It was found, and removed before it was first used.
    #[error("it was removed after this program had found it")]
    Removed,
    /// It was replaced before it was first used, by a version without this extension.
    #[error("it was replaced after this program had found it, and no longer offers `{0}`")]
    NotOffered(String),
    /// The library is not the one that was installed or locked.
    #[error("its library has the SHA-256 {found}, expected {wanted}")]
    Hash {
        /// Of the file.
        found: String,
        /// In the manifest or the lock file.
        wanted: String,
    },
    /// The operating system did not load it.
    #[error("the system cannot load it: {0}")]
    Open(String),
    /// The library lacks the entry symbol.
    #[error("it does not export {0}")]
    NoEntry(&'static str),
    /// The entry function refused.
    #[error("it refused to start: {0}")]
    Refused(String),
    /// The descriptor does not begin with the magic number.
    #[error("its descriptor does not have the magic number of the plugin interface")]
    Magic,
    /// The descriptor is not what a descriptor is.
    #[error("its descriptor is not valid: {0}")]
    Descriptor(&'static str),
    /// The descriptor says something else than the manifest.
    #[error("its descriptor differs from its manifest in {0}")]
    Differs(&'static str),
    /// A required function is null.
    #[error("`{extension}` lacks the required function {function}")]
    NullFunction {
        /// The extension.
        extension: String,
        /// The function of its vtable.
        function: &'static str,
    },
    /// An extension needs what this host does not know.
    #[error("`{extension}` needs {needs}, which this program does not know")]
    Needs {
        /// The extension.
        extension: String,
        /// What it needs.
        needs: String,
    },
    /// A name twice.
    #[error("it offers `{0}` twice")]
    Duplicate(String),
    /// Two plugins of one folder offer a name.
    #[error("`{name}` is offered by {} too", .other.display())]
    Conflict {
        /// The name.
        name: String,
        /// The other plugin's manifest.
        other: PathBuf,
    },
    /// The user's policy does not allow it.
    #[error("it is not allowed: {0}")]
    Policy(String),
    /// Somebody else could have put it there.
    #[error("it is not trusted: {0}")]
    Trust(super::UntrustedPath),
    /// It did what no correct plugin does, and is used no more.
    #[error("it is in quarantine: {0}")]
    Quarantined(String),
}

impl PluginError {
    pub(crate) fn new(file: &Path, reason: Reason) -> Self {
        Self(Box::new(Details { file: file.to_owned(), id: None, reason }))
    }
    pub(crate) fn of(mut self, id: &str, version: &str) -> Self {
        self.0.id = Some((id.to_owned(), version.to_owned()));
        self
    }
    pub(crate) fn with_file(mut self, file: &Path) -> Self {
        self.0.file = file.to_owned();
        self
    }
    /// The library or manifest.
    pub fn file(&self) -> &Path {
        &self.0.file
    }
    /// Id and version, once they are known.
    pub fn id(&self) -> Option<(&str, &str)> {
        self.0.id.as_ref().map(|(id, version)| (id.as_str(), version.as_str()))
    }
    /// Why.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self.0.reason {
            Reason::AbiMajor { .. } | Reason::AbiMinor { .. } | Reason::Needs { .. } => {
                Some("install a build of the plugin for this version, or a newer version of this program")
            }
            Reason::Target(_) | Reason::NotALibrary(_) => Some("install a build of the plugin for this machine"),
            Reason::Open(_) => Some("install the libraries that the plugin needs, or a build of it for this machine"),
            Reason::Removed => Some("install it again"),
            Reason::NotOffered(_) => Some("install a version that offers it"),
            Reason::Hash { .. } | Reason::LibraryMissing(_) => Some("install the plugin again"),
            Reason::Differs(_) => Some("let its author build it again: manifest and code do not belong together"),
            Reason::NoManifest | Reason::NoEntry(_) => {
                Some("build it with the cargo feature `plugin`, or in C with ZP_MANIFEST and zarr_plugin_entry_v1")
            }
            Reason::Quarantined(_) => Some("start the program again without it, and tell its author"),
            Reason::Conflict { .. } => Some("remove one of the two"),
            Reason::Trust(_) => Some("let the folder and its files belong to you or root, writable by no one else"),
            _ => None,
        }
    }
}

impl From<PluginError> for Error {
    fn from(e: PluginError) -> Self {
        let hint = e.hint();
        let e = Error::new(ErrorKind::Plugin(Box::new(e)));
        match hint {
            Some(hint) => e.with_hint(hint),
            None => e,
        }
    }
}
