//! The keys of a directory, and the entries that are not values.

use super::{
    FilesystemStore,
    errors::unless_absent,
    temporary::{has_values, is_partial},
};
use std::{
    ffi::OsStr,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};
use zarr_core::{
    Error, Result,
    store::{ListableStore, Listing, Other, Prefix},
};

impl ListableStore for FilesystemStore {
    /// Lists temporary files and directories that no writer uses any more, also those next to the directory of the
    /// prefix that were to take its place. Those outside the store are listed with their whole path.
    fn list_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        self.orphans(prefix, false)
    }
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let located = |e: Error| e.at_key(prefix);
        let (mut found, directory, mut way) = (Listing::default(), self.directory(prefix)?, None);
        let Some(entries) = unless_absent(fs::read_dir(&directory)).map_err(located)? else {
            return Ok(found);
        };
        for entry in entries {
            let entry = entry.map_err(|e| located(e.into()))?;
            let name = entry.file_name();
            if name.to_str().is_some_and(is_partial) {
                continue;
            }
            // Otherwise it was removed since the directory was read.
            let Some(own) = unless_absent(entry.file_type()).map_err(located)? else { continue };
            let kind = match own.is_symlink() {
                true => fs::metadata(entry.path()).map_or(own, |m| m.file_type()),
                false => own,
            };
            let key = name.to_str().and_then(|name| prefix.key(name).ok());
            let Some(key) = key else {
                found.others.insert(format!("{prefix}{}", escaped(&name)), Other::Name);
                continue;
            };
            let mut leads_back = || {
                let way = way.get_or_insert_with(|| self.way_to(&directory));
                fs::canonicalize(entry.path()).is_ok_and(|target| way.contains(&target))
            };
            if kind.is_file() {
                found.keys.insert(key);
            } else if !kind.is_dir() {
                found.others.insert(key.to_string(), Other::NotAFile);
            } else if own.is_symlink() && leads_back() {
                found.others.insert(key.to_string(), Other::Loop);
            } else if has_values(&entry.path()) {
                found.prefixes.insert(Prefix::new(format!("{key}/"))?);
            } else {
                found.others.insert(key.to_string(), Other::EmptyDirectory);
            }
        }
        Ok(found)
    }
}

impl FilesystemStore {
    /// Returns the canonical paths of the directories from this one up to the root. An endless walk through links would
    /// have to enter one of these again, so a link to one of them is a loop.
    fn way_to(&self, directory: &Path) -> Vec<PathBuf> {
        let above = directory.ancestors().take_while(|above| above.starts_with(&self.root));
        above.filter_map(|above| fs::canonicalize(above).ok()).collect()
    }
}

/// Escapes bytes of a name that are not UTF-8 as `\xNN`.
fn escaped(name: &OsStr) -> String {
    let mut text = String::new();
    for part in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(part.valid());
        for byte in part.invalid() {
            let _infallible = write!(text, "\\x{byte:02x}");
        }
    }
    text
}
