//! Directories that are written apart from their place and then moved there.
//!
//! The temporary directory is in the parent directory of the place, so that moving is renaming, and has the name of a
//! temporary file, so that listings leave it out. It is locked as long as it is in use. The old directory is moved into
//! it and removed with it. For the root of a store, the temporary directory is next to the store. Its name ends with
//! the name of the store, which tells whose it is if the process is killed. The ending is left out if that name is not
//! UTF-8 or the result would be too long.
//!
//! If the file system can exchange two names, a reader sees either the old directory or the new one. Otherwise (some
//! file servers, the root of a file system, a parent directory that cannot be written to) the entries are moved: first
//! the old document, then everything else, and the new document last. A reader finds no node until then. If the process
//! is killed in between, the old entries stay in a directory `__zarr_replaced.*`, which nothing removes.
//!
//! If there is no node, the directory is renamed to a free place or over an empty directory. Anything else in the place
//! belongs to others, or would be read as a part of the node: the place is refused.

mod access;
mod directory;
mod entries;
mod names;
#[cfg(test)]
mod tests;

use self::{
    directory::{TemporaryDirectory, create_private},
    entries::{Moves, is_taken, taken},
    names::{DOCUMENT, is_reserved, names_in},
};
use super::{
    FilesystemStore,
    paths::split,
    retry::ATTEMPTS,
    temporary::{Names, make_dir, sync_parent},
};
use crate::{
    event::event,
    platform::directory::{Directory, exchange, is_unknown},
};
use std::{
    ffi::OsStr,
    fs,
    io::{
        self,
        ErrorKind::{CrossesDevices, DirectoryNotEmpty, NotFound, PermissionDenied, ResourceBusy},
    },
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{
    ErrorKind, Result,
    error::Occupant,
    store::{Prefix, Staged, Store},
};

/// A prefix that is being written.
#[derive(Debug)]
pub(super) struct Staging {
    temporary: TemporaryDirectory,
    /// Its root is the directory [`NEW`] in the temporary directory.
    store: Arc<FilesystemStore>,
    prefix: Prefix,
    /// The place of the prefix's directory.
    place: PathBuf,
    names: Names,
    fsync: bool,
}

/// Names in the temporary directory: the new store, and the replaced directory.
const NEW: &str = "new";
const OLD: &str = "old";

impl Staging {
    pub(super) fn begin(store: &FilesystemStore, prefix: &Prefix) -> Result<Self> {
        let (place, names) = (store.directory(prefix)?, Names::default());
        let temporary = TemporaryDirectory::near(&place, &names)?;
        let root = temporary.path.join(NEW);
        fs::create_dir(&root)?;
        let (fsync, unlocked) = (store.fsync, store.unlocked.clone());
        let staged = FilesystemStore { fsync, unlocked, ..FilesystemStore::open(root)? };
        Ok(Self { temporary, store: Arc::new(staged), prefix: prefix.clone(), place, names, fsync: store.fsync })
    }
    /// Returns the directory that will be moved.
    fn content(&self) -> PathBuf {
        self.temporary.path.join(NEW).join(self.prefix.as_str().trim_end_matches('/'))
    }
    fn put(&mut self, replace: bool) -> Result<bool> {
        let mut left = ATTEMPTS;
        loop {
            let done = match self.place.join(DOCUMENT).symlink_metadata().is_ok() {
                true if replace => self.replace(),
                true => return Ok(false),
                false => match self.occupant()? {
                    Some(entry) => return Err(ErrorKind::Occupied(Occupant::Entry(entry)).into()),
                    None => self.fill(left > ATTEMPTS / 2),
                },
            };
            match done {
                // Others have removed or filled the directory since it was examined.
                Err(e) if left > 0 && matches!(e.kind(), NotFound | DirectoryNotEmpty) => {
                    left -= 1;
                    std::thread::yield_now();
                }
                other => return Ok(other.map(|()| true)?),
            }
        }
    }
    /// Returns what is in the place, unless it is free or an empty directory.
    fn occupant(&self) -> io::Result<Option<String>> {
        if self.place.symlink_metadata().is_ok() && !self.place.is_dir() {
            return Ok(Some(self.prefix.as_str().trim_end_matches('/').to_owned()));
        }
        let names = match names_in(&self.place) {
            Err(e) if e.kind() == NotFound => return Ok(None),
            other => other?,
        };
        let name = names.iter().find(|name| !is_reserved(name));
        Ok(name.map(|name| format!("{}{}", self.prefix, name.display())))
    }
    /// Replaces a node.
    fn replace(&mut self) -> io::Result<()> {
        access::keep(&self.place, &self.content(), self.fsync)?;
        match exchange(&self.content(), &self.place) {
            Ok(()) => self.sync(&self.place),
            Err(e) if is_unknown(&e) || matches!(e.kind(), CrossesDevices | ResourceBusy) => {
                let place = self.place.display();
                event!(WARN, "cannot exchange directories; replacing entry by entry", place = place, error = e);
                self.replace_entries()
            }
            Err(e) => Err(e),
        }
    }
    /// Replaces a node where directories cannot be exchanged.
    fn replace_entries(&mut self) -> io::Result<()> {
        if self.place.is_symlink() {
            return self.replace_link();
        }
        // From here on everything is moved within this directory. If that is not possible, nothing has changed.
        self.temporary.move_into(&self.place)?;
        let (content, aside) = (self.content(), self.place.join(self.names.next_replaced()));
        let mut moves = Moves::new(&content, &self.place, self.fsync)?;
        create_private(&aside)?;
        if let Err(e) = moves.set_aside(&aside).and_then(|()| moves.fill()) {
            let e = moves.undo(e);
            let _has_what_could_not_be_moved_back = fs::remove_dir(&aside);
            return Err(e);
        }
        let synced = self.sync(&self.place.join(DOCUMENT));
        let _stays_if_not = fs::rename(&aside, self.temporary.path.join(OLD));
        synced
    }
    /// Replaces a link, not its target.
    fn replace_link(&self) -> io::Result<()> {
        let ((above, name), link) = (split(&self.place)?, OsStr::new(OLD));
        let (above, temporary) = (Directory::open(above)?, Directory::open(&self.temporary.path)?);
        above.rename(name, &temporary, link)?;
        fs::rename(self.content(), &self.place).inspect_err(|_| {
            let _the_first_error_says_more = temporary.rename_new(link, &above, name);
        })?;
        self.sync(&self.place)
    }
    /// Takes a free place, or that of an empty directory. Does so in one step, unless the system cannot move a
    /// directory there, as at a mount point, or temporary files are still there after waiting for them.
    fn fill(&self, waits: bool) -> io::Result<()> {
        let content = self.content();
        // A link stays, and its target directory is replaced.
        let place = match fs::canonicalize(&self.place) {
            Ok(place) => place,
            Err(e) if e.kind() == NotFound => {
                let (parent, _) = split(&self.place)?;
                if !parent.is_dir() {
                    make_dir(parent, self.fsync)?;
                }
                fs::rename(content, &self.place).map_err(taken)?;
                return self.sync(&self.place);
            }
            Err(e) => return Err(e),
        };
        access::keep(&place, &content, self.fsync)?;
        match fs::rename(&content, &place) {
            Ok(()) => self.sync(&place),
            Err(e) if matches!(e.kind(), ResourceBusy | CrossesDevices | PermissionDenied) => self.fill_entries(&place),
            Err(e) if is_taken(&e) && !waits && names_in(&place)?.iter().all(is_reserved) => self.fill_entries(&place),
            Err(e) => Err(taken(e)),
        }
    }
    /// Takes the place in many steps. A process that is killed in between leaves keys without a document.
    fn fill_entries(&self, place: &Path) -> io::Result<()> {
        let content = self.content();
        let mut moves = Moves::new(&content, place, self.fsync)?;
        moves.fill().map_err(|e| moves.undo(e))?;
        self.sync(&place.join(DOCUMENT))
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        if self.fsync { sync_parent(path) } else { Ok(()) }
    }
}

impl Staged for Staging {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }
    fn commit(mut self: Box<Self>, replace: bool) -> Result<bool> {
        let put = match self.temporary.exists() {
            Ok(true) => self.put(replace),
            Err(e) => Err(e.into()),
            Ok(false) => Err(io::Error::new(NotFound, "the parent directory was removed concurrently").into()),
        };
        put.map_err(|e| e.at_key(&self.prefix))
    }
}
