//! Stores: memory, the file system, and a table of URI schemes that an application can extend.

mod filesystem;
mod memory;
mod schemes;
#[cfg(test)]
mod tests;

pub use filesystem::FilesystemStore;
pub use memory::MemoryStore;
pub use schemes::{OpenMode, Opener, Schemes, file_path};

/// The error for a value that is in the way of a new node and belongs to none.
fn foreign(what: impl std::fmt::Display) -> std::io::Error {
    let reason = format!("`{what}` exists already and belongs to no node");
    std::io::Error::new(std::io::ErrorKind::AlreadyExists, reason)
}
