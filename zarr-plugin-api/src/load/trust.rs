//! Whether somebody else could have put a file where it is.

use std::path::Path;

/// Who could have changed a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntrustedPath {
    /// Everybody.
    #[error("everybody may write to {0}")]
    WorldWritable(String),
    /// Its owner, who is neither the user nor root.
    #[error("{path} belongs to user {owner}, who is neither you nor root")]
    ForeignOwner {
        /// The file or folder.
        path: String,
        /// The owner's number.
        owner: u32,
    },
}

/// Looks who may change a file or folder. What cannot be looked at is left to whoever opens it.
#[cfg(unix)]
pub fn check(path: &Path) -> Result<(), UntrustedPath> {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    // SAFETY: asks the system for a number.
    let user = unsafe { libc::geteuid() };
    judge(path, metadata.uid(), user, metadata.mode())
}

/// Looks who may change a file or folder. What cannot be looked at is left to whoever opens it.
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
