//! The command line.

mod edit;
mod plugin;
mod values;

pub(crate) use edit::{Attrs, Consolidate, Create, Fsync, Group, Remove, Resize};
pub(crate) use plugin::{AddPlugin, Language, NewPlugin, Plugin, PluginKind};
pub(crate) use values::{Codecs, Lengths};
mod picture;

pub(crate) use picture::{FillColour, Report, ValueRange, View};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use ozarr::Selection;
use ozarr_tools::Format;
use std::path::PathBuf;
use values::{codecs, lengths};

const AFTER_HELP: &str = "\
Environment:
  ZARR_PLUGIN_PATH    More folders with plugins
  ZARR_PLUGINS        Plugins to use: `installed`, `list` or `off`
  ZARR_PLUGINS_ALLOW  Ids of plugins for `list`
  ZARR_PLUGINS_DENY   Ids of plugins never to use
  ZARR_PLUGINS_LOCK   A JSON file of ids and SHA-256 sums; other plugins are not used
  NO_COLOR            No colours

Exit status: 0 done; 1 problems found; 2 wrong command line; 3 error.";

/// Shows, reads, writes, copies and checks Zarr v3 data.
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

/// What all commands take.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Session {
    /// Load a plugin from a file; may be given several times
    #[arg(long = "plugin", value_name = "FILE", global = true)]
    pub(crate) plugins: Vec<PathBuf>,
    /// Allow extensions to open files below a folder; may be given several times
    #[arg(long = "allow-root", value_name = "FOLDER", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Print only data, problems, warnings and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print what the library tells besides errors, on standard error
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the nodes of a hierarchy
    Tree(Node),
    /// Show the metadata of a node, and how much is stored
    Info(Info),
    /// Read elements of an array
    Read(Read),
    /// Create an array
    Create(Box<Create>),
    /// Create a group
    Group(Group),
    /// Write elements from a file into an array
    Write(Write),
    /// Copy an array or a hierarchy, with other codecs, chunks or data type if asked
    Copy(Copy),
    /// Show, set and remove attributes of a node
    #[command(subcommand)]
    Attrs(Attrs),
    /// Change the shape of an array
    Resize(Resize),
    /// Remove a node
    Rm(Remove),
    /// Write copies of the metadata of all nodes below a group into it
    Consolidate(Consolidate),
    /// Check metadata and keys, and with --data every chunk
    Validate(Validate),
    /// Make right what can be made right without a doubt: copies of metadata, what killed writers left behind
    Repair(Repair),
    /// List the extensions that this program knows
    Extensions(Extensions),
    /// Print each element of an array as JSON, one a line
    Elements(Elements),
    /// Show an array as a picture: in a terminal, or as a PNG file
    View(View),
    /// Write a page that shows what a store contains
    Report(Report),
    /// Extensions in shared libraries: find, look at, install and write them
    #[command(subcommand, after_help = AFTER_HELP)]
    Plugin(Plugin),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages into a folder
    Man {
        /// The folder
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
    /// Path or URI of a store, or of a node in it
    pub(crate) location: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Show each extension that is used, here and below, and what gives it
    #[arg(long)]
    pub(crate) needs: bool,
}

/// The formats that elements are printed in: their names, and what they are.
const FORMATS: [(&str, &str, Format); 3] = [
    ("json", "Nested lists, each element in its fill-value form", Format::Json),
    ("raw", "Little-endian bytes in C order", Format::Raw),
    ("npy", "A NumPy file", Format::Npy),
];

fn format() -> impl TypedValueParser<Value = Format> {
    let names = FORMATS.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(|given| {
        FORMATS.iter().find(|(name, ..)| *name == given).map(|(.., format)| *format).ok_or("no such format")
    })
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Path or URI of an array
    pub(crate) array: String,
    /// What to read: `START:STOP[:STEP]` or `INDEX` for each dimension, separated by commas. `:` is a whole dimension, and
    /// `...` stands for all that are not given, which are otherwise the last ones
    #[arg(long)]
    pub(crate) region: Option<Selection>,
    /// How to print it
    #[arg(long, value_parser = format(), default_value = "json")]
    pub(crate) format: Format,
    /// Write to a file instead of standard output. If the command is killed, its temporary file `.NAME.*.part` stays
    /// in the same folder
    #[arg(short, long)]
    pub(crate) output: Option<PathBuf>,
    /// Print all elements, also more than 5000 of them on a terminal
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Write {
    /// Path or URI of an array
    pub(crate) array: String,
    /// A .npy file with elements of the array's data type
    #[arg(long, required_unless_present = "elements", conflicts_with = "elements")]
    pub(crate) input: Option<PathBuf>,
    /// A file with each element as JSON, one a line in C order, as `ozarr elements` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) elements: Option<PathBuf>,
    /// Where to write: `START:STOP[:STEP]` or `INDEX` for each dimension, separated by commas. `:` is a whole dimension, and
    /// `...` stands for all that are not given, which are otherwise the last ones
    #[arg(long)]
    pub(crate) region: Option<Selection>,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// Path or URI of a store, or of a node in it
    pub(crate) source: String,
    /// Path or URI of where the copy goes
    pub(crate) destination: String,
    /// The codecs of a chunk (of an inner chunk, where there are shards), as a JSON list. Compressors alone replace
    /// those that were there, and keep the array codecs
    #[arg(long, value_parser = codecs)]
    pub(crate) codecs: Option<Codecs>,
    /// Lengths of chunks (of inner chunks, where there are shards), separated by commas
    #[arg(long, value_parser = lengths)]
    pub(crate) chunk_shape: Option<Lengths>,
    /// Lengths of shards, separated by commas
    #[arg(long, value_parser = lengths)]
    pub(crate) shard_shape: Option<Lengths>,
    /// The data type of the copy
    #[arg(long)]
    pub(crate) data_type: Option<String>,
    /// Allow values that do not convert exactly: the nearest is taken
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Replace what is at the destination
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Decode every stored chunk too
    #[arg(long)]
    pub(crate) data: bool,
    /// Report chunks that are not stored, and so have the fill value, as problems
    #[arg(long)]
    pub(crate) complete: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Look at every shard too: an index is made again where its inner chunks are intact and there is no doubt where they are
    #[arg(long)]
    pub(crate) data: bool,
    /// Do it; without this it is only shown
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
    /// Path or URI of an array
    #[arg(long = "array_path")]
    pub(crate) array_path: String,
}
