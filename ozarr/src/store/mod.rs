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

/// Gives a new file the permissions, owner and group of the one that it is to replace, as far as this process may, and nobody
/// more rights than before; access control lists are not kept. That is what the store does with values, for programs that
/// replace other files. Create it so that only its owner can open it. Links to the old one are followed.
pub fn keep_permissions(new: &File, replaced: &Path) -> io::Result<()> {
    let access = Access::at(replaced, &replaced.metadata()?)?;
    permissions::keep(new, &access).map(|_| ())
}
