//! Permissions, owner and group of a file that replaces another.

#[cfg(not(unix))]
pub(crate) use portable::{initial_mode, keep};
#[cfg(unix)]
pub(crate) use unix::{initial_mode, keep};

#[cfg(unix)]
mod unix {
    use std::{
        fs::{File, Metadata, Permissions},
        io,
        os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    };

    /// The mode to create a file with that is to replace another: nobody can open it who could not open the other.
    pub(crate) fn initial_mode(replaced: Option<&Metadata>) -> u32 {
        let Some(mode) = replaced.map(MetadataExt::mode) else { return 0o666 };
        // If group and others may do the same it does not matter who is in the group, and mostly nothing is left to change.
        0o600 | if (mode >> 3) & 0o7 == mode & 0o7 { mode & 0o077 } else { 0 }
    }

    /// Gives a new file the permissions, owner and group of the file that it is to replace, as far as this process may, and
    /// nobody more rights than before. Set-id bits are not kept.
    pub(crate) fn keep(file: &File, replaced: &Metadata) -> io::Result<()> {
        let new = file.metadata()?;
        let mut is_group_kept = new.gid() == replaced.gid();
        if new.uid() != replaced.uid() && fchown(file, Some(replaced.uid()), Some(replaced.gid())).is_ok() {
            is_group_kept = true;
        }
        is_group_kept = is_group_kept || fchown(file, None, Some(replaced.gid())).is_ok();
        let mut mode = replaced.mode() & 0o777;
        if !is_group_kept {
            // Members of either group count among the others for the other file.
            let both = (mode >> 3) & mode & 0o7;
            mode = mode & 0o700 | both << 3 | both;
        }
        if new.mode() & 0o7777 == mode {
            return Ok(());
        }
        match file.set_permissions(Permissions::from_mode(mode)) {
            // Some file systems have no permissions of files. What is narrower than it was may stay so.
            Err(_) if new.mode() & 0o777 & !mode == 0 => Ok(()),
            other => other,
        }
    }
}

#[cfg(not(unix))]
mod portable {
    use std::{
        fs::{File, Metadata},
        io,
    };

    pub(crate) fn initial_mode(_: Option<&Metadata>) -> u32 {
        0
    }
    pub(crate) fn keep(_: &File, _: &Metadata) -> io::Result<()> {
        Ok(())
    }
}
