//! The reasons for which a plugin cannot be used.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{Error, ErrorKind};

/// The error for a plugin that cannot be used: the plugin's file and identity, and the reason.
///
/// An [`ErrorKind::Plugin`] contains it.
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

/// The reason for which a plugin cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Read(Arc<io::Error>),
    /// The file is not a shared library for this machine.
    #[error("not a shared library for this program: {0}")]
    NotALibrary(&'static str),
    /// The library contains no manifest.
    #[error("not a plugin: the file contains no manifest")]
    NoManifest,
    /// The manifest is not valid JSON, or breaks a rule of the format.
    #[error("invalid manifest: {0}")]
    Manifest(String),
    /// The plugin is built for another major version of the plugin interface.
    #[error("requires version {found} of the plugin interface; this program has version {wanted}")]
    AbiMajor {
        /// The major version that the plugin is built for.
        found: u32,
        /// The major version that the host implements.
        wanted: u32,
    },
    /// The plugin needs a later minor version of the plugin interface than the host has, or, for an experimental kind
    /// of extension, a different one.
    #[error("requires version 1.{found} of the plugin interface; this program has version 1.{wanted}")]
    AbiMinor {
        /// The minor version that the plugin needs.
        found: u32,
        /// The minor version that the host implements.
        wanted: u32,
    },
    /// The manifest lists no library for this machine.
    #[error("no library for `{0}`")]
    Target(String),
    /// The library that the manifest lists for this machine does not exist.
    #[error("library `{}` not found", .0.display())]
    LibraryMissing(PathBuf),
    /// The plugin was found by a search, but removed before its first use.
    #[error("the plugin was removed after this program found it")]
    Removed,
    /// The plugin was found by a search, but replaced before its first use by a version without this extension.
    #[error("the plugin was replaced after this program found it and no longer provides `{0}`")]
    NotOffered(String),
    /// The SHA-256 of the library is not the one in the manifest or the lock file.
    #[error("SHA-256 mismatch: expected {wanted}, found {found}")]
    Hash {
        /// The SHA-256 of the file.
        found: String,
        /// The SHA-256 in the manifest or the lock file.
        wanted: String,
    },
    /// The operating system's loader failed; the text is its message.
    #[error("cannot load the library: {0}")]
    Open(String),
    /// The library does not export the entry function.
    #[error("the library does not export `{0}`")]
    NoEntry(&'static str),
    /// The entry function returned null; the text is the message that it reported.
    #[error("initialization failed: {0}")]
    Refused(String),
    /// The descriptor does not begin with the magic number.
    #[error("invalid descriptor: wrong magic number")]
    Magic,
    /// The descriptor is malformed.
    #[error("invalid descriptor: {0}")]
    Descriptor(&'static str),
    /// The descriptor contradicts the manifest.
    #[error("the descriptor and the manifest disagree on {0}")]
    Differs(&'static str),
    /// A required function of a vtable is null.
    #[error("`{extension}` lacks the required function `{function}`")]
    NullFunction {
        /// The name of the extension.
        extension: String,
        /// The name of the missing function.
        function: &'static str,
    },
    /// An extension needs an ability that this host does not have.
    #[error("`{extension}` needs `{needs}`, which this program does not support")]
    Needs {
        /// The name of the extension.
        extension: String,
        /// The needs as the manifest lists them, separated by commas.
        needs: String,
    },
    /// The manifest offers the same name twice at one extension point.
    #[error("`{0}` is listed twice")]
    Duplicate(String),
    /// Two plugins in one folder offer the same name.
    #[error("`{name}` is also provided by `{}`", .other.display())]
    Conflict {
        /// The name that both offer.
        name: String,
        /// The manifest of the other plugin.
        other: PathBuf,
    },
    /// The user's policy forbids the plugin; see [`Policy`](super::Policy).
    #[error("not allowed: {0}")]
    Policy(String),
    /// Another user could have written the file.
    #[error("not trusted: {0}")]
    Trust(super::UntrustedPath),
    /// The plugin violated its contract, for example by a panic, and is not called again.
    #[error("quarantined because {0}")]
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
    /// Returns the path of the library or manifest.
    pub fn file(&self) -> &Path {
        &self.0.file
    }
    /// Returns the plugin's id and version, if they were known when the error occurred.
    pub fn id(&self) -> Option<(&str, &str)> {
        self.0.id.as_ref().map(|(id, version)| (id.as_str(), version.as_str()))
    }
    /// Returns the reason.
    pub fn reason(&self) -> &Reason {
        &self.0.reason
    }
    /// Returns advice on how to fix the problem, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self.0.reason {
            Reason::AbiMajor { .. } | Reason::AbiMinor { .. } | Reason::Needs { .. } => {
                Some("install a build of the plugin for this version, or upgrade this program")
            }
            Reason::Target(_) | Reason::NotALibrary(_) => Some("install a build of the plugin for this machine"),
            Reason::Open(_) => {
                Some("install the libraries that the plugin depends on, or a build of the plugin for this machine")
            }
            Reason::Removed => Some("install the plugin again"),
            Reason::NotOffered(_) => Some("install a version of the plugin that provides it"),
            Reason::Hash { .. } | Reason::LibraryMissing(_) => Some("install the plugin again"),
            Reason::Differs(_) => Some("rebuild the plugin so that its manifest matches its code, or tell its author"),
            Reason::NoManifest | Reason::NoEntry(_) => {
                Some("build it with the Cargo feature `plugin`, or in C with `ZP_MANIFEST` and `zarr_plugin_entry_v1`")
            }
            Reason::Quarantined(_) => {
                Some("restart the program without the plugin and report the problem to its author")
            }
            Reason::Conflict { .. } => Some("remove one of the two plugins"),
            Reason::Trust(_) => {
                Some("change the owner of the folder and its files to you or root, and remove write access for others")
            }
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
