//! Overwriting a node gives nobody more rights to what is in it.

use super::names::DOCUMENT;
use crate::platform::permissions::{self, Access};
use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

/// What a directory and the files in it are like.
#[derive(Clone)]
struct Like {
    /// What the directory replaces, or the nearest above it that replaces one.
    directory: Access,
    /// The document of that.
    document: Option<Access>,
    is_replaced: bool,
}

impl Like {
    fn of(old: &Path, directory: Access) -> Self {
        Self { directory, document: found(&old.join(DOCUMENT), Metadata::is_file), is_replaced: true }
    }
}

/// What a path leads to. A link says nothing: the rights of its target decide who can read through it.
fn found(path: &Path, is_kind: fn(&Metadata) -> bool) -> Option<Access> {
    let metadata = path.metadata().ok().filter(is_kind)?;
    Access::at(path, &metadata).ok()
}

enum Step {
    Into(PathBuf, Like),
    /// When everything in a directory is done, which its mode may make impossible afterwards.
    OutOf(PathBuf, Like),
}

/// Gives a new directory and all that is in it the permissions, owner and group of what has the same name in the old one.
/// What had no such name gets no more rights than its creation gave it, nor than a directory of the nearest directory above
/// that was there, or a file of the document in that: data is mostly as private as its document.
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
