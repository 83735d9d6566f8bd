//! The static and the dynamic build of every plugin in Rust store the same bytes.

use std::process::Command;
use zarr_conformance::third_party;

#[test]
fn linked_and_loaded_plugins_store_the_same() {
    let mut command = Command::new(third_party::static_and_dynamic().unwrap());
    third_party::IN_RUST.iter().for_each(|name| {
        command.arg(third_party::rust(name).unwrap());
    });
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compared: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(compared >= 90, "only {compared} arrays were compared");
}
