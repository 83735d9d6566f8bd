//! Opens the store at a location: a plain path, or a URI by its scheme.

use super::{
    FilesystemStore, MemoryStore,
    uri::{FILE, file_path},
};
use crate::location::{Kind, Location};
use std::{collections::BTreeMap, fmt, path::Path, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    store::{ReadOnly, Store},
};

/// How a location is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OpenMode {
    /// For reading.
    ReadOnly,
    /// For reading and writing an existing store.
    #[default]
    ReadWrite,
    /// For reading and writing. Creates the store if it does not exist.
    Create,
    /// As [`Create`](Self::Create), but creates a directory only when the first value is stored, so that an earlier
    /// failure leaves none.
    CreateOnWrite,
}

/// A function that opens the URIs of one scheme.
pub type Opener = Arc<dyn Fn(&str, OpenMode) -> Result<Arc<dyn Store>> + Send + Sync>;

/// The known URI schemes, and how each is opened. `file` and `memory` are built in; an application can add others.
#[derive(Clone)]
pub struct Schemes {
    openers: BTreeMap<String, Opener>,
    fsync: bool,
}

impl Default for Schemes {
    fn default() -> Self {
        let memory: Opener = Arc::new(|_, _| Ok(Arc::new(MemoryStore::default())));
        Self { openers: [("memory".to_owned(), memory)].into(), fsync: false }
    }
}
impl fmt::Debug for Schemes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.known()).finish()
    }
}

impl Schemes {
    /// Opens directories so that everything written survives a power failure: see [`FilesystemStore::with_fsync`].
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, NewArray};
    /// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
    ///
    /// let mut context = Context::new();
    /// context.schemes = context.schemes.with_fsync();
    /// let hierarchy = Hierarchy::options().create().context(context).open(&path)?;
    /// hierarchy.create_array("/a", NewArray::of::<u8>([4]))?;
    /// // The document is on the disk now.
    /// assert!(path.join("a/zarr.json").exists());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    pub fn with_fsync(mut self) -> Self {
        self.fsync = true;
        self
    }
    fn known(&self) -> impl Iterator<Item = &str> {
        [FILE].into_iter().chain(self.openers.keys().map(String::as_str))
    }
    /// Adds a scheme, in lower case. The opener receives whole URIs.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, store::{MemoryStore, Opener}};
    /// use std::sync::Arc;
    ///
    /// let shared = MemoryStore::default();
    /// let opener: Opener = Arc::new(move |_uri, _mode| Ok(Arc::new(shared.clone())));
    /// let mut context = Context::new();
    /// context.schemes.add("shared", opener)?;
    /// let open = || Hierarchy::options().context(context.clone()).open("shared://data");
    /// open()?.create_group("/ocean", ())?;
    /// assert!(open()?.group("/ocean").is_ok());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the scheme is already known, or is not valid.
    pub fn add(&mut self, scheme: &str, opener: Opener) -> Result<()> {
        let valid = scheme.len() > 1
            && scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b));
        if !valid || self.known().any(|known| known == scheme) {
            let reason = if valid { "is already registered" } else { "is not valid" };
            return Err(ErrorKind::Registration(format!("URL scheme `{scheme}` {reason}")).into());
        }
        self.openers.insert(scheme.to_owned(), opener);
        Ok(())
    }
    /// Opens a location. Without a scheme it is the path of a directory.
    ///
    /// ```
    /// use ozarr::store::{OpenMode, Schemes};
    ///
    /// let store = Schemes::default().open("memory://", OpenMode::ReadOnly)?;
    /// assert!(store.readable().is_some() && store.writeable().is_none());
    /// assert!(Schemes::default().open("s3://bucket", OpenMode::ReadOnly).is_err());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no store is known for the scheme, or the store cannot be opened.
    pub fn open(&self, location: impl Into<Location>, mode: OpenMode) -> Result<Arc<dyn Store>> {
        let location = location.into();
        let (scheme, uri) = match location.kind() {
            Kind::Path(path) => return self.open_directory(path, mode),
            Kind::Uri { scheme, uri } if scheme == FILE => return self.open_directory(&file_path(uri)?, mode),
            Kind::Uri { scheme, uri } => (scheme, uri),
        };
        let Some(opener) = self.openers.get(scheme) else {
            let known: Vec<&str> = self.known().collect();
            let known = known.join(", ");
            return Err(Error::argument(format!("unsupported URL scheme `{scheme}`; supported: {known}")));
        };
        // Only directories distinguish these modes.
        let mode = if mode == OpenMode::CreateOnWrite { OpenMode::Create } else { mode };
        let store = opener(uri, mode)?;
        Ok(if mode == OpenMode::ReadOnly { Arc::new(ReadOnly(store)) } else { store })
    }
    fn open_directory(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn Store>> {
        let store = match mode {
            OpenMode::Create => FilesystemStore::create(path)?,
            OpenMode::CreateOnWrite => FilesystemStore::create_on_write(path)?,
            OpenMode::ReadOnly | OpenMode::ReadWrite => FilesystemStore::open(path)?,
        };
        Ok(match mode {
            OpenMode::ReadOnly => Arc::new(ReadOnly(Arc::new(store))),
            _ if self.fsync => Arc::new(store.with_fsync()?),
            _ => Arc::new(store),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::uri::file_uri;

    #[test]
    fn applications_can_add_schemes() {
        let mut schemes = Schemes::default();
        let e = schemes.open("mine://x", OpenMode::Create).unwrap_err();
        assert!(e.to_string().contains("supported: file, memory"), "{e}");
        let opener: Opener = Arc::new(|_, _| Ok(Arc::new(MemoryStore::default())));
        schemes.add("mine", opener.clone()).unwrap();
        assert!(schemes.add("mine", opener.clone()).is_err() && schemes.add("file", opener.clone()).is_err());
        assert!(schemes.add("x", opener).is_err());
        assert!(schemes.open("mine://x", OpenMode::ReadOnly).unwrap().writeable().is_none());
    }

    #[test]
    fn directories_are_created_only_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("my data");
        let uri = file_uri(&std::fs::canonicalize(dir.path()).unwrap().join("my data"), false);
        let schemes = Schemes::default();
        for mode in [OpenMode::ReadOnly, OpenMode::ReadWrite] {
            let e = schemes.open(uri.as_str(), mode).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::NodeNotFound) && e.hint().is_some(), "{e}");
        }
        let later = schemes.open(uri.as_str(), OpenMode::CreateOnWrite).unwrap();
        assert_eq!(later.uri(&zarr_core::store::Prefix::ROOT), uri);
        assert!(later.lister().unwrap().list().unwrap().is_empty());
        later.writer().unwrap().erase_prefix(&zarr_core::store::Prefix::ROOT).unwrap();
        assert!(!path.exists());
        later.writer().unwrap().set(&zarr_core::store::Key::new("k").unwrap(), b"first").unwrap();
        std::fs::remove_dir_all(&path).unwrap();
        let key = zarr_core::store::Key::new("k").unwrap();
        schemes.open(uri.as_str(), OpenMode::Create).unwrap().writer().unwrap().set(&key, b"v").unwrap();
        let same = schemes.open(&path, OpenMode::ReadOnly).unwrap();
        assert_eq!(same.reader().unwrap().get(&key).unwrap().unwrap(), b"v");
        assert!(same.writer().is_err());
        assert_eq!(same.uri(&zarr_core::store::Prefix::ROOT), uri);
        assert!(schemes.open(path.join("k"), OpenMode::ReadWrite).is_err(), "a file");
    }
}
