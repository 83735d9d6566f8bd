//! Stores: memory, the file system, and a table of URI schemes that an application can extend.

mod filesystem;
mod memory;
mod schemes;
#[cfg(test)]
mod tests;
mod uri;

pub use filesystem::FilesystemStore;
pub use memory::MemoryStore;
pub use schemes::{OpenMode, Opener, Schemes};
pub use uri::file_path;
pub(crate) use uri::{FILE, scheme_of};

use crate::platform::permissions::{self, Access};
use std::{fs::File, io, path::Path};

/// Gives a new file the permissions, owner and group of the file that it will replace.
///
/// This is what the store does with values, offered to programs that replace other files. It changes as much as the
/// process may, and nobody gets more rights than before. Access control lists are not copied. Links in `replaced` are
/// followed. Create the new file so that only its owner can open it.
pub fn keep_permissions(new: &File, replaced: &Path) -> io::Result<()> {
    let access = Access::at(replaced, &replaced.metadata()?)?;
    permissions::keep(new, &access).map(|_| ())
}
