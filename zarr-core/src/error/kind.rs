//! The kinds of errors.

use super::Error;
use crate::extension_point::ExtensionPoint;

/// What went wrong, without the location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON as defined by RFC 8259.
    #[error("invalid JSON at line {line}, column {column}: {reason}")]
    Json {
        /// Line, counted from 1.
        line: usize,
        /// Column in bytes, counted from 1.
        column: usize,
        /// The rule that the text breaks.
        reason: &'static str,
    },
    /// A metadata document breaks a rule of the specification.
    #[error("invalid metadata: {0}")]
    Metadata(String),
    /// The specification does not allow this name, path or key.
    #[error("invalid name: {0}")]
    Name(String),
    /// No extension is registered under the name, and it must be understood.
    #[error("unknown {point} `{name}`")]
    UnknownExtension {
        /// The extension point at which the name was used.
        point: ExtensionPoint,
        /// The name.
        name: String,
    },
    /// A known extension rejects its configuration.
    #[error("invalid configuration: {0}")]
    Configuration(String),
    /// A codec does not accept its input or a data type, or the codecs are in the wrong order.
    #[error("invalid codec chain: {0}")]
    InvalidCodecChain(String),
    /// The data type does not permit this fill value.
    #[error("invalid fill value: {0}")]
    FillValue(String),
    /// One tier has two registrations of one name, or the name must not be registered.
    #[error("cannot register: {0}")]
    Registration(String),
    /// Stored bytes are damaged, truncated, or do not match the metadata.
    #[error("damaged data: {0}")]
    Data(String),
    /// A number from untrusted input exceeds a limit.
    #[error("{what} is {asked}, more than the limit of {limit}")]
    Limit {
        /// What the input asked for.
        what: &'static str,
        /// The amount asked for.
        asked: u64,
        /// The amount allowed.
        limit: u64,
    },
    /// The calls of a context together need more than [`Limits::memory`](crate::limits::Limits::memory).
    #[error("memory limit exceeded: {asked} more bytes needed, {taken} of {limit} bytes in use")]
    Budget {
        /// The additional bytes asked for.
        asked: u64,
        /// The bytes in use.
        taken: u64,
        /// The bytes allowed.
        limit: u64,
    },
    /// Memory could not be allocated.
    #[error("out of memory: cannot allocate {0} bytes")]
    Memory(u64),
    /// A region, shape or buffer of the caller does not fit.
    #[error("invalid argument: {0}")]
    Argument(String),
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// No value is stored under the key.
    #[error("key not found")]
    KeyNotFound,
    /// No node is at the path.
    #[error("node not found")]
    NodeNotFound,
    /// A node already exists at the path.
    #[error("node already exists")]
    NodeAlreadyExists,
    /// Something else is stored where a node is to be created, and would be lost, hidden, or mistaken for a part of the
    /// node.
    #[error("cannot create a node here: {0}")]
    Occupied(Occupant),
    /// The change itself is stored and complete, but a group above still has stale copies of the changed documents: its
    /// consolidated metadata could not be updated. Readers that use these copies see the nodes as they were.
    #[error("the change is stored, but the consolidated metadata of group `{group}` is stale: {reason}")]
    StaleCopies {
        /// The path of the first group that could not be updated.
        group: String,
        /// The reason.
        reason: Error,
    },
    /// A codec or storage transformer that need not be understood was skipped, so writing is not possible.
    #[error("cannot write: the unknown extension `{0}` is skipped")]
    Skipped(String),
    /// A link makes a group, or the directory of an array, contain itself.
    ///
    /// The text is the path that the link leads back to.
    #[error("link loop: the link leads back to `{0}`, which contains it")]
    Loop(String),
    /// The store does not support an operation (reading, writing, listing).
    #[error("the store does not support {0}")]
    Unsupported(&'static str),
    /// The value cannot be converted exactly.
    #[error("cannot convert exactly: {0}")]
    Conversion(String),
    /// A [source](crate::source::Source) recorded the ranges that it lacks.
    ///
    /// Return at once; the driver fetches them and calls again.
    #[error("suspended until more bytes are fetched")]
    Suspended,
    /// A plugin cannot be used. The box contains the typed reason.
    #[error(transparent)]
    Plugin(Box<dyn std::error::Error + Send + Sync>),
    /// A part of the program broke its contract.
    #[error("internal error: {0}")]
    Contract(&'static str),
}

/// An entry that occupies the place where a node is to be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Occupant {
    /// A node below the place, by its path.
    #[error("the node `{0}` exists below this path")]
    Node(String),
    /// A key that belongs to no node, and that would be read as a chunk of the new array.
    #[error("`{0}` would be read as a chunk of the new array")]
    Chunk(String),
    /// A key that belongs to no node, or a directory entry that is not a key.
    #[error("`{0}` already exists and does not belong to a node")]
    Entry(String),
}
