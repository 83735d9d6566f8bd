//! The subject of checks of extensions: an extension of a registry.

use super::{
    samples::{Sample, Samples, word},
    trial,
};
use ozarr::{
    Error, Result,
    zarr_core::{
        call::Options,
        extension::{Extension, ExtensionPoint},
        limits::Limits,
        registry::{Constructor, CreateContext, Intent, Notes, Registration, Registry},
        representation::Representation,
    },
};
use std::{collections::BTreeSet, sync::OnceLock};

/// An extension to check.
#[derive(Debug, Clone)]
pub struct Subject {
    pub(super) registry: Registry,
    pub(super) point: ExtensionPoint,
    pub(super) name: String,
    pub(super) samples: Vec<Sample>,
    pub(super) limits: Limits,
    pub(super) options: Options,
    /// Created when a property needs them, since a plugin may crash on creation.
    pub(super) types: OnceLock<Vec<trial::Typed>>,
    /// Whether the extension can be created from some sample.
    pub(super) created: OnceLock<bool>,
}

impl Subject {
    /// Returns the extension that a registry has under a name.
    ///
    /// # Errors
    /// If the registry does not have it.
    pub fn new(registry: &Registry, point: ExtensionPoint, name: &str, samples: &Samples) -> Result<Self> {
        if registry.find(point, name).is_none() {
            return Err(registry.unknown(point, name));
        }
        let samples = samples.of(word(point), name);
        let (types, created) = (OnceLock::new(), OnceLock::new());
        let (registry, name, limits) = (registry.clone(), name.to_owned(), Limits::default());
        // Extensions that open files cannot be created without a folder that they may read.
        let roots = vec![std::env::temp_dir().to_string_lossy().into_owned()];
        let options = Options::DEFAULT.with_roots(roots);
        Ok(Self { registry, point, name, samples, limits, options, types, created })
    }
    /// Returns the extensions of a registry with this name; without a name, all extensions.
    ///
    /// # Errors
    /// If there is none, or a sample names an extension that does not exist.
    pub fn find(registry: &Registry, name: Option<&str>, samples: &Samples) -> Result<Vec<Self>> {
        samples.check(registry, &[])?;
        let wanted = |point: ExtensionPoint, n: &str| match name {
            Some(name) => name == n,
            // A family has no extension under its own name.
            None => registry.find(point, n).is_some_and(|r| r.name() == n && !r.is_family()),
        };
        let listed = registry.list().filter(|l| !l.shadowed).map(|l| (l.point, l.name.to_owned()));
        let mut names: BTreeSet<(ExtensionPoint, String)> = listed.filter(|(point, n)| wanted(*point, n)).collect();
        for point in ExtensionPoint::ALL {
            let of_family = |n: &&str| registry.find(point, n).is_some_and(Registration::is_family);
            names.extend(name.into_iter().filter(of_family).map(|n| (point, n.to_owned())));
            if name.is_none() {
                names.extend(samples.names(word(point)).filter(of_family).map(|n| (point, n.to_owned())));
            }
        }
        let found: Vec<Self> =
            names.iter().map(|(point, n)| Self::new(registry, *point, n, samples)).collect::<Result<_>>()?;
        match name {
            Some(name) if found.is_empty() => Err(Error::argument(format!("nothing is registered as `{name}`"))
                .with_hint("pass a plugin's library with `--plugin FILE`, or `--all`")),
            _ => Ok(found),
        }
    }
    /// Returns its extension point.
    pub fn point(&self) -> ExtensionPoint {
        self.point
    }
    pub(super) fn constructor(&self) -> Option<&Constructor> {
        self.registry.find(self.point, &self.name).map(Registration::constructor)
    }
    /// Returns the context for creating it, still without the name and the array.
    pub(super) fn create_context<'s>(&'s self, notes: &'s Notes, intent: Intent) -> CreateContext<'s> {
        CreateContext::new(&self.registry, &self.limits, notes, intent).with_options(&self.options)
    }
    /// Returns the first part of the ids of its cases, such as `codec/zstd`.
    pub fn id(&self) -> String {
        format!("{}/{}", word(self.point), self.name)
    }
    /// Returns the arrays for which to create it from a sample.
    pub(super) fn arrays(&self, sample: &Sample) -> Result<Vec<Representation>> {
        let shapes: Vec<Vec<u64>> = match &sample.shape {
            Some(shape) => vec![shape.clone()],
            None => [&[][..], &[1], &[7], &[3, 5], &[2, 3, 4]].iter().map(|s| s.to_vec()).collect(),
        };
        let types = self.types()?;
        Ok(shapes.iter().flat_map(|shape| types.iter().map(|t| t.array(shape))).collect())
    }
    /// Returns the data types of the registry.
    pub(super) fn types(&self) -> Result<&[trial::Typed]> {
        if let Some(types) = self.types.get() {
            return Ok(types);
        }
        let types = trial::data_types(&self.registry, &self.limits)?;
        Ok(self.types.get_or_init(|| types))
    }
    /// Returns an array for extensions that are independent of its elements.
    pub(super) fn array(&self, shape: &[u64]) -> Result<Representation> {
        let first = self.types()?.first().ok_or_else(|| Error::argument("the registry has no data types"))?;
        Ok(first.array(shape))
    }
    /// Returns each sample with its extension.
    pub(super) fn extensions(&self) -> Result<Vec<(&Sample, Extension)>> {
        self.samples.iter().map(|s| Ok((s, s.extension()?))).collect()
    }
}
