//! The command line.

mod edit;
mod plugin;
mod values;

pub(crate) use edit::{Attrs, Consolidate, Create, Fsync, Group, Remove, Resize};
pub(crate) use plugin::{AddPlugin, Language, NewPlugin, Plugin, PluginKind};
pub(crate) use values::{Codecs, Compressor, Lengths};
mod picture;

pub(crate) use picture::{FillColor, Report, ValueRange, View};

use clap::{
    ArgGroup, Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use ozarr::{Selection, zarr_core::extension::Extension};
use ozarr_tools::Format;
use std::path::PathBuf;
use values::{codecs, compressor, extension, lengths, region};

const AFTER_HELP: &str = "\
Environment:
  ZARR_PLUGIN_PATH    Additional folders to search for plugins
  ZARR_PLUGINS        Plugins to load: `installed` (default), `list` or `off`
  ZARR_PLUGINS_ALLOW  With `ZARR_PLUGINS=list`: ids of the plugins to load
  ZARR_PLUGINS_DENY   Ids of plugins that are never loaded
  ZARR_PLUGINS_LOCK   JSON file of plugin ids and SHA-256 hashes; no other plugin is loaded
  NO_COLOR            Disable colors

Exit status: 0 success, 1 problems found, 2 invalid command line, 3 error";

/// Inspect, create, read, write, copy and check Zarr v3 data
#[derive(Debug, Parser)]
#[command(
    name = "ozarr",
    version,
    after_help = AFTER_HELP
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) session: Session,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Session {
    /// Load a plugin from this library; repeatable
    #[arg(long = "plugin", value_name = "FILE", global = true)]
    pub(crate) plugins: Vec<PathBuf>,
    /// Allow extensions to open files below this folder; repeatable
    #[arg(long = "allow-root", value_name = "FOLDER", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Do not print status messages or progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Log library events to standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the groups and arrays of a hierarchy as a tree
    Tree(Node),
    /// Show the metadata of an array or group
    Info(Info),
    /// Print elements of an array
    Read(Read),
    /// Create an array
    Create(Box<Create>),
    /// Create a group
    Group(Group),
    /// Write elements from a file to an array
    Write(Write),
    /// Copy an array or hierarchy, optionally with other chunks, codecs or data type
    Copy(Copy),
    /// Get, set and remove attributes
    #[command(subcommand)]
    Attrs(Attrs),
    /// Change the shape of an array
    Resize(Resize),
    /// Remove an array or group
    Rm(Remove),
    /// Write consolidated metadata of a group
    Consolidate(Consolidate),
    /// Check metadata, keys and, with --data, every chunk
    Validate(Validate),
    /// Repair consolidated metadata, orphaned temporary files and shard indexes
    Repair(Repair),
    /// List the extensions that are available
    Extensions(Extensions),
    /// Print the elements of an array as JSON, one per line
    #[command(hide = true)]
    Elements(Elements),
    /// Draw an array in the terminal or as a PNG file
    View(View),
    /// Write an HTML report of a hierarchy
    Report(Report),
    /// Inspect, install and create plugins
    #[command(subcommand, after_help = AFTER_HELP)]
    Plugin(Plugin),
    /// Print a shell completion script
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Write man pages to a folder
    Man {
        /// Folder to write to
        folder: PathBuf,
    },
}

impl Command {
    /// Whether it prints JSON: then also its error is one line.
    pub(crate) fn is_json(&self) -> bool {
        match self {
            Self::Tree(node) => node.json,
            Self::Info(info) => info.node.json,
            Self::Create(create) => create.json,
            Self::Group(group) => group.json,
            Self::Copy(copy) => copy.json,
            Self::Resize(resize) => resize.json,
            Self::Consolidate(consolidate) => consolidate.json,
            Self::Validate(validate) => validate.node.json,
            Self::Repair(repair) => repair.node.json,
            Self::Extensions(extensions) => extensions.json,
            Self::Report(report) => report.json,
            Self::Plugin(plugin) => plugin.is_json(),
            _ => false,
        }
    }
    /// Whether it waits for the disk.
    pub(crate) fn is_fsync(&self) -> bool {
        let fsync = match self {
            Self::Create(create) => &create.fsync,
            Self::Group(group) => &group.fsync,
            Self::Write(write) => &write.fsync,
            Self::Copy(copy) => &copy.fsync,
            Self::Attrs(Attrs::Set { fsync, .. } | Attrs::Unset { fsync, .. }) => fsync,
            Self::Resize(resize) => &resize.fsync,
            Self::Rm(remove) => &remove.fsync,
            Self::Consolidate(consolidate) => &consolidate.fsync,
            Self::Repair(repair) => &repair.fsync,
            _ => return false,
        };
        fsync.fsync
    }
}

