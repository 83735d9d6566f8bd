//! Checks whether another user could have written a file.

use std::path::Path;

/// The reason for which a file or folder is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntrustedPath {
    /// Every user may write to it.
    #[error("`{0}` is writable by everyone")]
    WorldWritable(String),
    /// It belongs to a user other than the current user and root.
    #[error("`{path}` is owned by user {owner}, not by you or root")]
    ForeignOwner {
        /// The path of the file or folder.
        path: String,
        /// The numeric id of the owner.
        owner: u32,
    },
}

/// Checks that a file or folder belongs to the current user or root, and that not every user may write to it.
///
/// A path whose metadata cannot be read passes: opening it then fails with the cause. Members of the file's group are
/// trusted.
///
/// # Errors
/// If every user may write to it, or it belongs to another user.
#[cfg(unix)]
pub fn check(path: &Path) -> Result<(), UntrustedPath> {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    // SAFETY: `geteuid` takes no arguments, only returns a number, and cannot fail.
    let user = unsafe { libc::geteuid() };
    judge(path, metadata.uid(), user, metadata.mode())
}

/// Accepts every path: owners and modes are only checked on Unix.
#[cfg(not(unix))]
pub fn check(_path: &Path) -> Result<(), UntrustedPath> {
    Ok(())
}

#[cfg(unix)]
fn judge(path: &Path, owner: u32, user: u32, mode: u32) -> Result<(), UntrustedPath> {
    let path = || path.display().to_string();
    if mode & 0o002 != 0 {
        return Err(UntrustedPath::WorldWritable(path()));
    }
    if owner != user && owner != 0 {
        return Err(UntrustedPath::ForeignOwner { path: path(), owner });
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn owners_and_modes() {
        let at = Path::new("/x");
        for (owner, user, mode, trusted) in [
            (1000, 1000, 0o755, true),
            (0, 1000, 0o755, true),
            (1000, 1000, 0o775, true),
            (1000, 1000, 0o757, false),
            (1000, 1000, 0o1777, false),
            (1001, 1000, 0o755, false),
            (1001, 0, 0o755, false),
        ] {
            assert_eq!(judge(at, owner, user, mode).is_ok(), trusted, "{owner} {user} {mode:o}");
        }
    }
}
