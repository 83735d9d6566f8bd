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
///
/// ```
/// use ozarr::store::keep_permissions;
/// use std::path::Path;
/// # let dir = tempfile::tempdir()?; let (folder, file) = (dir.path(), dir.path().join("table.csv"));
/// # std::fs::write(&file, "old")?;
///
/// fn replace(folder: &Path, file: &Path, text: &str) -> std::io::Result<()> {
///     // Only its owner can open it.
///     let new = tempfile::NamedTempFile::new_in(folder)?;
///     std::fs::write(&new, text)?;
///     keep_permissions(new.as_file(), file)?;
///     new.persist(file)?;
///     Ok(())
/// }
/// let before = file.metadata()?.permissions();
/// replace(folder, &file, "new")?;
/// assert_eq!(file.metadata()?.permissions(), before);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn keep_permissions(new: &File, replaced: &Path) -> io::Result<()> {
    let access = Access::at(replaced, &replaced.metadata()?)?;
    permissions::keep(new, &access).map(|_| ())
}
