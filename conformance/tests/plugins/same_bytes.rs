//! The static and the dynamic build of every plugin in Rust store the same bytes.

use std::process::Command;
use zarr_conformance::strangers;

#[test]
fn linked_and_loaded_plugins_store_the_same() {
    let mut command = Command::new(strangers::static_and_dynamic().unwrap());
    strangers::IN_RUST.iter().for_each(|name| {
        command.arg(strangers::rust(name).unwrap());
    });
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let compared: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(compared >= 90, "only {compared} arrays were compared");
}
