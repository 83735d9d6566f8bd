//! Writes what the corpora begin with: chunks as we write them, and the documents of the golden cases.

use std::{fs, io, path::Path};
use zarr_fuzz::{CHUNKS, Chunk};

fn documents(folder: &Path, found: &mut Vec<Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            documents(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(fs::read(&path)?);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (target, ..) in CHUNKS {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for step in 1..4 {
            fs::write(folder.join(format!("seed-{step}")), Chunk::new(target).seed(step))?;
        }
    }
    let mut found = Vec::new();
    documents(&here.join("../conformance/cases"), &mut found)?;
    found.retain(|text| text.len() < 2000);
    found.sort();
    found.dedup();
    for target in ["metadata", "json"] {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (i, text) in found.iter().step_by(found.len() / 60 + 1).enumerate() {
            fs::write(folder.join(format!("seed-{i}")), text)?;
        }
    }
    let folder = here.join("corpus/manifest");
    fs::create_dir_all(&folder)?;
    let manifest = here.join("../plugins/numcodecs-lz4/zarrplugin.json");
    if manifest.exists() {
        fs::copy(manifest, folder.join("seed-0"))?;
    }
    let folder = here.join("corpus/keys");
    fs::create_dir_all(&folder)?;
    for (i, key) in
        ["c/0/1", "0.1", "c", "a/b/zarr.json", "../outside", "a//b", "/", "c/1/..", "__x", "a/"].iter().enumerate()
    {
        fs::write(folder.join(format!("seed-{i}")), key)?;
    }
    Ok(())
}
