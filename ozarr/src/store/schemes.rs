//! From a location to a store: plain paths, and URIs by their scheme.

use super::{FilesystemStore, MemoryStore};
use crate::location::{Kind, Location};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{
    Error, ErrorKind, Result,
    store::{ReadOnly, Store},
};

/// What a location is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OpenMode {
    /// To read.
    ReadOnly,
    /// To read and write what is there.
    #[default]
    ReadWrite,
    /// To read and write; made if it is not there.
    Create,
    /// The same, but a directory is made when something is first stored in it: what fails before leaves none.
    CreateOnWrite,
}

/// Opens the URIs of one scheme.
pub type Opener = Arc<dyn Fn(&str, OpenMode) -> Result<Arc<dyn Store>> + Send + Sync>;

/// URI schemes and how each is opened. `file` and `memory` are there; an application adds its own.
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
    /// The same, but directories are opened [so](FilesystemStore::with_fsync) that what is written stays when the power fails.
    pub fn with_fsync(mut self) -> Self {
        self.fsync = true;
        self
    }
    fn known(&self) -> impl Iterator<Item = &str> {
        [FILE].into_iter().chain(self.openers.keys().map(String::as_str))
    }
    /// Adds a scheme, in lower case. The opener is given whole URIs.
    ///
    /// # Errors
    /// When the scheme is there already, or is none.
    pub fn add(&mut self, scheme: &str, opener: Opener) -> Result<()> {
        let valid = scheme.len() > 1
            && scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+-.".contains(&b));
        if !valid || self.known().any(|known| known == scheme) {
            let reason = if valid { "is there twice" } else { "is none" };
            return Err(ErrorKind::Registration(format!("the URI scheme `{scheme}` {reason}")).into());
        }
        self.openers.insert(scheme.to_owned(), opener);
        Ok(())
    }
    /// Opens a location. Without a scheme it is the path of a directory.
    pub fn open(&self, location: impl Into<Location>, mode: OpenMode) -> Result<Arc<dyn Store>> {
        let location = location.into();
        let (scheme, uri) = match location.kind() {
            Kind::Path(path) => return self.open_directory(path, mode),
            Kind::Uri { scheme, uri } if scheme == FILE => return self.open_directory(&file_path(uri)?, mode),
            Kind::Uri { scheme, uri } => (scheme, uri),
        };
        let Some(opener) = self.openers.get(scheme) else {
            let known: Vec<&str> = self.known().collect();
            let e = Error::argument(format!("no store is known for the URI scheme `{scheme}`"));
            return Err(e.with_hint(format!("known are: {}", known.join(", "))));
        };
        // Only directories know the difference.
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

pub(crate) const FILE: &str = "file";

/// The scheme of a URI. One letter is a drive.
pub(crate) fn scheme_of(location: &str) -> Option<String> {
    let (scheme, rest) = location.split_once(':')?;
    let valid = scheme.len() > 1
        && rest.starts_with("//")
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    valid.then(|| scheme.to_ascii_lowercase())
}

/// The path of a `file` URI, as RFC 8089 has it.
pub fn file_path(uri: &str) -> Result<PathBuf> {
    let wrong = |why| Error::argument(format!("{uri:?} is no file URI: {why}"));
    let rest = uri.split_once("://").map(|(_, rest)| rest).ok_or_else(|| wrong("`//` is missing"))?;
    let (host, path) = rest.find('/').map(|i| rest.split_at(i)).ok_or_else(|| wrong("it has no path"))?;
    if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return Err(wrong("it names another machine"));
    }
    let (mut bytes, mut left) = (Vec::new(), path.bytes());
    while let Some(b) = left.next() {
        let digit = |b: Option<u8>| b.and_then(|b| (b as char).to_digit(16));
        bytes.push(match b {
            b'%' => match (digit(left.next()), digit(left.next())) {
                (Some(high), Some(low)) => (high * 16 + low) as u8,
                _ => return Err(wrong("`%` is not followed by two hex digits")),
            },
            b'?' | b'#' => return Err(wrong("it has a query or fragment")),
            b => b,
        });
    }
    if bytes.contains(&0) {
        return Err(wrong("it has a null character"));
    }
    let path = String::from_utf8(bytes).map_err(|_| wrong("its path is not UTF-8"))?;
    Ok(PathBuf::from(if cfg!(windows) { path.trim_start_matches('/') } else { &path }))
}

/// The canonical URI of a path.
pub(super) fn file_uri(path: &Path, slash: bool) -> String {
    use std::fmt::Write;
    // Not as text: two names that are no UTF-8 may have one.
    let bytes = path.as_os_str().as_encoded_bytes();
    // How Windows marks canonical paths.
    let bytes = bytes.strip_prefix(br"\\?\".as_slice()).filter(|_| cfg!(windows)).unwrap_or(bytes);
    let mut uri = String::from(if bytes.starts_with(b"/") { "file://" } else { "file:///" });
    for &b in bytes {
        match b {
            b'\\' if cfg!(windows) => uri.push('/'),
            b if b.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&b) => uri.push(b as char),
            b => {
                let _infallible = write!(uri, "%{b:02X}");
            }
        }
    }
    if slash {
        uri.push('/');
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths() {
        assert_eq!(file_path("file:///my%20data").unwrap(), Path::new("/my data"));
        assert_eq!(file_path("file://localhost/x").unwrap(), Path::new("/x"));
        for bad in ["file://other/x", "file:///a%2", "file:///a%zz", "file://x", "file:///a?b", "file:///%00"] {
            assert!(file_path(bad).is_err(), "{bad}");
        }
        assert_eq!(file_uri(Path::new("/my data"), false), "file:///my%20data");
        assert_eq!(scheme_of("c://x"), None);
        assert_eq!(scheme_of("S3://x").as_deref(), Some("s3"));
        assert_eq!(scheme_of("a:b"), None);
    }

    #[test]
    fn an_application_adds_schemes() {
        let mut schemes = Schemes::default();
        let e = schemes.open("mine://x", OpenMode::Create).unwrap_err();
        assert!(e.hint().is_some_and(|h| h.contains("file, memory")), "{e}");
        let opener: Opener = Arc::new(|_, _| Ok(Arc::new(MemoryStore::default())));
        schemes.add("mine", opener.clone()).unwrap();
        assert!(schemes.add("mine", opener.clone()).is_err() && schemes.add("file", opener.clone()).is_err());
        assert!(schemes.add("x", opener).is_err());
        assert!(schemes.open("mine://x", OpenMode::ReadOnly).unwrap().writeable().is_none());
    }

    #[test]
    fn directories_are_made_only_when_asked() {
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
