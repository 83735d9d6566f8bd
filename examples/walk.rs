//! Prints the nodes of a hierarchy.
//!
//! `cargo run -p ozarr-examples --bin walk -- FOLDER`

use ozarr::{Hierarchy, NewArray, Node, Result};

fn main() -> Result<()> {
    let hierarchy = match std::env::args_os().nth(1) {
        Some(folder) => Hierarchy::options().read_only().open(folder)?,
        None => sample()?,
    };

    // The whole tree.
    print!("{hierarchy}");

    // Node by node: a node that cannot be opened does not hide the others.
    let (mut arrays, mut bytes) = (0, 0);
    for child in hierarchy.group("/")?.walk() {
        let child = child?;
        match child.node {
            Ok(Node::Array(array)) => {
                arrays += 1;
                bytes += array.nbytes().unwrap_or_default();
            }
            Ok(Node::Group(_)) => {}
            Err(e) => eprintln!("{}: {e}", child.path),
        }
    }
    println!("{arrays} arrays, {bytes} bytes of elements");
    Ok(())
}

fn sample() -> Result<Hierarchy> {
    let hierarchy = Hierarchy::in_memory();
    hierarchy.create_array("/ocean/temperature", NewArray::of::<f32>([180, 360]))?;
    hierarchy.create_array("/ocean/salinity", NewArray::of::<f32>([180, 360]).chunks([90, 90]))?;
    hierarchy.create_group("/land", ())?;
    let ocean = hierarchy.group("/ocean")?;
    assert_eq!(ocean.names()?, ["salinity", "temperature"]);
    assert_eq!(ocean.arrays()?.count(), 2);
    Ok(hierarchy)
}
