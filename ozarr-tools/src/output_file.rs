//! Files that appear under their names only when they are complete.

use ozarr::{Error, Result, store::keep_permissions};
use std::{
    fs::{self, File, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// The number of links after which a path counts as a loop, as in the operating system.
const MOST_LINKS: usize = 40;

/// A file that is being written.
///
/// A regular file appears under its name only when it is complete. It keeps the permissions of the file that it
/// replaces; links are followed and preserved. Anything else (a device, a pipe, standard output under one of its names)
/// is written in place.
///
/// Until it is [committed](Self::commit) it is a temporary file in the same directory, `.NAME.*.part`, which is removed
/// when this value is dropped.
///
/// ```
/// use ozarr_tools::OutputFile;
/// use std::{fs, io::Write};
///
/// let path = std::env::temp_dir().join(format!("ozarr-output-file-{}", std::process::id()));
/// let file = OutputFile::create(&path)?;
/// file.file().write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(fs::read(&path)?, b"all of it");
/// # fs::remove_file(&path)?;
/// # Ok::<(), ozarr::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    path: PathBuf,
    /// The temporary file and its final name, until it is renamed.
    temporary: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    /// Opens a path for writing. An existing regular file is not changed yet.
    ///
    /// # Errors
    /// If a directory is at the path, or the file cannot be created. The text names the path.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::open(path).map_err(|e| at_path(&e, path))
    }
    fn open(path: &Path) -> io::Result<Self> {
        let there = match fs::metadata(path) {
            Ok(there) => Some(there),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        if there.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let Some(file) = there.as_ref().and_then(in_place(path)) {
            return Ok(Self { file: file?, path: path.to_owned(), temporary: None });
        }
        let target = end_of_links(path)?;
        let (temporary, file) = create_in_directory_of(&target, there.is_some())?;
        Ok(Self { file, path: path.to_owned(), temporary: Some((temporary, target)) })
    }
    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }
    /// Returns the path of the file until it has its name.
    pub fn is_at(&self) -> &Path {
        self.temporary.as_ref().map_or(&self.path, |(temporary, _)| temporary)
    }
    /// Renames the complete file to its name.
    ///
    /// # Errors
    /// If the operating system refuses. The text names the path, and the previous file is unchanged.
    pub fn commit(mut self) -> Result<()> {
        if let Some((temporary, target)) = &self.temporary {
            fs::rename(temporary, target).map_err(|e| at_path(&e, &self.path))?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.temporary {
            let _may_be_gone = fs::remove_file(temporary);
        }
    }
}

/// Converts the error of a file, with its path in the text: it is not the key of a store.
pub(crate) fn at_path(e: &io::Error, path: &Path) -> Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display())).into()
}

/// Opens a path that must be written in place.
fn in_place(path: &Path) -> impl Fn(&Metadata) -> Option<io::Result<File>> {
    move |there| {
        if is_standard_output(there) {
            // Opened by its name, it would be written from its start, over the output of others.
            return Some(standard_output());
        }
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let is_descriptor = fs::canonicalize(parent).is_ok_and(|p| p.starts_with("/proc") || p == Path::new("/dev"));
        (!there.is_file() || is_descriptor).then(|| OpenOptions::new().write(true).open(path))
    }
}

#[cfg(unix)]
fn is_standard_output(there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let open = standard_output().and_then(|file| file.metadata());
    open.is_ok_and(|open| (open.dev(), open.ino()) == (there.dev(), there.ino()))
}
#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}
#[cfg(not(unix))]
fn is_standard_output(_: &Metadata) -> bool {
    false
}
#[cfg(not(unix))]
fn standard_output() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the target of links, even if nothing is there.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !at.is_symlink() {
            return Ok(at);
        }
        let to = fs::read_link(&at)?;
        at = at.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Creates an empty file with a new name in the directory of a path. It has the permissions of the file there if it
/// replaces one.
fn create_in_directory_of(path: &Path, replaces: bool) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let mut number = 0u64;
    loop {
        let at = path.with_file_name(format!(".{name}.{}.{number}.part", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, if replaces { 0o600 } else { 0o666 });
        match options.open(&at) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(e),
            Ok(file) => {
                let kept = if replaces { keep_permissions(&file, path) } else { Ok(()) };
                if let Err(e) = kept {
                    let _the_first_error_says_more = fs::remove_file(&at);
                    return Err(e);
                }
                return Ok((at, file));
            }
        }
    }
}
