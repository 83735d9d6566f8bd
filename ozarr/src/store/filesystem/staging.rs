//! Directories that are written apart from their place and then moved there.
//!
//! The temporary directory lies in the directory of the place, so that moving is renaming, and has the name of a temporary
//! file: listings leave it out. It is locked as long as it is in use. What it replaces is moved into it and removed with it.
//! For the root of a store it lies beside the store, so its name ends with that of the place: that tells whose it is when a
//! process was killed. A name that is not UTF-8, or for which there is no room, is left out.
//! Where the file system exchanges two names, a reader sees the old directory or the new one. Elsewhere (some file servers,
//! the root of a file system, a directory above that cannot be written to) the entries are moved: first the old document,
//! then everything else, the new document last. A reader finds no node meanwhile. A process that is killed meanwhile leaves
//! the old entries in a directory `__zarr_replaced.*`, which nothing removes.

mod access;
mod directory;
#[cfg(test)]
mod tests;

use self::directory::{TemporaryDirectory, create_private};
use super::{
    ATTEMPTS, FilesystemStore, split,
    temporary::{Names, is_partial, make_dir, sync_parent},
};
use crate::platform::directory::{Directory, exchange, is_unknown};
use crate::store::foreign;
use std::{
    ffi::OsString,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{
    Error, Result,
    store::{Prefix, Staged, Store},
};

const DOCUMENT: &str = "zarr.json";

/// A prefix that is being written.
#[derive(Debug)]
pub(super) struct Staging {
    temporary: TemporaryDirectory,
    /// Its root is the directory [`NEW`] of the temporary one.
    store: Arc<FilesystemStore>,
    prefix: Prefix,
    /// Where the directory of the prefix goes.
    place: PathBuf,
    names: Names,
    fsync: bool,
}

/// In the temporary directory: the new store, and what was replaced.
const NEW: &str = "new";
const OLD: &str = "old";

impl Staging {
    pub(super) fn begin(store: &FilesystemStore, prefix: &Prefix) -> Result<Self> {
        let (place, names) = (store.directory(prefix)?, Names::default());
        let temporary = TemporaryDirectory::near(&place, &names)?;
        let root = temporary.path.join(NEW);
        fs::create_dir(&root)?;
        let staged = FilesystemStore { fsync: store.fsync, ..FilesystemStore::open(root)? };
        Ok(Self { temporary, store: Arc::new(staged), prefix: prefix.clone(), place, names, fsync: store.fsync })
    }
    /// The directory that is to be moved.
    fn content(&self) -> PathBuf {
        self.temporary.path.join(NEW).join(self.prefix.as_str().trim_end_matches('/'))
    }
    fn put(&mut self, replace: bool) -> io::Result<bool> {
        let mut left = ATTEMPTS;
        loop {
            let done = match self.place.join(DOCUMENT).symlink_metadata().is_ok() {
                true if replace => self.replace(),
                true => return Ok(false),
                false => self.fill(),
            };
            match done {
                // Others have removed or filled the directory since it was looked at.
                Err(e) if left > 0 && matches!(e.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                    left -= 1;
                    std::thread::yield_now();
                }
                other => return other.map(|()| true),
            }
        }
    }
    /// Takes the place of a node.
    fn replace(&mut self) -> io::Result<()> {
        access::keep(&self.place, &self.content(), self.fsync)?;
        match exchange(&self.content(), &self.place) {
            Ok(()) => self.sync(&self.place),
            Err(e) if is_unknown(&e) || matches!(e.kind(), ErrorKind::CrossesDevices | ErrorKind::ResourceBusy) => {
                self.replace_entries()
            }
            Err(e) => Err(e),
        }
    }
    /// The same where directories cannot be exchanged.
    fn replace_entries(&mut self) -> io::Result<()> {
        if self.place.is_symlink() {
            Moves::all(|moves| {
                moves.rename(&self.place, &self.temporary.path.join(OLD))?;
                moves.rename(&self.content(), &self.place)
            })?;
            return self.sync(&self.place);
        }
        // From here on everything is moved within this directory. If that cannot be, nothing has changed.
        self.temporary.move_into(&self.place)?;
        let aside = self.place.join(self.names.next_replaced());
        create_private(&aside)?;
        let moved = Moves::all(|moves| {
            moves.rename(&self.place.join(DOCUMENT), &aside.join(DOCUMENT))?;
            for name in names_in(&self.place)?.iter().filter(|name| !name.to_str().is_some_and(is_partial)) {
                moves.rename(&self.place.join(name), &aside.join(name))?;
            }
            self.sync(&self.place.join(DOCUMENT))?;
            self.sync(&aside.join(DOCUMENT))?;
            self.move_entries(moves)
        });
        if moved.is_err() {
            let _has_what_could_not_be_moved_back = fs::remove_dir(&aside);
            return moved;
        }
        let synced = self.sync(&self.place.join(DOCUMENT));
        let _stays_if_not = fs::rename(&aside, self.temporary.path.join(OLD));
        synced
    }
    /// Takes a place where no node is.
    fn fill(&self) -> io::Result<()> {
        if self.place.is_dir() {
            // It may be somebody's current directory, or contain other files.
            Moves::all(|moves| self.move_entries(moves))?;
            return self.sync(&self.place.join(DOCUMENT));
        }
        let (parent, _) = split(&self.place)?;
        if !parent.is_dir() {
            make_dir(parent, self.fsync)?;
        }
        fs::rename(self.content(), &self.place)?;
        self.sync(&self.place)
    }
    /// Moves the entries to those that are there, the document last.
    fn move_entries(&self, moves: &mut Moves) -> io::Result<()> {
        let content = self.content();
        let mut left = vec![(content.clone(), self.place.clone())];
        while let Some((from, to)) = left.pop() {
            for name in names_in(&from)? {
                let (source, target) = (from.join(&name), to.join(&name));
                if from == content && name == DOCUMENT {
                    continue;
                }
                // The place may have been taken since it was looked at.
                let is_moved = match target.symlink_metadata() {
                    Err(e) if e.kind() == ErrorKind::NotFound => moves.rename_new(&source, &target)?,
                    Err(e) => return Err(e),
                    Ok(_) => false,
                };
                match is_moved {
                    true => {}
                    false if source.is_dir() && target.is_dir() => left.push((source, target)),
                    false => return Err(foreign(target.display())),
                }
            }
            self.sync(&to.join(DOCUMENT))?;
        }
        match moves.rename_new(&content.join(DOCUMENT), &self.place.join(DOCUMENT))? {
            true => Ok(()),
            // Somebody else has made a node here.
            false => Err(ErrorKind::DirectoryNotEmpty.into()),
        }
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
            Err(e) => Err(e),
            Ok(false) => Err(io::Error::new(ErrorKind::NotFound, "the directory above was removed meanwhile")),
        };
        put.map_err(|e| Error::from(e).at_key(&self.prefix))
    }
}

