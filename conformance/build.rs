//! The cases are built in: what is added to them is to be seen.

fn main() {
    println!("cargo::rerun-if-changed=cases");
}
