//! Arguments of `ozarr plugin`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List installed plugins, and the reason if one is not used
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the manifest of a plugin without running its code
    Inspect {
        /// Plugin library, or its manifest file
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which extension a name in metadata resolves to
    Which {
        /// Extension name, for example numcodecs.lz4
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Install a plugin for the current user
    Add(AddPlugin),
    /// Remove a plugin that is installed for the current user
    Remove {
        /// Plugin id, as shown by `ozarr plugin list`
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show which extensions an array needs, and where each comes from
    Why {
        /// Path or URL of an array
        array: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the C header of the plugin interface
    Header,
    /// Create a project for a new plugin
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
    /// Plugin library
    pub(crate) file: PathBuf,
    /// Replace an installed version of the plugin
    #[arg(long)]
    pub(crate) replace: bool,
    /// Install even if the plugin, or an installed one, would not be usable
    ///
    /// By default a plugin is refused if it provides a name that is built in (the built-in extension is used) or that
    /// another installed plugin provides (neither is used), if it is older than the replaced version or lacks a name of
    /// that version, if ZARR_PLUGINS or a related variable denies it, or if its manifest would overwrite a file that
    /// belongs to another plugin or cannot be read. A denied plugin is installed without being loaded or checked.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewPlugin {
    /// Extension name, also the name of the project
    pub(crate) name: String,
    /// Extension point
    #[arg(long, value_enum, default_value = "bytes-to-bytes")]
    pub(crate) kind: PluginKind,
    /// Programming language
    #[arg(long, value_enum, default_value = "rust")]
    pub(crate) lang: Language,
    /// Directory to create [default: `./NAME`]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// Folder of zarr-plugin-api in a checkout [default: the crate on crates.io]
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
