//! Checks of the library as a file, without running its code.

use crate::check::{Check, Finding, Verdict, ensure};
use object::{Object, ObjectSymbol};
use ozarr::plugins::{Candidate, Manifest};
use std::path::Path;

pub(super) const CHECKS: &[Check<Path>] = &[
    Check { id: "manifest", clause: "abi/manifest", run: |file, _| manifest(file) },
    Check { id: "one-symbol", clause: "abi/one-symbol", run: |file, _| one_symbol(file) },
];

/// The library contains a manifest. A manifest file next to it agrees with it, and contains the library's SHA-256.
fn manifest(file: &Path) -> Verdict {
    let within = Manifest::embedded(file)?;
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.to_string_lossy().ends_with(".zarrplugin.json") {
            continue;
        }
        // A manifest that cannot be read may belong to another plugin.
        let Ok(installed) = Manifest::installed(&path) else { continue };
        let of_this =
            installed.libraries.iter().find(|l| folder.join(&l.path).canonicalize().ok() == file.canonicalize().ok());
        let Some(library) = of_this else { continue };
        let same = Manifest { libraries: Vec::new(), ..installed.clone() } == within;
        ensure(same, || format!("{} differs from the manifest in the library", path.display()))?;
        let hash = Candidate::hash(file)?;
        ensure(library.sha256 == hash, || {
            format!("{} has the hash {}, but the library has {hash}", path.display(), library.sha256)
        })?;
    }
    Ok(())
}

/// The entry function is the only symbol that the library exports.
fn one_symbol(file: &Path) -> Verdict {
    // Symbols that linkers add.
    const OF_LINKERS: [&str; 9] =
        ["_init", "_fini", "__bss_start", "_edata", "_end", "_bss_end__", "__bss_end__", "__end__", "__bss_start__"];
    let bytes = std::fs::read(file)?;
    let library = object::File::parse(&*bytes).map_err(|e| Finding::Broken(e.to_string()))?;
    let shown = library.dynamic_symbols().filter(|s| s.is_definition() && !s.is_local());
    let mut names: Vec<&str> = shown.filter_map(|s| s.name().ok()).filter(|n| !OF_LINKERS.contains(n)).collect();
    names.sort_unstable();
    names.dedup();
    let entry = ozarr::plugins::ENTRY;
    ensure(names == [entry], || format!("it exports {}, not {entry} alone", names.join(", ")))
}
