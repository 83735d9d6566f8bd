//! Takes a place entry by entry, where a directory cannot take it in one step.
//!
//! Files are moved one at a time, into directories that are created for them, the document last. If a step fails,
//! everything is undone: only files that were moved are moved back, and only empty directories are removed. Values that
//! other writers have stored in the place are therefore preserved.

use super::{
    super::paths::split,
    names::{DOCUMENT, is_reserved, names_in},
};
use crate::platform::{
    directory::{Directory, Stat},
    lock::{Entry, lock_entry},
};
use std::{
    ffi::{OsStr, OsString},
    fmt, io,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// A step that was done. Paths are relative to the place.
enum Move {
    /// A directory that was created.
    Made(PathBuf),
    /// A file that was moved into the place.
    File(PathBuf, Stat),
    /// An entry that was moved out of the way.
    Aside(PathBuf),
}

/// Steps that either all happen or are undone.
pub(super) struct Moves<'a> {
    /// The new directory.
    content: &'a Path,
    place: &'a Path,
    /// The same directory as `place`, even if it is moved away.
    directory: Directory,
    aside: Option<Directory>,
    fsync: bool,
    done: Vec<Move>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(content: &'a Path, place: &'a Path, fsync: bool) -> io::Result<Self> {
        let directory = Directory::open(place)?;
        Ok(Self { content, place, directory, aside: None, fsync, done: Vec::new() })
    }
    /// Moves the entries of the place to a directory in it, the document first.
    pub(super) fn set_aside(&mut self, aside: &Path) -> io::Result<()> {
        let aside = self.aside.insert(Directory::open(aside)?);
        let document = [OsString::from(DOCUMENT)];
        let move_all = |names: &[OsString], done: &mut Vec<Move>| {
            names.iter().filter(|name| !is_reserved(name)).try_for_each(|name| {
                self.directory.rename(name, aside, name)?;
                done.push(Move::Aside(name.into()));
                Ok::<_, io::Error>(())
            })
        };
        move_all(&document, &mut self.done)?;
        move_all(&names_in(self.place)?, &mut self.done)?;
        if self.fsync {
            self.directory.sync()?;
            aside.sync()?;
        }
        Ok(())
    }
    /// Moves everything in the new directory.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.fill_without_document()?;
        self.move_document()
    }
    pub(super) fn move_document(&mut self) -> io::Result<()> {
        let (from, to) = (Directory::open(self.content)?, self.directory.try_clone()?);
        self.move_file(&from, &to, DOCUMENT.into())?;
        if self.directory.is_at(self.place) { Ok(()) } else { Err(io::Error::other(Gone)) }
    }
    /// Moves everything but the document.
    pub(super) fn fill_without_document(&mut self) -> io::Result<()> {
        let mut left = vec![PathBuf::new()];
        while let Some(at) = left.pop() {
            let path = self.content.join(&at);
            let (from, to) = (Directory::open(&path)?, self.directory_at(&at)?);
            for name in names_in(&path)? {
                let below = at.join(&name);
                if from.stat(&name, true)?.is_some_and(|entry| entry.is_dir) {
                    to.make_dir(&name).map_err(taken)?;
                    self.done.push(Move::Made(below.clone()));
                    left.push(below);
                } else if below != Path::new(DOCUMENT) {
                    self.move_file(&from, &to, below)?;
                }
            }
            if self.fsync {
                to.sync()?;
            }
        }
        Ok(())
    }
    fn move_file(&mut self, from: &Directory, to: &Directory, at: PathBuf) -> io::Result<()> {
        let name = name_of(&at)?;
        let file = from.stat(name, true)?.ok_or(ErrorKind::NotFound)?;
        if !from.rename_new(name, to, name)? {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        // The old name may still exist.
        let _may_be_gone = from.remove(name);
        self.done.push(Move::File(at, file));
        Ok(())
    }
    /// Opens a directory in the place. Links are not followed: this process has created the directory.
    fn directory_at(&self, path: &Path) -> io::Result<Directory> {
        path.iter().try_fold(self.directory.try_clone()?, |directory, name| directory.open_dir(name))
    }
    /// Undoes everything. The error is `reason`. If something cannot be undone, the error says so: the rest of the new
    /// directory is then incomplete and must not be used.
    pub(super) fn undo(self, reason: io::Error) -> io::Error {
        let mut failed = None;
        for done in self.done.iter().rev() {
            let (at, undone) = match done {
                Move::Made(at) => (at, self.remove_dir(at)),
                Move::File(at, file) => (at, self.move_back(at, file)),
                Move::Aside(at) => (at, self.restore(at.as_os_str())),
            };
            if let Err(e) = undone {
                failed.get_or_insert_with(|| (self.place.join(at), e.kind()));
            }
        }
        match failed {
            None => reason,
            Some((path, why)) => io::Error::other(Torn { reason, path, why }),
        }
    }
    fn remove_dir(&self, at: &Path) -> io::Result<()> {
        let removed = self.directory_at(at.parent().unwrap_or(at)).and_then(|above| above.remove_dir(name_of(at)?));
        match removed {
            // It was removed, or has values of others.
            Err(e) if e.kind() == ErrorKind::NotFound || is_taken(&e) => Ok(()),
            other => other,
        }
    }
    fn move_back(&self, at: &Path, file: &Stat) -> io::Result<()> {
        let (above, name) = (at.parent().unwrap_or(at), name_of(at)?);
        let directory = self.directory_at(above)?;
        match lock_entry(&directory, name)? {
            // Nobody replaces the file while it is locked.
            Entry::Locked { metadata, file: _locked, .. } if file.is(&metadata) => {
                directory.rename(name, &Directory::open(&self.content.join(above))?, name)
            }
            Entry::Vacant => Err(ErrorKind::NotFound.into()),
            _ => Err(ErrorKind::AlreadyExists.into()),
        }
    }
    fn restore(&self, name: &OsStr) -> io::Result<()> {
        let aside = self.aside.as_ref().ok_or(ErrorKind::NotFound)?;
        if aside.stat(name, true)?.is_some_and(|entry| entry.is_dir) {
            // A directory replaces only an empty directory.
            return aside.rename(name, &self.directory, name);
        }
        match aside.rename_new(name, &self.directory, name)? {
            true => {
                let _may_be_gone = aside.remove(name);
                Ok(())
            }
            false => Err(ErrorKind::AlreadyExists.into()),
        }
    }
}

fn name_of(path: &Path) -> io::Result<&OsStr> {
    Ok(split(path)?.1)
}

/// Returns true if something else was where a directory is expected.
pub(super) fn is_taken(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory)
}
/// Returns the error after which the place is examined again.
pub(super) fn taken(e: io::Error) -> io::Error {
    if is_taken(&e) { ErrorKind::DirectoryNotEmpty.into() } else { e }
}

/// The directory is not in its place any more.
#[derive(Debug)]
struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the directory was removed or replaced concurrently")
    }
}
impl std::error::Error for Gone {}

/// A step failed and could not be undone.
#[derive(Debug)]
struct Torn {
    reason: io::Error,
    path: PathBuf,
    why: ErrorKind,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, path, why } = self;
        write!(f, "{reason}; `{}` was modified concurrently and cannot be moved back: {why}", path.display())
    }
}
impl std::error::Error for Torn {}
