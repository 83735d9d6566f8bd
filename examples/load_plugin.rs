//! Loads plugins, and writes and reads an array that needs the codec of one of them.
//!
//! ```sh
//! cargo build --features plugin --manifest-path plugins/numcodecs-lz4/Cargo.toml --target-dir target/plugins
//! cargo run -p ozarr-examples --bin load_plugin -- target/plugins/debug/libnumcodecs_lz4.so
//! ```
//!
//! Once `ozarr plugin add` has installed the library, the path can be left out.

use ozarr::{
    Context, ErrorKind, Hierarchy, Json, NewArray, Result,
    extension::Registry,
    plugins::{Plugin, Search},
    store::MemoryStore,
};
use std::sync::Arc;

fn main() -> Result<()> {
    // All plugins that the user has installed. Each is loaded when one of its names is first used.
    let (mut context, found) = Context::new().with_plugins(&Search::standard()?)?;
    for warning in &found.warnings {
        eprintln!("warning: {warning}");
    }
    println!("installed plugins: {}", found.plugins.len());

    // A single plugin from a file.
    if let Some(library) = std::env::args_os().nth(1) {
        let plugin = Plugin::open(library.as_ref())?;
        println!("opened {} {}", plugin.id(), plugin.version());
        let mut registry = Registry::clone(&context.registry);
        plugin.add_to(&mut registry)?;
        context.registry = Arc::new(registry);
    }

    let store = MemoryStore::default();
    let hierarchy = Hierarchy::new(store.clone(), context);
    let lz4: Json = r#"{"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}"#.parse()?;
    hierarchy.create_array("/a", NewArray::of::<u16>([1000]).compressor(lz4))?.write(.., &[7u16; 1000])?;
    let array = hierarchy.array("/a")?;
    assert_eq!(array.read::<u16>(..)?, [7; 1000]);
    println!("{array}");

    // A program that loads no plugins cannot open it.
    let e = Hierarchy::new(store, Context::new()).array("/a").err();
    if let Some(ErrorKind::UnknownExtension { point, name }) = e.as_ref().map(ozarr::Error::kind) {
        println!("without plugins: unknown {point} {name}");
    }
    Ok(())
}
