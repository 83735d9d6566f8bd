//! What can go wrong.

use super::Error;
use crate::extension_point::ExtensionPoint;

/// What went wrong, without the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON as RFC 8259 defines it.
    #[error("not valid JSON at line {line}, column {column}: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// The rule that was broken.
        reason: &'static str,
    },
    /// A metadata document breaks a rule of the specification.
    #[error("invalid metadata: {0}")]
    Metadata(String),
    /// A name, path or key that the specification does not allow.
    #[error("invalid name: {0}")]
    Name(String),
    /// Nothing is registered under the name, and it must be understood.
    #[error("unknown {point} `{name}`")]
    UnknownExtension {
        /// Where the name was used.
        point: ExtensionPoint,
        /// The name.
        name: String,
    },
    /// A known extension was given a configuration it does not allow.
    #[error("invalid configuration: {0}")]
    Configuration(String),
    /// A codec or a data type cannot work on what it was given, or codecs stand in the wrong order.
    #[error("codecs do not fit: {0}")]
    InvalidCodecChain(String),
    /// A fill value that the data type does not permit.
    #[error("invalid fill value: {0}")]
    FillValue(String),
    /// Two registrations of one name in one tier, or a name that must not be registered.
    #[error("cannot register: {0}")]
    Registration(String),
    /// Stored bytes are damaged, cut short, or not what the metadata says.
    #[error("damaged data: {0}")]
    Data(String),
    /// A number from outside exceeds a limit.
    #[error("{what} needs {asked}, more than the limit of {limit}")]
    Limit {
        /// What was asked for.
        what: &'static str,
        /// How much.
        asked: u64,
        /// How much is allowed.
        limit: u64,
    },
    /// All that runs in a context takes more than [`Limits::memory`](crate::limits::Limits::memory).
    #[error("needs {asked} more bytes of memory, {taken} of {limit} are in use")]
    Budget {
        /// How much more was asked for.
        asked: u64,
        /// How much was in use.
        taken: u64,
        /// How much is allowed.
        limit: u64,
    },
    /// Memory could not be had.
    #[error("out of memory: {0} bytes could not be allocated")]
    Memory(u64),
    /// A region, shape or buffer given by the caller does not fit.
    #[error("invalid argument: {0}")]
    Argument(String),
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// No value is stored under the key.
    #[error("nothing is stored there")]
    KeyNotFound,
    /// No node is at the path.
    #[error("no node is there")]
    NodeNotFound,
    /// A node is at the path already.
    #[error("a node is there already")]
    NodeAlreadyExists,
    /// Where a node is to be created there is something else, which would be lost, hidden or taken for a part of it.
    #[error("no node can be created there: {0}")]
    Occupied(Occupant),
    /// The change itself is stored and complete. What failed is bringing up to date the copies of changed documents in a
    /// group above: consolidated metadata, in which readers of such copies see nodes as they were.
    #[error("the change is stored, but the copies of metadata in group `{group}` are stale: {reason}")]
    StaleCopies {
        /// The path of the first group that could not be renewed.
        group: String,
        /// Why not.
        reason: Error,
    },
    /// A codec or storage transformer that need not be understood was skipped, so nothing can be written.
    #[error("cannot write while `{0}` is skipped: it is not known here")]
    Skipped(String),
    /// A link makes a group or the directory of an array part of itself: the path that it leads back to.
    #[error("a link leads back to `{0}`, which contains it")]
    Loop(String),
    /// The store lacks an ability (reading, writing, listing).
    #[error("the store does not support {0}")]
    Unsupported(&'static str),
    /// A value that does not convert exactly.
    #[error("cannot convert exactly: {0}")]
    Conversion(String),
    /// A [source](crate::source::Source) recorded what it lacks: return at once, the driver calls again.
    #[error("suspended until more bytes are fetched")]
    Suspended,
    /// A plugin could not be used, for the typed reason in the box.
    #[error(transparent)]
    Plugin(Box<dyn std::error::Error + Send + Sync>),
    /// A part of the program did not keep its contract.
    #[error("internal fault: {0}")]
    Contract(&'static str),
}

/// What lies where a node is to be created, and is not that node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Occupant {
    /// A node below, by its path.
    #[error("the node `{0}` lies below")]
    Node(String),
    /// A key that belongs to no node and would be read as a chunk of the new array.
    #[error("`{0}` would be read as one of its chunks")]
    Chunk(String),
    /// A key that belongs to no node, or an entry of a directory that is no key.
    #[error("`{0}` is there and belongs to no node")]
    Entry(String),
}
