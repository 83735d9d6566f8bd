//! The directory of the plugins that this user installed.

use ozarr::{
    Error, Result,
    plugins::{Manifest, Places, ProvidedExtension},
    zarr_core::json::{Json, Object},
};
use std::{
    fs::File,
    path::{Path, PathBuf},
};

pub(super) fn user_folder() -> Result<PathBuf> {
    let none = || Error::argument("there is no folder for data of this user").with_hint("set HOME or XDG_DATA_HOME");
    Places::of_user().ok_or_else(none)
}

/// Returns the manifests of the plugins in a directory, sorted by path.
pub(super) fn installed(folder: &Path) -> Vec<(PathBuf, Manifest)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let manifests = entries.filter(|p| p.to_string_lossy().ends_with(".zarrplugin.json"));
    let mut read: Vec<_> = manifests.filter_map(|p| Some((p.clone(), Manifest::installed(&p).ok()?))).collect();
    read.sort_by(|(a, _), (b, _)| a.cmp(b));
    read
}

/// Locks the directory against other runs of the command until the file is dropped. Without the lock, two runs at the
/// same time could install plugins that offer the same name. Windows cannot open directories, and NFS cannot lock them:
/// there the command works without a lock.
pub(super) fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.lock().ok().map(|()| file)
}

/// Removes a library that a manifest names, if it lies directly in the directory.
pub(super) fn remove_file(folder: &Path, name: &str) {
    let plain = Path::new(name).file_name().is_some_and(|f| f == name);
    if plain {
        let _gone_already = std::fs::remove_file(folder.join(name));
    }
}

pub(super) fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Returns the extensions that a plugin offers, as JSON.
pub(super) fn names(manifest: &Manifest) -> Json {
    let one = |o: &ProvidedExtension| {
        let mut e: Object = [("name", o.name.as_str())].into_iter().collect();
        e.set("kind", Json::from_serialize(&o.kind).unwrap_or(Json::Null));
        e.set("aliases", o.aliases.iter().map(|a| Json::from(a.as_str())).collect::<Json>());
        e
    };
    manifest.extensions.iter().map(one).collect()
}