/// True if something else had the place of a directory.
fn is_taken(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory)
}

fn names_in(directory: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(directory)?.map(|entry| entry.map(|e| e.file_name())).collect()
}

/// Renamings that all happen or none.
#[derive(Default)]
struct Moves(Vec<(PathBuf, PathBuf)>);

impl Moves {
    fn all(run: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let mut moves = Self::default();
        run(&mut moves).inspect_err(|_| {
            for (from, to) in moves.0.iter().rev() {
                let _the_first_error_says_more = fs::rename(to, from);
            }
        })
    }
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        self.0.push((from.to_owned(), to.to_owned()));
        Ok(())
    }
    /// Only if nothing has the name; `false`: something has.
    fn rename_new(&mut self, from: &Path, to: &Path) -> io::Result<bool> {
        if from.is_dir() {
            // It takes no place but that of an empty directory.
            return match self.rename(from, to) {
                Err(e) if is_taken(&e) => Ok(false),
                other => other.map(|()| true),
            };
        }
        let ((above, name), (into, new)) = (split(from)?, split(to)?);
        let above = Directory::open(above)?;
        if !above.rename_new(name, &Directory::open(into)?, new)? {
            return Ok(false);
        }
        // A second name may have stayed.
        let _may_be_gone = above.remove(name);
        self.0.push((from.to_owned(), to.to_owned()));
        Ok(true)
    }
}
