//! Stores: memory, the file system, and a table of URI schemes that an application can extend.

mod filesystem;
mod memory;
mod schemes;
#[cfg(test)]
mod tests;

pub use filesystem::FilesystemStore;
pub use memory::MemoryStore;
pub use schemes::{OpenMode, Opener, Schemes, file_path};
