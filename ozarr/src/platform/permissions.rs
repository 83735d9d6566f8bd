//! Permissions, owner and group of a file or directory that replaces another.

#[cfg(not(unix))]
pub(crate) use portable::{initial_mode, keep, make_removable, narrow};
#[cfg(unix)]
pub(crate) use unix::{initial_mode, keep, make_removable, narrow};

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, File, Metadata, Permissions},
        io,
        os::unix::fs::{MetadataExt, PermissionsExt, fchown},
        path::Path,
    };

    /// The mode to create a file with that is to replace another: nobody can open it who could not open the other.
    pub(crate) fn initial_mode(replaced: Option<&Metadata>) -> u32 {
        let Some(mode) = replaced.map(MetadataExt::mode) else { return 0o666 };
        // If group and others may do the same it does not matter who is in the group, and mostly nothing is left to change.
        0o600 | if (mode >> 3) & 0o7 == mode & 0o7 { mode & 0o077 } else { 0 }
    }

    /// Gives what is new the permissions, owner and group of what it is to replace, as far as this process may, and nobody more
    /// rights than before. Set-id bits of files are not kept. `true`: something had to be changed.
    pub(crate) fn keep(new: &File, replaced: &Metadata) -> io::Result<bool> {
        give(new, &new.metadata()?, replaced, 0o7777)
    }

    /// The same for what replaces nothing but is like something else: no right is added to those it was created with.
    pub(crate) fn narrow(new: &File, like: &Metadata) -> io::Result<bool> {
        let metadata = new.metadata()?;
        // A directory in one whose group is passed on passes it on too.
        give(new, &metadata, like, metadata.mode() | 0o2000)
    }

    fn give(file: &File, new: &Metadata, like: &Metadata, most: u32) -> io::Result<bool> {
        let mut is_group_kept = new.gid() == like.gid();
        let mut is_changed = false;
        if new.uid() != like.uid() && fchown(file, Some(like.uid()), Some(like.gid())).is_ok() {
            (is_group_kept, is_changed) = (true, true);
        }
        if !is_group_kept {
            is_group_kept = fchown(file, None, Some(like.gid())).is_ok();
            is_changed = is_group_kept;
        }
        let mut mode = like.mode() & if like.is_dir() { 0o7777 } else { 0o777 };
        if !is_group_kept {
            // Members of either group count among the others for the other file.
            let both = (mode >> 3) & mode & 0o7;
            mode = mode & 0o1700 | both << 3 | both;
        }
        mode &= most;
        if new.mode() & 0o7777 == mode {
            return Ok(is_changed);
        }
        match file.set_permissions(Permissions::from_mode(mode)) {
            // Some file systems have no permissions of files. What is narrower than it was may stay so.
            Err(_) if new.mode() & 0o777 & !mode == 0 => Ok(is_changed),
            other => other.map(|()| true),
        }
    }

    /// Lets this process remove what is in a directory and in those below it, as far as they are its own.
    pub(crate) fn make_removable(directory: &Path) {
        let mut left = vec![directory.to_owned()];
        while let Some(at) = left.pop() {
            // The same for all, so that whoever puts a link in its place meanwhile can give nobody anything.
            let _may_not_be_ours = fs::set_permissions(&at, Permissions::from_mode(0o700));
            let entries = fs::read_dir(&at).into_iter().flatten().flatten();
            left.extend(entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path()));
        }
    }
}

#[cfg(not(unix))]
mod portable {
    use std::{
        fs::{File, Metadata},
        io,
        path::Path,
    };

    pub(crate) fn initial_mode(_: Option<&Metadata>) -> u32 {
        0
    }
    pub(crate) fn keep(_: &File, _: &Metadata) -> io::Result<bool> {
        Ok(false)
    }
    pub(crate) fn narrow(_: &File, _: &Metadata) -> io::Result<bool> {
        Ok(false)
    }
    pub(crate) fn make_removable(_: &Path) {}
}
