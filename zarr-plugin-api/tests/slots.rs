//! Every trait method that a plugin may override has a slot in the ABI. Without a slot, the method would work in a
//! linked extension but silently use the default in a loaded one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::collections::BTreeSet;
use zarr_plugin_api::abi;

/// Returns the methods of a trait, read from the source of zarr-core.
fn methods<'s>(source: &'s str, name: &str) -> Vec<&'s str> {
    let start = source.find(&format!("pub trait {name}")).unwrap_or_else(|| panic!("no trait {name}"));
    let body = &source[start..];
    let end = body.find("\n}\n").unwrap();
    let names = body[..end].lines().filter_map(|l| l.strip_prefix("    fn "));
    names.map(|l| l.split(['(', '<']).next().unwrap()).collect()
}

/// Returns the members of a struct of the ABI that are functions or properties of a kind: all except those that every
/// struct has.
fn slots(name: &str) -> BTreeSet<&'static str> {
    let head = ["struct_size", "reserved0", "create", "destroy", "configuration", "abilities"];
    let found = abi::structs().find(|s| s.name == name).unwrap_or_else(|| panic!("no struct {name}"));
    found.members.iter().map(|(m, ..)| *m).filter(|m| !head.contains(m)).collect()
}

/// Methods that do not cross, because they would never be called there: orphaned temporary files are erased, and new
/// nodes are staged, in the store that has the files, not in the store that a plugin's storage transformer wraps around
/// it.
const STAY: [&str; 3] = ["erase_orphans", "list_orphans", "stage"];

#[test]
fn every_method_has_a_slot() {
    let codec = include_str!("../../zarr-core/src/codec/mod.rs");
    let data_type = include_str!("../../zarr-core/src/data_type/mod.rs");
    let chunk_grid = include_str!("../../zarr-core/src/chunk_grid/mod.rs");
    let key_encoding = include_str!("../../zarr-core/src/chunk_key_encoding/mod.rs");
    let transformer = include_str!("../../zarr-core/src/storage_transformer/mod.rs");
    let store = include_str!("../../zarr-core/src/store/mod.rs");
    let source = include_str!("../../zarr-core/src/source/mod.rs");
    // The traits, their source, the struct, methods whose slot has another name, and members that are not methods.
    type Renamed<'t> = &'t [(&'t str, &'t str)];
    type Row<'t> = (&'t [&'t str], &'t str, &'t str, Renamed<'t>, &'t [&'t str]);
    let table: [Row<'_>; 9] = [
        (&["BytesToBytes"], codec, "zp_bytes_to_bytes", &[("decoded_source", "decoded_read")], &[]),
        (
            &["ArrayToBytes", "PartialDecode", "PartialEncode"],
            codec,
            "zp_array_to_bytes",
            // An ability exists if its slot does.
            &[("decode_region", "partial_decode"), ("partial_encode", "update"), ("update_region", "update")],
            &[],
        ),
        (&["ArrayToArray"], codec, "zp_array_to_array", &[("decode_strategy", "plan")], &[]),
        (&["DataType", "CheckElements"], data_type, "zp_data_type", &[("check", "check_elements")], &[]),
        (&["ChunkGrid"], chunk_grid, "zp_chunk_grid", &[("chunk_region", "cell"), ("chunk_index_of", "cell_of")], &[]),
        (&["ChunkKeyEncoding"], key_encoding, "zp_chunk_key_encoding", &[], &[]),
        (&["StorageTransformer"], transformer, "zp_storage_transformer", &[], &[]),
        (
            &["Store", "ReadableStore", "WriteableStore", "ListableStore"],
            store,
            "zp_store",
            &[("readable", "abilities"), ("writeable", "abilities"), ("listable", "abilities")],
            &["this", "release"],
        ),
        (&["Source"], source, "zp_reader", &[("cached", "memo")], &["flags", "host", "release"]),
    ];
    for (traits, source, name, renamed, others) in table {
        let mut slots = slots(name);
        if name == "zp_store" {
            slots.insert("abilities");
        }
        let mut used: BTreeSet<&str> = others.iter().copied().collect();
        for method in traits.iter().flat_map(|t| methods(source, t)).filter(|m| !STAY.contains(m)) {
            let slot = renamed.iter().find(|(m, _)| *m == method).map_or(method, |(_, s)| s);
            assert!(slots.contains(slot), "{traits:?}: `{method}` has no slot in {name}");
            used.insert(slot);
        }
        let unused: Vec<_> = slots.iter().filter(|s| !used.contains(*s)).collect();
        assert!(unused.is_empty(), "{name} has slots without a method: {unused:?}");
    }
}

/// The other items of `ExtensionType`: names and capabilities are in the descriptor, and `to_extension` follows from the
/// name and the configuration.
#[test]
fn static_items_have_slots() {
    let named = include_str!("../../zarr-core/src/registry/registration.rs");
    assert_eq!(
        methods(named, "ExtensionType"),
        ["matches", "create", "configuration", "to_extension"],
        "families of names are refused"
    );
    let start = named.find("pub trait ExtensionType").unwrap();
    let consts: Vec<&str> = named[start..start + named[start..].find("\n}\n").unwrap()]
        .lines()
        .filter_map(|l| l.strip_prefix("    const "))
        .map(|l| l.split(':').next().unwrap())
        .collect();
    let expected = ["NAME", "ALIASES", "LOSSY", "FAMILY"];
    assert_eq!(consts, expected, "each has its place in `zp_extension`, but for families, which are refused");
}
