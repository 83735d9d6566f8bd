//! Extensions: the laws of each extension point, tried on what a registry holds under a name.

mod abilities;
mod arrays;
mod chunk_grid;
mod chunk_key_encoding;
mod codec;
mod configuration;
mod data_type;
mod samples;
mod storage_transformer;
pub(crate) mod trial;
pub(crate) mod value;

pub use samples::{Sample, Samples};

use crate::{
    check::{Check, Settings},
    report::{Outcome, Record},
};
use ozarr::{
    Error, Result,
    core::{
        call::Options,
        extension::{Extension, ExtensionPoint},
        limits::Limits,
        registry::{Constructor, CreateContext, Intent, Notes, Registration, Registry},
        representation::Representation,
    },
};
use std::{collections::BTreeSet, sync::OnceLock};

/// An extension to be checked.
#[derive(Debug, Clone)]
pub struct Subject {
    registry: Registry,
    point: ExtensionPoint,
    name: String,
    samples: Vec<Sample>,
    limits: Limits,
    options: Options,
    /// Made when a law needs them, since a plugin may die of that.
    types: OnceLock<Vec<trial::Typed>>,
    /// Whether it is created from some sample.
    created: OnceLock<bool>,
}

/// How an extension point is called in ids of cases.
pub fn word(point: ExtensionPoint) -> &'static str {
    match point {
        ExtensionPoint::DataType => "data_type",
        ExtensionPoint::ChunkGrid => "chunk_grid",
        ExtensionPoint::ChunkKeyEncoding => "chunk_key_encoding",
        ExtensionPoint::Codec => "codec",
        ExtensionPoint::StorageTransformer => "storage_transformer",
    }
}

/// Tries everything that has to hold for a linked extension, with each of these configurations. For its tests: `point` is a
/// word of [`Sample::point`].
///
/// # Errors
/// When there is no such extension, or a configuration is no JSON object.
///
/// # Panics
/// With the first law that is broken.
#[track_caller]
#[allow(clippy::panic, reason = "a law that is broken fails its test")]
pub fn assert_laws(point: &str, name: &str, configurations: &[&str]) -> Result<()> {
    let samples = Samples::from_configurations(point, name, configurations)?;
    for subject in Subject::find(&Registry::builtin(), Some(name), &samples)? {
        subject.run(&Settings::default(), &mut |record| match record.outcome {
            Outcome::Fail(_) => panic!("{record:?}"),
            _ => {}
        });
    }
    Ok(())
}

