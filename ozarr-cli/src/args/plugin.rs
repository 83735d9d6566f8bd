//! Arguments of `ozarr plugin`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List the installed plugins, and why one is not used
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a plugin says of itself, without running its code
    Inspect {
        /// A library, or the manifest in its folder
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Tell what a name in metadata stands for, and where it was looked for
    Which {
        /// A name, for instance `numcodecs.lz4`
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Install a plugin for this user
    Add(AddPlugin),
    /// Remove a plugin that this user installed
    Remove {
        /// Its id, as `ozarr plugin list` shows it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Tell which extensions an array needs, and what gives each
    Why {
        /// Path or URI of an array
        array: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the C header that plugins are written against
    Header,
    /// Write a project for a new plugin, which builds and passes its tests
    New(NewPlugin),
}

impl Plugin {
    pub(super) fn is_json(&self) -> bool {
        match self {
            Self::List { json }
            | Self::Inspect { json, .. }
            | Self::Which { json, .. }
            | Self::Remove { json, .. }
            | Self::Why { json, .. } => *json,
            Self::Add(add) => add.json,
            Self::Header | Self::New(_) => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AddPlugin {
    /// Its library
    pub(crate) file: PathBuf,
    /// Replace the installed version of the same plugin
    #[arg(long)]
    pub(crate) replace: bool,
    /// Install it despite what would make it or an installed plugin unusable
    ///
    /// Without this, a plugin is refused that offers a name which another installed plugin offers (then neither is
    /// used), that offers a built-in name (then the plugin's is not used), that no longer offers a name which the replaced
    /// version offers, that is older than the replaced version, that ZARR_PLUGINS and the variables which belong to it deny,
    /// or whose manifest would overwrite a file that belongs to another plugin or cannot be read. One that they deny is
    /// installed without being loaded, so that it is not known whether it can be.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewPlugin {
    /// The name of the extension, which the project gets too
    pub(crate) name: String,
    /// What it is
    #[arg(long, value_enum, default_value = "bytes-to-bytes")]
    pub(crate) kind: PluginKind,
    /// Its language
    #[arg(long, value_enum, default_value = "rust")]
    pub(crate) lang: Language,
    /// The folder of the project, which must not be there yet; otherwise one of the extension's name
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// Where the crate zarr-plugin-api is; otherwise it comes from the registry
    #[arg(long, value_name = "FOLDER")]
    pub(crate) api: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginKind {
    DataType,
    ChunkGrid,
    ChunkKeyEncoding,
    ArrayToArray,
    ArrayToBytes,
    BytesToBytes,
    StorageTransformer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Rust,
    C,
}
