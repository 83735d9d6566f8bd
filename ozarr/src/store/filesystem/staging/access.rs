//! When a node is overwritten, nobody gets more rights to its contents.

use super::names::DOCUMENT;
use crate::platform::permissions::{self, Access};
use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

/// The rights that a directory and the files in it get.
#[derive(Clone)]
struct Like {
    /// The rights of the directory that is replaced, or of the nearest one above that replaces one.
    directory: Access,
    /// The rights of the document in that directory.
    document: Option<Access>,
    is_replaced: bool,
}

impl Like {
    fn of(old: &Path, directory: Access) -> Self {
        Self { directory, document: found(&old.join(DOCUMENT), Metadata::is_file), is_replaced: true }
    }
}

/// Returns the rights at a path. Links are followed: the rights of the target decide who can read through a link.
fn found(path: &Path, is_kind: fn(&Metadata) -> bool) -> Option<Access> {
    let metadata = path.metadata().ok().filter(is_kind)?;
    Access::at(path, &metadata).ok()
}

enum Step {
    Into(PathBuf, Like),
    /// After everything in a directory is done, as its mode may make that impossible.
    OutOf(PathBuf, Like),
}

/// Gives a new directory and everything in it the permissions, owner and group of the entries with the same names in
/// the old one. An entry without an old one gets no more rights than it was created with. A directory also gets no more
/// than the nearest directory above that existed before, and a file no more than the document in that directory: data
/// is mostly as private as its document.
pub(super) fn keep(old: &Path, new: &Path, fsync: bool) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let mut left = vec![Step::Into(PathBuf::new(), Like::of(old, Access::at(old, &old.metadata()?)?))];
    while let Some(step) = left.pop() {
        let (at, like) = match step {
            Step::OutOf(at, like) => {
                give(&new.join(at), &like.directory, like.is_replaced, fsync)?;
                continue;
            }
            Step::Into(at, like) => (at, like),
        };
        left.push(Step::OutOf(at.clone(), like.clone()));
        for entry in fs::read_dir(new.join(&at))? {
            let entry = entry?;
            let below = at.join(entry.file_name());
            let replaced = old.join(&below);
            if entry.file_type()?.is_dir() {
                let like = match found(&replaced, Metadata::is_dir) {
                    Some(directory) => {
                        let own = Like::of(&replaced, directory);
                        Like { document: own.document.or_else(|| like.document.clone()), ..own }
                    }
                    None => Like { is_replaced: false, ..like.clone() },
                };
                left.push(Step::Into(below, like));
                continue;
            }
            match (found(&replaced, Metadata::is_file), &like.document) {
                (Some(replaced), _) => give(&entry.path(), &replaced, true, fsync)?,
                (None, Some(document)) => give(&entry.path(), document, false, fsync)?,
                (None, None) => {}
            }
        }
    }
    Ok(())
}

fn give(path: &Path, like: &Access, is_replaced: bool, fsync: bool) -> io::Result<()> {
    let file = File::open(path)?;
    let give = if is_replaced { permissions::keep } else { permissions::narrow };
    if give(&file, like)? && fsync {
        file.sync_all()?;
    }
    Ok(())
}
