//! Settings that all nodes of a hierarchy share.

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

/// Registry, limits, run-time options and threads that all nodes of a hierarchy share.
///
/// An application usually creates one context and opens all hierarchies in it. Cheap to clone.
///
/// ```
/// use ozarr::{Context, Hierarchy, NewArray};
/// # let dir = tempfile::tempdir()?; let path = dir.path().join("data.zarr");
///
/// let mut context = Context::new().with_threads(2)?;
/// context.limits.memory = 1 << 30;
/// context.missing_chunk_is_error = true;
///
/// let hierarchy = Hierarchy::options().create().context(context).open(&path)?;
/// let array = hierarchy.create_array("/a", NewArray::of::<f32>([4]))?;
/// assert!(array.read::<f32>(..).is_err(), "no chunk is stored");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Context {
    /// The extensions that arrays may use.
    pub registry: Arc<Registry>,
    /// Limits on what metadata and chunks may request, such as memory.
    pub limits: Limits,
    /// Choices of the writer that are not recorded in metadata.
    pub options: Options,
    /// Whether reading a chunk that is not stored is an error. If `false`, which is the default, its elements are the
    /// fill value.
    pub missing_chunk_is_error: bool,
    /// The URI schemes, and how each opens a store.
    pub schemes: Schemes,
    executor: Arc<dyn Executor>,
    buffers: Arc<Buffers>,
}

impl Context {
    /// Creates a context with the built-in extensions, the default limits, half of the machine's memory and all of its
    /// threads.
    ///
    /// ```
    /// use ozarr::{Context, zarr_core::extension::ExtensionPoint};
    ///
    /// let context = Context::new();
    /// assert!(context.registry.find(ExtensionPoint::Codec, "bytes").is_some());
    /// assert!(context.threads() >= 1);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }
    /// Creates a context with the extensions of a registry and no others. Start from [`Registry::builtin`].
    ///
    /// The module [`extension`](crate::extension) adds a codec to a registry and uses it.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, NewArray, extension::Registry, store::MemoryStore};
    ///
    /// let none = Hierarchy::new(MemoryStore::default(), Context::with_registry(Registry::empty()));
    /// assert!(none.create_array("/a", NewArray::new([4], "uint8")).is_err(), "the registry has no data types");
    ///
    /// let all = Hierarchy::new(MemoryStore::default(), Context::with_registry(Registry::builtin()));
    /// assert!(all.create_array("/a", NewArray::new([4], "uint8")).is_ok());
    /// # Ok::<(), ozarr::Error>(())
    /// ```
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
    /// Adds the plugins that a search finds, and returns them with its warnings.
    ///
    /// Each plugin is loaded when one of its names is first used. The returned [`Discovery`](crate::plugins::Discovery)
    /// lists what was found and refused, for the application to show to its user.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, plugins::Search};
    ///
    /// let search = Search::standard()?;
    /// # let dir = tempfile::tempdir()?;
    /// # let places = ozarr::plugins::Places { folders: vec![dir.path().to_owned()], ..Default::default() };
    /// # let (search, path) = (Search { places, ..Default::default() }, dir.path().join("data.zarr"));
    /// let (context, found) = Context::new().with_plugins(&search)?;
    /// for warning in &found.warnings {
    ///     eprintln!("warning: {warning}");
    /// }
    /// assert!(found.folders.iter().all(|(_, could_be_read)| *could_be_read));
    /// let hierarchy = Hierarchy::options().create().context(context).open(&path)?;
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If two plugins in the same place have the same name and neither was refused.
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
    /// Runs work on another executor. With [`Sequential`](zarr_core::call::Sequential), no other threads are used.
    ///
    /// ```
    /// use ozarr::{Context, zarr_core::call::Sequential};
    /// use std::sync::Arc;
    ///
    /// let context = Context::new().with_executor(Arc::new(Sequential));
    /// assert_eq!(context.threads(), 1);
    /// ```
    pub fn with_executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.executor = executor;
        self
    }
    /// Uses a thread pool of its own with this many threads, at least one, in place of the pool of the process.
    ///
    /// ```
    /// use ozarr::{Context, Hierarchy, store::MemoryStore};
    ///
    /// let hierarchy = Hierarchy::new(MemoryStore::default(), Context::new().with_threads(2)?);
    /// assert_eq!(hierarchy.context().threads(), 2);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the system cannot start the threads.
    pub fn with_threads(self, threads: usize) -> Result<Self> {
        Ok(self.with_executor(platform::threads::executor(threads)?))
    }
    /// How many threads read and write chunks, at least one.
    ///
    /// ```
    /// use ozarr::Context;
    ///
    /// assert_eq!(Context::new().with_threads(3)?.threads(), 3);
    /// assert_eq!(Context::new().with_threads(0)?.threads(), 1);
    /// # Ok::<(), ozarr::Error>(())
    /// ```
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
