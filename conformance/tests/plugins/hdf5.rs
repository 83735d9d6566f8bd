//! A data set in an HDF5 file is read in place through four plugins: the manifest and its three filters.

use super::{context, create};
use ozarr::Json;
use ozarr::{
    Context, Hierarchy, Result,
    store::OpenMode,
    zarr_core::{json::Object, metadata::ArrayMetadata},
};
use std::path::Path;
use zarr_conformance::{elements::read_elements, peers};

fn metadata() -> ArrayMetadata {
    let text = r#"{
        "zarr_format": 3, "node_type": "array", "shape": [50, 33], "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16, 10]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": -1.0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "numcodecs.shuffle", "configuration": {"elementsize": 8}},
            {"name": "numcodecs.zlib", "configuration": {"level": 4}},
            {"name": "numcodecs.fletcher32", "configuration": {}}
        ],
        "storage_transformers": [{"name": "zarr.chunk-manifest", "configuration": {"manifest": "manifest.json"}}]
    }"#;
    let document: Object = text.parse::<Json>().unwrap().as_object().unwrap().clone();
    ArrayMetadata::from_object(document, &Default::default()).unwrap()
}

fn read(store: &Path, context: &Context) -> Result<Vec<Vec<u8>>> {
    let opened = Hierarchy::options().mode(OpenMode::ReadOnly).context(context.clone()).open(store)?;
    read_elements(&opened.array("/")?)
}

#[test]
fn an_hdf5_data_set_is_read_in_place() {
    let mut context = context(&["chunk-manifest", "numcodecs-shuffle", "numcodecs-zlib", "numcodecs-fletcher32"]);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let [h5, manifest, elements] = ["air.h5", "manifest.json", "elements"].map(|n| data.join(n));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/hdf5.py");
    let arguments = [&h5, &manifest, &elements].map(|p| p.to_str().unwrap());
    peers::script(&script, &arguments).unwrap();

    let store = dir.path().join("air.zarr");
    context.options.roots = vec![data.to_string_lossy().into_owned()];
    create(&store, &context).create_array_from("/", metadata(), false).unwrap();
    let wanted = std::fs::read(&elements).unwrap();
    assert_eq!(read(&store, &context).unwrap().concat(), wanted);
    let stored: Vec<_> = std::fs::read_dir(&store).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(stored, ["zarr.json"], "nothing was copied");

    // Damage is detected by the checksum that HDF5 wrote.
    let mut bytes = std::fs::read(&h5).unwrap();
    let entries = std::fs::read_to_string(&manifest).unwrap().parse::<Json>().unwrap();
    let offset = entries.as_object().unwrap().get("c/0/0").unwrap().as_object().unwrap().get("offset").unwrap();
    bytes[offset.as_u64().unwrap() as usize + 9] ^= 1;
    std::fs::write(&h5, &bytes).unwrap();
    let e = read(&store, &context).unwrap_err();
    assert!(e.to_string().contains("checksum"), "{e}");

    // Without an allowed folder nothing is opened, and the error states how to allow it.
    context.options.roots.clear();
    let e = read(&store, &context).unwrap_err();
    assert!(e.hint().is_some_and(|h| h.contains("--allow-root")), "{e}");
    context.options.roots = vec![store.to_string_lossy().into_owned()];
    assert!(read(&store, &context).is_err(), "the manifest lies elsewhere");
}
