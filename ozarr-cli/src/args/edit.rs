//! Arguments of the commands that create and change nodes.

use super::values::{Compressor, Lengths, attribute, compressor, extension, lengths};
use clap::{Args, Subcommand};
use ozarr::{Json, zarr_core::extension::Extension};
use std::path::PathBuf;

/// An option of every command that writes.
#[derive(Debug, Args)]
pub(crate) struct Fsync {
    /// Flush written data to disk before returning
    #[arg(long)]
    pub(crate) fsync: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Path or URL of the new array
    pub(crate) array: String,
    /// Shape, for example 365,180,360; "" creates a scalar array
    #[arg(long, value_name = "SHAPE", value_parser = lengths, required_unless_present = "metadata")]
    pub(crate) shape: Option<Lengths>,
    /// Data type: a name such as float32, or JSON
    #[arg(
        long,
        visible_alias = "data-type",
        value_name = "TYPE",
        value_parser = extension,
        required_unless_present = "metadata"
    )]
    pub(crate) dtype: Option<Extension>,
    /// Chunk shape, or inner chunk shape with --shards [default: chunks of at most 4 MiB]
    #[arg(long, visible_alias = "chunk-shape", value_name = "SHAPE", value_parser = lengths)]
    pub(crate) chunks: Option<Lengths>,
    /// Shard shape [default: no shards]
    #[arg(long, visible_alias = "shard-shape", value_name = "SHAPE", value_parser = lengths)]
    pub(crate) shards: Option<Lengths>,
    /// Compressor: a codec name, `zstd:LEVEL`, `gzip:LEVEL`, `blosc:CNAME[:CLEVEL]`, JSON, or `none`; repeatable
    /// [default: zstd]
    #[arg(long = "compressor", value_name = "CODEC", value_parser = compressor)]
    pub(crate) compressors: Vec<Compressor>,
    /// Array-to-array codec: a name or JSON; repeatable
    #[arg(long = "filter", value_name = "CODEC", value_parser = extension)]
    pub(crate) filters: Vec<Extension>,
    /// Array-to-bytes codec: a name or JSON [default: by data type, little endian]
    #[arg(long, value_name = "CODEC", value_parser = extension)]
    pub(crate) serializer: Option<Extension>,
    /// Fill value: a number, NaN, text, or JSON as in metadata [default: zero]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) fill_value: Option<String>,
    /// Dimension names, separated by commas; an empty name leaves the dimension unnamed
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) dims: Option<Vec<String>>,
    /// Attributes: a JSON object, or `@FILE` to read it from a file
    #[arg(long, value_name = "JSON")]
    pub(crate) attrs: Option<String>,
    /// Metadata document to use instead of the options above; missing members get defaults
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "shape", "dtype", "chunks", "shards", "compressors", "filters", "serializer", "fill_value", "dims", "attrs",
    ])]
    pub(crate) metadata: Option<PathBuf>,
    /// Replace an existing node and everything below it
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// File with all elements, one per line as JSON, to write to the new array
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
    /// Path or URL of the new group
    pub(crate) group: String,
    /// Attributes: a JSON object, or `@FILE` to read it from a file
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
    /// Print all attributes, or one, as JSON
    Get {
        /// Path or URL of an array or group
        node: String,
        /// Attribute to print
        key: Option<String>,
    },
    /// Set attributes and keep all others
    Set {
        /// Path or URL of an array or group
        node: String,
        /// Attributes to set; a value that is not JSON is taken as a string
        #[arg(value_name = "KEY=JSON", value_parser = attribute, required_unless_present = "file")]
        attributes: Vec<(String, Json)>,
        /// File with a JSON object of attributes
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        fsync: Fsync,
    },
    /// Remove attributes
    Unset {
        /// Path or URL of an array or group
        node: String,
        /// Attributes to remove
        #[arg(value_name = "KEY", required = true)]
        keys: Vec<String>,
        #[command(flatten)]
        fsync: Fsync,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Consolidate {
    /// Path or URL of a group
    pub(crate) group: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// Path or URL of an array or group
    pub(crate) node: String,
    /// Remove everything below it, including files that are not part of any node
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Do not ask for confirmation on a terminal
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}

#[derive(Debug, Args)]
pub(crate) struct Resize {
    /// Path or URL of an array
    pub(crate) array: String,
    /// New shape
    #[arg(long, value_name = "SHAPE", value_parser = lengths)]
    pub(crate) shape: Lengths,
    /// Keep chunks outside the new shape instead of removing them
    #[arg(long)]
    pub(crate) keep_outside: bool,
    /// Set old elements that would become visible again to the fill value, instead of only reporting them
    #[arg(long)]
    pub(crate) clear_reappearing: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fsync: Fsync,
}
