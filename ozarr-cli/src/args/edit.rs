//! Arguments of the commands that create and change nodes.

use super::values::{Compressor, Lengths, attribute, compressor, extension, lengths};
use clap::{Args, Subcommand};
use ozarr::{Json, zarr_core::extension::Extension};
use std::path::PathBuf;

/// An option of each command that writes.
#[derive(Debug, Args)]
pub(crate) struct Fsync {
    /// Return only when everything written is on the disk and survives a power failure
    #[arg(long)]
    pub(crate) fsync: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Path or URI of the new array
    pub(crate) array: String,
    /// Length of each dimension, separated by commas; "" for an array without dimensions
    #[arg(long, value_parser = lengths, required_unless_present = "metadata")]
    pub(crate) shape: Option<Lengths>,
    /// Data type: a name such as float32, or JSON
    #[arg(long, value_name = "TYPE", value_parser = extension, required_unless_present = "metadata")]
    pub(crate) dtype: Option<Extension>,
    /// Lengths of a chunk (of an inner chunk, if there are shards). Default: at most 4 MiB
    #[arg(long, value_name = "LENGTHS", value_parser = lengths)]
    pub(crate) chunks: Option<Lengths>,
    /// Lengths of a shard. Default: no shards
    #[arg(long, value_name = "LENGTHS", value_parser = lengths)]
    pub(crate) shards: Option<Lengths>,
    /// Compressor: a name, `zstd:LEVEL`, `gzip:LEVEL`, `blosc:NAME[:LEVEL]` as in blosc:lz4:5, JSON, or none. May be given
    /// several times. Default: zstd
    #[arg(long = "compressor", value_name = "CODEC", value_parser = compressor)]
    pub(crate) compressors: Vec<Compressor>,
    /// Array -> array codec: a name or JSON. May be given several times
    #[arg(long = "filter", value_name = "CODEC", value_parser = extension)]
    pub(crate) filters: Vec<Extension>,
    /// Array -> bytes codec: a name or JSON. Default: the one of the data type, little endian
    #[arg(long, value_name = "CODEC", value_parser = extension)]
    pub(crate) serializer: Option<Extension>,
    /// Fill value: NaN, a number, text, or JSON in the form of the data type. Default: zero
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) fill_value: Option<String>,
    /// Names of the dimensions, separated by commas; one that is empty has no name
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) dims: Option<Vec<String>>,
    /// Attributes: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    pub(crate) attrs: Option<String>,
    /// A metadata document instead of the options above; what it leaves out is chosen
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "shape", "dtype", "chunks", "shards", "compressors", "filters", "serializer", "fill_value", "dims", "attrs",
    ])]
    pub(crate) metadata: Option<PathBuf>,
    /// Replace an existing node, with everything below it
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// A file with all elements to write, as `ozarr elements` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) elements: Option<PathBuf>,
    /// Print the metadata document of the new array
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Group {
    /// Path or URI of the new group
    pub(crate) group: String,
    /// Attributes: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    pub(crate) attrs: Option<String>,
    /// Print the metadata document of the new group
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Attrs {
    /// Print the attributes of a node as JSON, or the value of one
    Get {
        /// Path or URI of a node
        node: String,
        /// Name of an attribute
        key: Option<String>,
    },
    /// Set attributes; the others stay, also those that another program sets at the same time
    Set {
        /// Path or URI of a node
        node: String,
        /// Attributes. A value that is not JSON is text, unless it begins like a list, an object or quoted text
        #[arg(value_name = "KEY=JSON", value_parser = attribute, required_unless_present = "file")]
        attributes: Vec<(String, Json)>,
        /// A file with a JSON object of attributes
        #[arg(long)]
        file: Option<PathBuf>,
        #[command(flatten)]
        fsync: Fsync,
    },
    /// Remove attributes
    Unset {
        /// Path or URI of a node
        node: String,
        /// Names of attributes
        #[arg(value_name = "KEY", required = true)]
        keys: Vec<String>,
        #[command(flatten)]
        fsync: Fsync,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Consolidate {
    /// Path or URI of a group
    pub(crate) group: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Path or URI of a node
    pub(crate) node: String,
    /// Remove everything below it too: nodes, and files that belong to no node
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Do not ask. Without this it asks if standard input is a terminal
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Resize {
    /// Path or URI of an array
    pub(crate) array: String,
    /// New length of each dimension, separated by commas
    #[arg(long, value_parser = lengths)]
    pub(crate) shape: Lengths,
    /// Keep chunks that lie outside the new shape. Without this they are removed
    #[arg(long)]
    pub(crate) keep_outside: bool,
    /// Replace old data that becomes visible again by the fill value. Without this it is shown, and reported
    #[arg(long)]
    pub(crate) clear_reappearing: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}
