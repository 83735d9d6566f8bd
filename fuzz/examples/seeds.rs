//! Writes the initial corpora: chunks encoded by Ozarr, and the documents of the golden cases.

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
    // Short inputs that expand to long documents: see `grammar`.
    let array = |codecs: &[u8]| {
        let before = br#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["#;
        [&before[..], codecs, b"]}"].concat()
    };
    let transpose = br#"{"name":"transpose","configuration":{"order":[0]}},"#;
    let shard = br#"{"name":"sharding_indexed","configuration":{"chunk_shape":[4],"codecs":["#;
    let end = br#"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}"#;
    let seeds: [(&str, Vec<u8>); 6] = [
        ("many-codecs", array(&[&[1, 0x47, 9, transpose.len() as u8], &transpose[..], b"\"bytes\""].concat())),
        ("some-codecs", array(&[&[1, 31, 0, transpose.len() as u8], &transpose[..], b"\"bytes\""].concat())),
        ("many-checksums", array(b"\"bytes\"\x01\x1e\x00\x09,\"crc32c\"")),
        (
            "deep-shards",
            array(&[&[2, 8, 0, shard.len() as u8, end.len() as u8], &shard[..], end, b"\"bytes\""].concat()),
        ),
        (
            "deep-lists",
            b"{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"a\":\x02\x7d\x00\x01\x01[]1}}".to_vec(),
        ),
        (
            "many-members",
            b"{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\x01\x10\x27\x06\"\x03\":1,\"a\":1}}".to_vec(),
        ),
    ];
    for (name, seed) in seeds {
        for target in ["metadata", "json"] {
            fs::write(here.join("corpus").join(target).join(name), &seed)?;
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
