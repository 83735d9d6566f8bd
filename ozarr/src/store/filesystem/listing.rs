//! The keys of a directory, and the entries that are not values.

use super::{
    FilesystemStore,
    temporary::{has_values, is_partial},
    unless_absent,
};
use std::{collections::BTreeSet, ffi::OsStr, fmt::Write, fs};
use zarr_core::{
    Error, Result,
    store::{Key, ListableStore, Listing, Other, Prefix},
};

impl ListableStore for FilesystemStore {
    /// Temporary files and directories that no writer uses any more, also beside the directory of the prefix if they were to
    /// take its place: those are called by their whole path if they are outside the store.
    fn list_orphans(&self, prefix: &Prefix) -> Result<Vec<String>> {
        self.orphans(prefix, false)
    }
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let located = |e: Error| e.at_key(prefix);
        let mut found = Listing::default();
        let Some(entries) = unless_absent(fs::read_dir(self.directory(prefix)?)).map_err(located)? else {
            return Ok(found);
        };
        for entry in entries {
            let entry = entry.map_err(|e| located(e.into()))?;
            let name = entry.file_name();
            if name.to_str().is_some_and(is_partial) {
                continue;
            }
            let kind = match unless_absent(entry.file_type()).map_err(located)? {
                Some(kind) if kind.is_symlink() => fs::metadata(entry.path()).map_or(kind, |m| m.file_type()),
                Some(kind) => kind,
                // Removed since the directory was read.
                None => continue,
            };
            let key = name.to_str().and_then(|name| prefix.key(name).ok());
            let Some(key) = key else {
                found.others.insert(format!("{prefix}{}", escaped(&name)), Other::Name);
                continue;
            };
            // Reading a link to nothing gives an error, so it is listed as a key.
            if kind.is_file() || kind.is_symlink() {
                found.keys.insert(key);
            } else if !kind.is_dir() {
                found.others.insert(key.to_string(), Other::NotAFile);
            } else if has_values(&entry.path()) {
                found.prefixes.insert(Prefix::new(format!("{key}/"))?);
            } else {
                found.others.insert(key.to_string(), Other::EmptyDirectory);
            }
        }
        Ok(found)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let (mut keys, mut left) = (BTreeSet::new(), vec![prefix.clone()]);
        while let Some(prefix) = left.pop() {
            let found = self.list_dir(&prefix)?;
            keys.extend(found.keys);
            for prefix in found.prefixes {
                if !self.leads_back(&self.directory(&prefix)?) {
                    left.push(prefix);
                }
            }
        }
        Ok(keys)
    }
}

/// A name, with bytes that are not UTF-8 as `\xNN`.
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