#[derive(Debug, Args)]
pub(crate) struct Node {
    /// Path or URL of a store, or of a node in it
    pub(crate) location: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) node: Node,
    /// List the extensions that the node and its descendants need, and where each comes from
    #[arg(long)]
    pub(crate) needs: bool,
    /// Show the stored size; this lists all chunks of an array, or all keys below a group
    #[arg(long, conflicts_with = "needs")]
    pub(crate) sizes: bool,
}

/// Output formats with their names and help texts.
const FORMATS: [(&str, &str, Format); 4] = [
    ("json", "Nested lists; elements have the form of fill values", Format::Json),
    ("lines", "Elements as JSON, one per line in C order", Format::JsonLines),
    ("raw", "Little-endian bytes in C order", Format::Raw),
    ("npy", "NumPy .npy file", Format::Npy),
];

fn format() -> impl TypedValueParser<Value = Format> {
    let names = FORMATS.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(|given| {
        FORMATS.iter().find(|(name, ..)| *name == given).map(|(.., format)| *format).ok_or("no such format")
    })
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Path or URL of an array
    pub(crate) array: String,
    /// Region to read: `INDEX`, `START:STOP`, `START:STOP:STEP` or `:` per dimension, separated by commas; `...` stands for
    /// any number of whole dimensions
    #[arg(long, value_parser = region, allow_hyphen_values = true)]
    pub(crate) region: Option<Selection>,
    /// Output format
    #[arg(long, value_parser = format(), default_value = "json")]
    pub(crate) format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print all elements, even if standard output is a terminal and there are more than 5000
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").required(true).args(["input", "elements"])))]
pub(crate) struct Write {
    /// Path or URL of an array
    pub(crate) array: String,
    /// NumPy .npy file with elements of the array's data type
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// File with one element per line as JSON, as `ozarr read --format lines` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) elements: Option<PathBuf>,
    /// Region to write: `INDEX`, `START:STOP`, `START:STOP:STEP` or `:` per dimension, separated by commas; `...` stands for
    /// any number of whole dimensions
    #[arg(long, value_parser = region, allow_hyphen_values = true)]
    pub(crate) region: Option<Selection>,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// Path or URL of a store, or of a node in it
    pub(crate) source: String,
    /// Path or URL of the copy
    pub(crate) destination: String,
    /// Codecs of a chunk, or of an inner chunk in shards, as a JSON list. A list of compressors alone replaces the
    /// compressors and keeps the array codecs
    #[arg(long, value_name = "JSON", value_parser = codecs)]
    pub(crate) codecs: Option<Codecs>,
    /// Compressor of the copy, as for `ozarr create`; repeatable
    #[arg(long = "compressor", value_name = "CODEC", value_parser = compressor, conflicts_with = "codecs")]
    pub(crate) compressors: Vec<Compressor>,
    /// Chunk shape, or inner chunk shape in shards, for example 100,100
    #[arg(long = "chunks", visible_alias = "chunk-shape", value_name = "SHAPE", value_parser = lengths)]
    pub(crate) chunk_shape: Option<Lengths>,
    /// Shard shape
    #[arg(long = "shards", visible_alias = "shard-shape", value_name = "SHAPE", value_parser = lengths)]
    pub(crate) shard_shape: Option<Lengths>,
    /// Data type of the copy
    #[arg(long = "dtype", visible_alias = "data-type", value_name = "TYPE", value_parser = extension)]
    pub(crate) data_type: Option<Extension>,
    /// Round values that the new data type cannot represent to the nearest one
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Replace an existing node and everything below it
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Decode every stored chunk
    #[arg(long)]
    pub(crate) data: bool,
    /// Report chunks that are not stored (and read as the fill value) as problems
    #[arg(long)]
    pub(crate) complete: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Check every shard, and rebuild damaged indexes whose inner chunks are intact
    #[arg(long)]
    pub(crate) data: bool,
    /// Apply the repairs instead of listing them
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Extensions {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Elements {
    /// Path or URL of an array
    #[arg(long = "array_path")]
    pub(crate) array_path: String,
}