impl Subject {
    /// The extension that a registry has under a name.
    ///
    /// # Errors
    /// When it has none.
    pub fn new(registry: &Registry, point: ExtensionPoint, name: &str, samples: &Samples) -> Result<Self> {
        if registry.find(point, name).is_none() {
            return Err(registry.unknown(point, name));
        }
        let samples = samples.of(word(point), name);
        let (types, created) = (OnceLock::new(), OnceLock::new());
        let (registry, name, limits) = (registry.clone(), name.to_owned(), Limits::default());
        // What opens files is not created without a folder that it may read.
        let roots = vec![std::env::temp_dir().to_string_lossy().into_owned()];
        let options = Options::DEFAULT.with_roots(roots);
        Ok(Self { registry, point, name, samples, limits, options, types, created })
    }
    /// The extensions of a registry that have this name; all without one, each under its own name.
    ///
    /// # Errors
    /// When there is none, or a sample names an extension that does not exist.
    pub fn find(registry: &Registry, name: Option<&str>, samples: &Samples) -> Result<Vec<Self>> {
        samples.check(registry, &[])?;
        let wanted = |point: ExtensionPoint, n: &str| match name {
            Some(name) => name == n,
            // Families have no extension of their own name.
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
                .with_hint("give a plugin's library with `--plugin FILE`, or `--all`")),
            _ => Ok(found),
        }
    }
    /// Its extension point.
    pub fn point(&self) -> ExtensionPoint {
        self.point
    }
    fn constructor(&self) -> Option<&Constructor> {
        self.registry.find(self.point, &self.name).map(Registration::constructor)
    }
    /// Where an extension is created, but for its name and array.
    fn create_context<'s>(&'s self, notes: &'s Notes, intent: Intent) -> CreateContext<'s> {
        CreateContext::new(&self.registry, &self.limits, notes, intent).with_options(&self.options)
    }
    /// What the ids of its cases begin with: `codec/zstd`.
    pub fn id(&self) -> String {
        format!("{}/{}", word(self.point), self.name)
    }
    /// Runs every law of its extension point.
    pub fn run(&self, settings: &Settings, each: &mut dyn FnMut(Record)) {
        let id = self.id();
        settings.run(&id, self, configuration::CHECKS, each);
        self.run_created(self, configuration::OF_INSTANCES, settings, each);
        self.run_created(self, arrays::CHECKS, settings, each);
        match self.point {
            ExtensionPoint::Codec => {
                let trials = trial::Trials::new(self);
                self.run_created(&trials, codec::CHECKS, settings, each);
                let (takes, gives) = match self.constructor() {
                    Some(Constructor::ArrayToArray(_)) => (codec::OF_ARRAYS, &[][..]),
                    Some(Constructor::ArrayToBytes(_)) => (codec::OF_ARRAYS, codec::OF_BYTES),
                    _ => (codec::FROM_BYTES, codec::OF_BYTES),
                };
                self.run_created(&trials, takes, settings, each);
                self.run_created(&trials, gives, settings, each);
                self.run_created(&trials, abilities::of(self.constructor()), settings, each);
            }
            ExtensionPoint::DataType => self.run_created(self, data_type::CHECKS, settings, each),
            ExtensionPoint::ChunkGrid => self.run_created(self, chunk_grid::CHECKS, settings, each),
            ExtensionPoint::ChunkKeyEncoding => self.run_created(self, chunk_key_encoding::CHECKS, settings, each),
            ExtensionPoint::StorageTransformer => storage_transformer::run(self, &id, settings, each),
        }
    }
    /// Runs checks that need an instance.
    fn run_created<S: ?Sized>(&self, on: &S, checks: &[Check<S>], settings: &Settings, each: &mut dyn FnMut(Record)) {
        for check in checks {
            let id = format!("{}/{}", self.id(), check.id);
            settings.case(&id, check.clause, each, || self.ensure_created().and_then(|()| (check.run)(on, settings)));
        }
    }
    /// Every law there is, by the word of its extension point: `codec/round-trip`.
    pub fn laws() -> Vec<String> {
        fn ids<S: ?Sized>(point: &str, checks: &[Check<S>], laws: &mut Vec<String>) {
            laws.extend(checks.iter().map(|c| format!("{point}/{}", c.id)));
        }
        let mut laws = Vec::new();
        for point in ExtensionPoint::ALL {
            ids(word(point), configuration::CHECKS, &mut laws);
            ids(word(point), configuration::OF_INSTANCES, &mut laws);
            ids(word(point), arrays::CHECKS, &mut laws);
        }
        for checks in [codec::CHECKS, codec::OF_ARRAYS, codec::FROM_BYTES, codec::OF_BYTES] {
            ids("codec", checks, &mut laws);
        }
        for checks in abilities::ALL {
            ids("codec", checks, &mut laws);
        }
        ids("data_type", data_type::CHECKS, &mut laws);
        ids("chunk_grid", chunk_grid::CHECKS, &mut laws);
        ids("chunk_key_encoding", chunk_key_encoding::CHECKS, &mut laws);
        laws.extend(storage_transformer::laws());
        laws
    }
    /// The array that the sample is made for, if the point needs one.
    fn arrays(&self, sample: &Sample) -> Result<Vec<Representation>> {
        let shapes: Vec<Vec<u64>> = match &sample.shape {
            Some(shape) => vec![shape.clone()],
            None => [&[][..], &[1], &[7], &[3, 5], &[2, 3, 4]].iter().map(|s| s.to_vec()).collect(),
        };
        let types = self.types()?;
        Ok(shapes.iter().flat_map(|shape| types.iter().map(|t| t.array(shape))).collect())
    }
    /// The data types of the registry.
    fn types(&self) -> Result<&[trial::Typed]> {
        if let Some(types) = self.types.get() {
            return Ok(types);
        }
        let types = trial::data_types(&self.registry, &self.limits)?;
        Ok(self.types.get_or_init(|| types))
    }
    /// An array for extensions that do not care what its elements are.
    fn array(&self, shape: &[u64]) -> Result<Representation> {
        let first = self.types()?.first().ok_or_else(|| Error::argument("the registry has no data types"))?;
        Ok(first.array(shape))
    }
    /// The extensions of the samples.
    fn extensions(&self) -> Result<Vec<(&Sample, Extension)>> {
        self.samples.iter().map(|s| Ok((s, s.extension()?))).collect()
    }
}
