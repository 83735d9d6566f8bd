//! The folders below which files may be opened.

use std::{
    fs::{self, File, Metadata},
    io::{Error as IoError, ErrorKind as Why},
    path::{Path, PathBuf},
};
use zarr_plugin_api::{Error, Result};

/// The hint for a file that may not be opened.
const HINT: &str = "allow a folder that contains the file with the option `roots` (CLI: `--allow-root FOLDER`)";

/// The allowed folders as canonical paths, without symbolic links.
#[derive(Debug)]
pub(crate) struct Roots(Vec<PathBuf>);

/// An open file.
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) size: u64,
    /// The path without symbolic links.
    pub(crate) path: PathBuf,
}

impl Roots {
    /// Resolves the folders that the user allowed.
    ///
    /// # Errors
    /// If there is none, or one is not an absolute path or does not exist.
    pub(crate) fn new(allowed: &[String]) -> Result<Self> {
        if allowed.is_empty() {
            let none = "a chunk manifest refers to files, but no folder is allowed";
            return Err(Error::from(IoError::new(Why::PermissionDenied, none)).with_hint(HINT));
        }
        let known = |root: &String| {
            if !Path::new(root).is_absolute() {
                return Err(Error::argument(format!("cannot allow `{root}`: not an absolute path")));
            }
            fs::canonicalize(root).map_err(|e| refused(e.kind(), root.as_ref(), &format!("cannot be allowed: {e}")))
        };
        allowed.iter().map(known).collect::<Result<_>>().map(Self)
    }
    /// Returns the folders.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.0
    }
    /// Opens the file at a path. A relative path is tried in each of the folders `bases`, in order.
    ///
    /// # Errors
    /// If it does not exist, is not a regular file, or is not below an allowed folder.
    pub(crate) fn open(&self, bases: &[PathBuf], path: &Path) -> Result<Opened> {
        let found = self.find(bases, path)?;
        let failed = |e: IoError| refused(e.kind(), path, &format!("cannot be opened: {e}"));
        let size_of = |m: Metadata| match m.is_file() {
            true => Ok(m.len()),
            false => Err(refused(Why::InvalidInput, path, "is not a regular file")),
        };
        // Checked before it is opened: opening a named pipe would wait for a writer, possibly forever.
        fs::metadata(&found).map_err(failed).and_then(size_of)?;
        let file = File::open(&found).map_err(failed)?;
        let size = file.metadata().map_err(failed).and_then(size_of)?;
        Ok(Opened { file, size, path: found })
    }
    fn find(&self, bases: &[PathBuf], path: &Path) -> Result<PathBuf> {
        for base in bases {
            // An absolute path replaces the base.
            match fs::canonicalize(base.join(path)) {
                Ok(found) if self.0.iter().any(|root| found.starts_with(root)) => return Ok(found),
                Ok(_) => {
                    let e = refused(Why::PermissionDenied, path, "is outside the allowed folders");
                    return Err(e.with_hint(HINT));
                }
                Err(e) if matches!(e.kind(), Why::NotFound | Why::NotADirectory) => {}
                Err(e) => return Err(refused(e.kind(), path, &format!("cannot be opened: {e}"))),
            }
        }
        let places: Vec<String> = bases.iter().map(|b| format!("`{}`", b.display())).collect();
        let hint = match path.is_absolute() {
            true => "restore the file, or update the manifest".to_owned(),
            false => format!("place the file in {}", places.join(" or ")),
        };
        Err(refused(Why::NotFound, path, "does not exist").with_hint(hint))
    }
}

fn refused(kind: Why, path: &Path, why: &str) -> Error {
    IoError::new(kind, format!("`{}` {why}", path.display())).into()
}
