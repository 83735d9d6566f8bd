//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use zarr_array::core::{json::Json, limits::Limits};

/// Shows, reads, writes, copies and checks Zarr v3 data.
#[derive(Debug, Parser)]
#[command(
    name = "zarr",
    version,
    after_help = "Exit status: 0 done; 1 failed, or problems found; 2 wrong command line."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the nodes of a hierarchy
    Tree(Node),
    /// Show the metadata of a node, and how much is stored
    Info(Info),
    /// Read elements of an array
    Read(Read),
    /// Create an array from a metadata document
    Create(Create),
    /// Write elements from a .npy file into an array
    Write(Write),
    /// Copy an array or a hierarchy, with other codecs, chunks or data type if asked
    Copy(Copy),
    /// Check metadata and keys, and with --data every chunk
    Validate(Validate),
    /// List the extensions that this program knows
    Extensions(Extensions),
    /// Print each element of an array as JSON, one a line
    Elements(Elements),
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Nested lists, each element in its fill-value form
    Json,
    /// Little-endian bytes in C order
    Raw,
    /// A NumPy file
    Npy,
}

#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Path or URI of an array
    pub(crate) array: String,
    /// What to read: `START:STOP[:STEP]` or `INDEX` for each dimension, separated by commas
    #[arg(long, value_parser = region)]
    pub(crate) region: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: Format,
    /// Write to a file instead of standard output
    #[arg(short, long)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Path or URI of the new array
    pub(crate) array: String,
    /// The metadata document; what may be left out for a new array is chosen
    #[arg(long)]
    pub(crate) metadata: PathBuf,
    /// Replace a node that is there, with everything below it
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Write {
    /// Path or URI of an array
    pub(crate) array: String,
    /// A .npy file with elements of the array's data type
    #[arg(long)]
    pub(crate) input: PathBuf,
    /// Where to write: `START:STOP[:STEP]` or `INDEX` for each dimension, separated by commas
    #[arg(long, value_parser = region)]
    pub(crate) region: Option<String>,
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
    #[arg(long, value_delimiter = ',')]
    pub(crate) chunk_shape: Option<Vec<u64>>,
    /// Lengths of shards, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub(crate) shard_shape: Option<Vec<u64>>,
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
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Decode every stored chunk too
    #[arg(long)]
    pub(crate) data: bool,
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

/// Codecs as JSON, each a name or an object.
#[derive(Debug, Clone)]
pub(crate) struct Codecs(pub(crate) Vec<Json>);

fn codecs(text: &str) -> Result<Codecs, String> {
    match Json::parse(text.as_bytes(), &Limits::default()) {
        Ok(Json::Array(codecs)) => Ok(Codecs(codecs)),
        Ok(other) => Err(format!("codecs are a JSON list, not {}", other.kind())),
        Err(e) => Err(e.to_string()),
    }
}

/// Checks the form of a region. Whether it fits shows with the array.
fn region(text: &str) -> Result<String, String> {
    let number = |field: &str| field.is_empty() || field.parse::<u64>().is_ok();
    let range = |part: &str| {
        let fields: Vec<&str> = part.split(':').collect();
        fields.len() <= 3 && fields.iter().all(|f| number(f)) && (fields.len() > 1 || !part.is_empty())
    };
    match text.split(',').find(|part| !range(part)) {
        Some(part) if !text.is_empty() => Err(format!("`{part}` is no START:STOP[:STEP] or INDEX")),
        _ => Ok(text.to_owned()),
    }
}
