//! Directories that are written apart from their place and then moved there.
//!
//! The temporary directory lies in the directory of the place, so that moving is renaming, and has the name of a temporary
//! file: listings leave it out. It is locked as long as it is in use. What it replaces is moved into it and removed with it.
//! Where the file system exchanges two names, a reader sees the old directory or the new one. Elsewhere (some file servers,
//! the root of a file system, a directory above that cannot be written to) the entries are moved: first the old document,
//! then everything else, the new document last. A reader finds no node meanwhile. A process that is killed meanwhile leaves
//! the old entries in a directory `__zarr_replaced.*`, which nothing removes.

use super::{
    ATTEMPTS, FilesystemStore, NOT_OURS, again,
    beside::{Names, is_partial, make_dir, sync_parent},
    split,
};
use crate::platform::{
    directory::{Directory, exchange, is_unknown},
    hold,
};
use crate::store::foreign;
use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, File},
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
    temporary: Temporary,
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
        let temporary = Temporary::near(&place, &names)?;
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
        keep_access(&self.place, &self.content());
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
                match target.symlink_metadata() {
                    _ if from == content && name == DOCUMENT => {}
                    Err(e) if e.kind() == ErrorKind::NotFound => moves.rename(&source, &target)?,
                    Err(e) => return Err(e),
                    Ok(_) if source.is_dir() && target.is_dir() => left.push((source, target)),
                    Ok(_) => return Err(foreign(target.display())),
                }
            }
            self.sync(&to.join(DOCUMENT))?;
        }
        let (temporary, directory) = (OsString::from(self.names.next()), Directory::open(&self.place)?);
        moves.rename(&content.join(DOCUMENT), &self.place.join(&temporary))?;
        if !directory.rename_new(&temporary, OsStr::new(DOCUMENT))? {
            // Somebody else has made a node here.
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        let _may_be_gone = directory.remove(&temporary);
        Ok(())
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

/// Gives a directory the mode and the owner of the one that it replaces, as far as the process may.
fn keep_access(old: &Path, new: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let Some(old) = old.symlink_metadata().ok().filter(fs::Metadata::is_dir) else { return };
        let group_kept =
            chown(new, Some(old.uid()), Some(old.gid())).or_else(|_| chown(new, None, Some(old.gid()))).is_ok();
        // Another group must not get what the old one was allowed.
        let mode = if group_kept { old.mode() & 0o7777 } else { old.mode() & 0o707 };
        let _as_far_as_allowed = fs::set_permissions(new, fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = (old, new);
}

fn names_in(directory: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(directory)?.map(|entry| entry.map(|e| e.file_name())).collect()
}

/// A directory that only its owner may look into: what will be private must not be readable before.
fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A directory that is removed with everything in it when it is dropped.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    /// Locked, so that it is not taken for an orphan. `None` where directories cannot be opened.
    lock: Option<File>,
}

impl Temporary {
    /// In the directory that has the place, or in the place itself if it is a mount point or nothing can be created above it.
    fn near(place: &Path, names: &Names) -> io::Result<Self> {
        let is_real = place.is_dir() && !place.is_symlink();
        let above = place.ancestors().skip(1).find(|path| path.is_dir()).ok_or(ErrorKind::NotFound);
        match above.map_err(io::Error::from).and_then(|above| Self::create(above, names)) {
            Ok(temporary) if !is_real => Ok(temporary),
            // Only moving tells: a directory of the same file system may be mounted too.
            Ok(mut temporary) => match temporary.move_into(place) {
                Err(e) if e.kind() == ErrorKind::CrossesDevices => Self::create(place, names),
                Err(_) => Ok(temporary),
                Ok(from) => temporary.move_into(&from).map(|_| temporary),
            },
            Err(e) if is_real && (NOT_OURS.contains(&e.kind()) || place.parent().is_none()) => {
                Self::create(place, names)
            }
            Err(e) => Err(e),
        }
    }
    fn create(parent: &Path, names: &Names) -> io::Result<Self> {
        loop {
            let path = parent.join(names.next());
            match create_private(&path) {
                // Left behind by a process that had this number.
                Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
                other => other?,
            }
            let mut temporary = Self { path, lock: None };
            match File::open(&temporary.path) {
                Ok(directory) => {
                    hold::lock(&directory)?;
                    temporary.lock = Some(directory);
                }
                // There directories cannot be opened.
                Err(_) if cfg!(not(unix)) => {}
                // Somebody who removes orphans has come between.
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            }
            // Somebody who removes orphans may have come between.
            if temporary.exists()? {
                return Ok(temporary);
            }
        }
    }
    /// True if it is still this directory that has the name.
    fn exists(&self) -> io::Result<bool> {
        let Some(lock) = &self.lock else { return Ok(self.path.is_dir()) };
        let own = lock.metadata()?;
        match split(&self.path).and_then(|(parent, name)| Directory::open(parent)?.look(name, true)) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            found => Ok(found?.is_some_and(|found| found.is(&own))),
        }
    }
    /// Moves it into another directory, and gives the one in which it was.
    fn move_into(&mut self, directory: &Path) -> io::Result<PathBuf> {
        let (parent, name) = split(&self.path)?;
        let (parent, path) = (parent.to_owned(), directory.join(name));
        fs::rename(&self.path, &path)?;
        self.path = path;
        Ok(parent)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Writers that had opened it may add files meanwhile. What cannot be removed is an orphan, and listed as one.
        let _done = again(&[ErrorKind::DirectoryNotEmpty], || fs::remove_dir_all(&self.path));
    }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use zarr_core::store::{Key, WriteableStore};

    fn key(key: &str) -> Key {
        Key::new(key).unwrap()
    }
    fn all_of(directory: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let (mut all, mut left) = (Vec::new(), vec![directory.to_owned()]);
        while let Some(at) = left.pop() {
            left.extend(fs::read_dir(&at).into_iter().flatten().map(|e| e.unwrap().path()));
            all.push((at.clone(), fs::read(&at).ok()));
        }
        all.sort();
        all
    }
    /// An old node, and a new one that is staged; `fsync` takes other paths.
    fn staging(root: &Path, at: &str, fsync: bool) -> (FilesystemStore, Staging) {
        let store = FilesystemStore::open(root).unwrap();
        let store = if fsync { store.with_fsync().unwrap() } else { store };
        let prefix = Prefix::new(at).unwrap();
        for name in [DOCUMENT, "c/0", "below/zarr.json"] {
            store.set(&prefix.key(name).unwrap(), b"old").unwrap();
        }
        let staging = Staging::begin(&store, &prefix).unwrap();
        for name in [DOCUMENT, "c/1", "x/zarr.json"] {
            staging.store.set(&prefix.key(name).unwrap(), b"new").unwrap();
        }
        (store, staging)
    }
    fn values(directory: &Path) -> Vec<(String, String)> {
        let relative = |path: PathBuf| path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
        let text = |value| String::from_utf8(value).unwrap();
        all_of(directory).into_iter().filter_map(|(path, value)| Some((relative(path), text(value?)))).collect()
    }
    const NEW_VALUES: [&str; 3] = ["c/1", "x/zarr.json", "zarr.json"];

    #[test]
    fn each_way_replaces_all_entries() {
        for (at, fsync) in [("", false), ("g/a/", false), ("g/a/", true)] {
            for way in [Staging::replace as fn(&mut Staging) -> io::Result<()>, Staging::replace_entries] {
                let dir = tempfile::tempdir().unwrap();
                let root = dir.path().canonicalize().unwrap().join("s");
                fs::create_dir(&root).unwrap();
                let (_store, mut staging) = staging(&root, at, fsync);
                way(&mut staging).unwrap();
                drop(staging);
                let found = values(&root.join(at));
                assert_eq!(found.iter().map(|v| v.0.as_str()).collect::<Vec<_>>(), NEW_VALUES);
                assert!(found.iter().all(|v| v.1 == "new"));
                assert!(!all_of(dir.path()).iter().any(|f| f.0.to_str().unwrap().contains("__zarr_")));
            }
        }
    }

    #[test]
    fn entries_that_were_moved_are_moved_back() {
        let dir = tempfile::tempdir().unwrap();
        let (_store, mut staging) = staging(dir.path(), "g/a/", false);
        let (place, temporary) = (dir.path().join("g/a"), staging.temporary.path.clone());
        let old = values(&place);
        // The document is what is moved last.
        fs::remove_file(staging.content().join(DOCUMENT)).unwrap();
        assert_eq!(staging.replace_entries().unwrap_err().kind(), ErrorKind::NotFound);
        assert!(!temporary.exists(), "moved into the place");
        drop(staging);
        assert_eq!(values(&place), old);
        assert!(!all_of(dir.path()).iter().any(|f| f.0.to_str().unwrap().contains("__zarr_")));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_replaced_and_not_what_it_leads_to() {
        for way in [Staging::replace as fn(&mut Staging) -> io::Result<()>, Staging::replace_entries] {
            let dir = tempfile::tempdir().unwrap();
            let (store, _) = staging(dir.path(), "real/", false);
            let old = values(&dir.path().join("real"));
            std::os::unix::fs::symlink("real", dir.path().join("link")).unwrap();
            let mut staging = Staging::begin(&store, &Prefix::new("link/").unwrap()).unwrap();
            staging.store.set(&key("link/zarr.json"), b"new").unwrap();
            way(&mut staging).unwrap();
            drop(staging);
            assert!(!dir.path().join("link").is_symlink());
            assert_eq!(fs::read(dir.path().join("link/zarr.json")).unwrap(), b"new");
            assert_eq!(values(&dir.path().join("real")), old);
        }
    }

    #[test]
    #[cfg(unix)]
    fn is_an_orphan_only_when_nobody_uses_it() {
        let dir = tempfile::tempdir().unwrap();
        let (store, staging) = staging(dir.path(), "g/a/", false);
        assert!(store.erase_debris(&Prefix::ROOT).unwrap().is_empty());
        assert!(Box::new(staging).commit(true).unwrap());
        // Whoever removes the directory above takes what is staged with it.
        let (store, staging) = self::staging(dir.path(), "g/a/", false);
        store.erase_prefix(&Prefix::new("g/").unwrap()).unwrap();
        staging.store.set(&key("g/a/zarr.json"), b"new").unwrap();
        assert!(Box::new(staging).commit(true).unwrap_err().to_string().contains("removed meanwhile"));
        assert!(values(dir.path()).is_empty());
    }
}
