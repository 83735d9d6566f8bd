//! What a run of the command works with: extensions, and what they may open.

use crate::{args::Session as Args, output::say};
use zarr_array::{
    Context, Error, Result,
    core::registry::Registry,
    plugins::{Found, Plugin, Search, trust},
};

/// The context of the command, and what the search for plugins found.
pub(crate) struct Session {
    pub(crate) context: Context,
    pub(crate) found: Found,
}

impl Session {
    /// Built-in extensions, plugins that are installed, and those that were asked for.
    pub(crate) fn new(args: &Args) -> Result<Self> {
        let mut registry = Registry::builtin()?;
        for file in &args.plugins {
            if let Err(distrust) = trust(file) {
                say(&format!("warning: {distrust}"));
            }
            Plugin::open(file)?.add_to(&mut registry)?;
        }
        let (mut context, found) = Context::with_registry(registry).with_plugins(&Search::standard()?)?;
        found.warnings.iter().for_each(|w| say(&format!("warning: {w}")));
        for root in &args.roots {
            let root = root.canonicalize().map_err(|e| Error::from(e).at_key(root.display()))?;
            context.options.roots.push(root.to_string_lossy().into_owned());
        }
        Ok(Self { context, found })
    }
}
