//! Extensions: checks the properties of each extension point on the extensions of a registry.

mod abilities;
mod arrays;
mod chunk_grid;
mod chunk_key_encoding;
mod codec;
mod configuration;
mod data_type;
mod samples;
mod storage_transformer;
mod subject;
pub(crate) mod trial;
pub(crate) mod value;

pub use samples::{Sample, Samples, word};
pub use subject::Subject;

use crate::{
    check::{Check, Settings},
    report::{Outcome, Record},
};
use ozarr::{
    Result,
    zarr_core::{
        extension::ExtensionPoint,
        registry::{Constructor, Registry},
    },
};

/// Checks all properties of a linked extension, with each of these configurations. For the tests of the extension.
///
/// `point` is the word for the extension point, such as `codec` or `chunk_grid`.
///
/// # Errors
/// If there is no such extension, or a configuration is not a JSON object.
///
/// # Panics
/// If a property is violated; the message describes the first violation.
#[track_caller]
#[allow(clippy::panic, reason = "a property that is broken fails its test")]
pub fn assert_properties(point: &str, name: &str, configurations: &[&str]) -> Result<()> {
    let samples = Samples::from_configurations(point, name, configurations)?;
    for subject in Subject::find(&Registry::builtin(), Some(name), &samples)? {
        subject.run(&Settings::default(), &mut |record| {
            if let Outcome::Fail(_) = record.outcome {
                panic!("{record:?}")
            }
        });
    }
    Ok(())
}

impl Subject {
    /// Runs the checks of every property of its extension point.
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
    /// Returns the ids of all properties, each after the word for its extension point, such as `codec/round-trip`.
    pub fn properties() -> Vec<String> {
        fn ids<S: ?Sized>(point: &str, checks: &[Check<S>], properties: &mut Vec<String>) {
            properties.extend(checks.iter().map(|c| format!("{point}/{}", c.id)));
        }
        let mut properties = Vec::new();
        for point in ExtensionPoint::ALL {
            ids(word(point), configuration::CHECKS, &mut properties);
            ids(word(point), configuration::OF_INSTANCES, &mut properties);
            ids(word(point), arrays::CHECKS, &mut properties);
        }
        for checks in [codec::CHECKS, codec::OF_ARRAYS, codec::FROM_BYTES, codec::OF_BYTES] {
            ids("codec", checks, &mut properties);
        }
        for checks in abilities::ALL {
            ids("codec", checks, &mut properties);
        }
        ids("data_type", data_type::CHECKS, &mut properties);
        ids("chunk_grid", chunk_grid::CHECKS, &mut properties);
        ids("chunk_key_encoding", chunk_key_encoding::CHECKS, &mut properties);
        properties.extend(storage_transformer::properties());
        properties
    }
}
