//! Plugins, each built outside the tree and loaded: the bytes that they store, the implementations with which they are
//! compatible, and the effects of faults.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

mod combinations;
mod compatibility;
mod discovery;
mod faulty;
mod goldens;
mod hdf5;
mod interop;
mod same_bytes;
mod transformers;
mod tutorial;

use ozarr::{
    Context, Hierarchy,
    plugins::Plugin,
    store::OpenMode,
    zarr_core::{call::CallContext, registry::Registry},
};
use std::{path::Path, sync::Arc};
use zarr_conformance::third_party;
use zarr_plugin_api::testing::Bench;

/// Loads a plugin of `plugins/`.
fn load(name: &str) -> Arc<Plugin> {
    let library = if name == "numcodecs-fletcher32" { third_party::c_plugin(name) } else { third_party::rust(name) };
    Plugin::open(&library.unwrap()).unwrap()
}

/// Returns a context with the built-in extensions and those of plugins.
fn context(plugins: &[&str]) -> Context {
    let mut registry = Registry::builtin();
    plugins.iter().for_each(|name| load(name).add_to(&mut registry).unwrap());
    Context::with_registry(registry)
}

fn create(path: &Path, context: &Context) -> Hierarchy {
    Hierarchy::options().mode(OpenMode::Create).context(context.clone()).open(path).unwrap()
}

/// Runs a function with a call context of one thread.
fn call<R>(f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    f(&Bench::new().call())
}
