//! What all nodes of a hierarchy share.

#[cfg(feature = "plugins")]
use crate::event::event;
use crate::{platform, store::Schemes};
use std::{fmt, sync::Arc};
use zarr_core::{
    Result,
    call::{Buffers, CallContext, Executor, Options},
    limits::Limits,
    registry::Registry,
};

/// Registry, limits, run-time options and threads. Cheap to clone; made once by an application.
#[derive(Clone)]
pub struct Context {
    /// The extensions that can be used.
    pub registry: Arc<Registry>,
    /// What data from outside may ask for.
    pub limits: Limits,
    /// Choices of the writer that never enter metadata.
    pub options: Options,
    /// What reading a chunk that is not stored does: `false` gives the fill value, `true` an error.
    pub missing_chunk_is_error: bool,
    /// How locations are opened.
    pub schemes: Schemes,
    executor: Arc<dyn Executor>,
    buffers: Arc<Buffers>,
}

impl Context {
    /// Built-in extensions, default limits, half of the machine's memory, all of its threads.
    pub fn new() -> Self {
        Self::default()
    }
    /// A context with the extensions of a registry and no others; [`Registry::builtin`] is a registry to start from.
    pub fn with_registry(registry: Registry) -> Self {
        let mut limits = Limits::default();
        if let Some(memory) = platform::memory::of_the_machine() {
            limits.memory = memory / 2;
        }
        Self {
            registry: Arc::new(registry),
            limits,
            options: Options::default(),
            missing_chunk_is_error: false,
            schemes: Schemes::default(),
            executor: platform::threads::global(),
            buffers: Arc::default(),
        }
    }
    /// Adds the plugins that a search finds: each is loaded when one of its names is first used. Gives what was found
    /// too, for what the user should know of it.
    ///
    /// # Errors
    /// When two plugins of one place have the same name and neither was refused.
    #[cfg(feature = "plugins")]
    pub fn with_plugins(mut self, search: &crate::plugins::Search) -> Result<(Self, crate::plugins::Discovery)> {
        let found = search.find();
        for warning in &found.warnings {
            event!(WARN, "plugins", warning = warning);
        }
        for plugin in &found.plugins {
            let file = plugin.file.display();
            match &plugin.refused {
                Some(reason) => event!(WARN, "refused a plugin", file = file, reason = reason),
                None => event!(DEBUG, "found a plugin", file = file),
            }
        }
        let mut registry = Registry::clone(&self.registry);
        found.register(&mut registry)?;
        self.registry = Arc::new(registry);
        Ok((self, found))
    }
    /// Uses other threads: for instance none, with [`Sequential`](zarr_core::call::Sequential).
    pub fn with_executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = executor;
        self
    }
    /// Uses this many threads of its own, at least one, in place of those of the process.
    ///
    /// # Errors
    /// When the system does not start them.
    pub fn with_threads(self, threads: usize) -> Result<Self> {
        Ok(self.with_executor(platform::threads::executor(threads)?))
    }
    /// How many threads read and write chunks, at least one.
    pub fn threads(&self) -> usize {
        self.executor.threads().max(1)
    }
    pub(crate) fn call(&self) -> CallContext<'_> {
        let Self { limits, options, executor, buffers, .. } = self;
        CallContext { limits, options, executor: &**executor, buffers }.within_chunk()
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::with_registry(Registry::builtin())
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("limits", &self.limits).field("options", &self.options).finish_non_exhaustive()
    }
}
