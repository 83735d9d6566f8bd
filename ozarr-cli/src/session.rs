//! The state of a run: extensions, and the directories that they may read.

use crate::{
    args::Session as Args,
    output::{Status, print_status},
    words::Failure,
};
use ozarr::{
    Context, Error,
    plugins::{Discovery, Plugin, Search, trust},
    zarr_core::registry::Registry,
};
use std::{io, sync::Arc};

/// The context of the command, and the result of the search for plugins.
pub(crate) struct Session {
    pub(crate) context: Context,
    pub(crate) status: Status,
    /// The plugins given with `--plugin`.
    pub(crate) given: Vec<Arc<Plugin>>,
    pub(crate) found: Discovery,
}

impl Session {
    /// Collects built-in extensions, installed plugins, and those given with `--plugin`.
    pub(crate) fn new(args: &Args, is_fsync: bool) -> Result<Self, Failure> {
        if args.verbose {
            print_events();
        }
        let (mut registry, mut given) = (Registry::builtin(), Vec::new());
        for file in &args.plugins {
            if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
                let e = Error::argument(format!("{} is not a library", file.display()));
                return Err(e.with_hint("pass the library instead of the manifest to `--plugin`").into());
            }
            if let Err(distrust) = trust(file) {
                print_status(&format!("warning: {distrust}"));
            }
            let plugin = Plugin::open(file).map_err(Error::from)?;
            plugin.add_to(&mut registry)?;
            given.push(plugin);
        }
        let (mut context, found) = Context::with_registry(registry).with_plugins(&Search::standard()?)?;
        found.warnings.iter().for_each(|w| print_status(&format!("warning: {w}")));
        let registry = Arc::make_mut(&mut context.registry);
        if found.plugins.iter().any(|p| p.manifest.is_none()) {
            registry.advise("list refused plugins with `ozarr plugin list`");
        }
        registry.advise("install one with `ozarr plugin add FILE`");
        if is_fsync {
            context.schemes = context.schemes.with_fsync();
        }
        for root in &args.roots {
            let absolute = root.canonicalize();
            let absolute = absolute.map_err(|e| Failure::from(Error::from(e).at_key(root.display())).in_file(root))?;
            context.options.roots.push(absolute.to_string_lossy().into_owned());
        }
        Ok(Self { context, status: Status::new(args.quiet), given, found })
    }
}

/// Prints the events of the library on standard error.
fn print_events() {
    let events = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG);
    let _there_is_no_other = events.without_time().with_writer(io::stderr).try_init();
}
