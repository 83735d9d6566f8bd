//! Properties of all extension points: the creation of an extension, and the configuration that it stores in metadata.

use super::{Sample, Subject};
use crate::check::{Check, Finding, Verdict, broken, ensure, unsupported};
use ozarr::{
    Error, ErrorKind, Result,
    zarr_core::{
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, CreateContext, Instance, Intent, Notes},
        representation::{Representation, Size},
    },
};

/// Checks of creation.
pub(super) const CHECKS: &[Check<Subject>] = &[
    Check { id: "create", clause: "extension/name", run: |s, _| create(s) },
    Check { id: "refusal", clause: "contract/clear-refusal", run: |s, _| refusal(s) },
];

/// Checks that need an instance.
pub(super) const OF_INSTANCES: &[Check<Subject>] = &[
    Check { id: "aliases", clause: "extension/name", run: |s, _| aliases(s) },
    Check { id: "configuration", clause: "contract/configuration-stable", run: |s, _| stable(s) },
    Check { id: "unknown-configuration", clause: "contract/unknown-configuration", run: |s, _| unknown(s) },
    Check { id: "hostile-configuration", clause: "contract/no-panic", run: |s, _| hostile(s) },
];

/// A sample, its extension, and an array for which the extension can be created.
type Accepted<'s> = (&'s Sample, Extension, Representation);

impl Subject {
    /// Creates the extension, and returns the configuration that it would store in metadata.
    pub(super) fn written(&self, extension: &Extension, of: &Representation, intent: Intent) -> Result<Object> {
        fn of_instance<T: ?Sized>(made: Result<Instance<T>>) -> Result<Object> {
            made?.configuration()
        }
        let notes = Notes::default();
        let cx = self.create_context(&notes, intent).with(of);
        let cx = CreateContext { name: extension.name(), size: Size::Unknown, ..cx };
        let Some(found) = self.registry.find(self.point, extension.name()) else {
            return Err(self.registry.unknown(self.point, extension.name()));
        };
        match found.constructor() {
            Constructor::DataType(make) => of_instance(make(extension, &CreateContext { representation: None, ..cx })),
            Constructor::ChunkGrid(make) => of_instance(make(extension, &cx)),
            Constructor::ChunkKeyEncoding(make) => of_instance(make(extension, &cx)),
            Constructor::ArrayToArray(make) => of_instance(make(extension, &cx)),
            Constructor::ArrayToBytes(make) => of_instance(make(extension, &cx)),
            Constructor::BytesToBytes(make) => of_instance(make(extension, &cx)),
            Constructor::StorageTransformer(make) => of_instance(make(extension, &cx)),
        }
    }
    /// Returns the error if the extension cannot be created from a sample for any array, preferably one about the
    /// configuration; `None` if it can be created.
    fn refused(&self, sample: &Sample, extension: &Extension) -> Result<Option<Error>> {
        let about_configuration = |e: &Error| matches!(e.kind(), ErrorKind::Configuration(_));
        let mut why = Error::argument("the registry has no data types");
        for of in self.arrays(sample)? {
            match self.written(extension, &of, Intent::Open) {
                Ok(_) => return Ok(None),
                Err(e) if about_configuration(&why) && !about_configuration(&e) => {}
                Err(e) => why = e,
            }
        }
        Ok(Some(why))
    }
    /// Returns an unsupported verdict if the extension cannot be created from any of its samples: a check that tried
    /// nothing must not pass.
    pub(crate) fn ensure_created(&self) -> Verdict {
        let created = match self.created.get() {
            Some(created) => *created,
            None => {
                let mut created = false;
                for (sample, extension) in self.extensions()? {
                    created = created || self.refused(sample, &extension)?.is_none();
                }
                *self.created.get_or_init(|| created)
            }
        };
        if created { Ok(()) } else { unsupported(format!("not tried: see {}/create", self.id())) }
    }
    /// Returns each sample with the first array for which it is accepted.
    fn accepted(&self) -> std::result::Result<Vec<Accepted<'_>>, Finding> {
        let mut found = Vec::new();
        for (sample, extension) in self.extensions()? {
            let of = self.arrays(sample)?.into_iter().find(|of| self.written(&extension, of, Intent::Open).is_ok());
            if let Some(of) = of {
                found.push((sample, extension, of));
            }
        }
        Ok(found)
    }
}

/// Every sample is accepted for some array.
fn create(subject: &Subject) -> Verdict {
    for (sample, extension) in subject.extensions()? {
        let Some(why) = subject.refused(sample, &extension)? else { continue };
        return broken(match sample.configuration {
            Some(_) => format!("cannot create {} for any of the arrays that were tried: {why}", extension.to_json()),
            None => format!(
                "cannot create `{}` without a configuration: {why}; hint: give one with `--samples FILE`, a file with the \
                 line: sample = [{{ point = \"{}\", name = \"{0}\", configuration = '{{\"MEMBER\": VALUE}}' }}]",
                sample.name, sample.point
            ),
        });
    }
    Ok(())
}

/// An alias creates the same extension.
fn aliases(subject: &Subject) -> Verdict {
    let Some(found) = subject.registry.find(subject.point, &subject.name).filter(|f| !f.is_family()) else {
        return Ok(());
    };
    for (_, extension, of) in subject.accepted()? {
        let Ok(wanted) = subject.written(&extension, &of, Intent::Open) else { continue };
        for alias in found.names() {
            let other = match extension.configuration() {
                Some(members) => Extension::new(alias, members.clone()),
                None => Extension::short_hand(alias),
            };
            let written = subject.written(&other, &of, Intent::Open);
            ensure(written.as_ref().is_ok_and(|w| *w == wanted), || match written {
                Ok(w) => format!("as `{alias}` it writes {}, not {}", Json::Object(w), Json::Object(wanted.clone())),
                Err(e) => format!("it is refused as `{alias}`: {e}"),
            })?;
        }
    }
    Ok(())
}

/// The configuration that an extension stores is accepted and stored again, for every intent, and preserves the given
/// members.
fn stable(subject: &Subject) -> Verdict {
    for (_, extension, of) in subject.accepted()? {
        let given = extension.configuration().cloned().unwrap_or_default();
        for intent in [Intent::Open, Intent::Create] {
            // Stored metadata may contain values that a new array must not have.
            let Ok(once) = subject.written(&extension, &of, intent) else { continue };
            let again = Extension::new(extension.name(), once.clone());
            let twice = subject.written(&again, &of, Intent::Open);
            let twice = twice.map_err(|e| {
                Finding::Broken(format!(
                    "it refuses the configuration that it writes, {}: {e}",
                    Json::Object(once.clone())
                ))
            })?;
            ensure(once == twice, || {
                format!(
                    "it writes {}, and created from that it writes {}",
                    Json::Object(once.clone()),
                    Json::Object(twice)
                )
            })?;
            for (member, value) in given.iter() {
                let written = once.get(member);
                ensure(
                    written
                        .is_some_and(|written| written.is_same(value) || crate::elements::is_preserved(value, written)),
                    || {
                        let written = written.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                        format!("it was created with {member}: {value} but writes {written}")
                    },
                )?;
            }
        }
    }
    Ok(())
}

/// An unknown member is refused, so that it is not mistaken for one that has an effect.
fn unknown(subject: &Subject) -> Verdict {
    for (sample, extension, of) in subject.accepted()? {
        if sample.open {
            continue;
        }
        let mut members = extension.configuration().cloned().unwrap_or_default();
        members.set("zarr-conformance-unknown", 1u64);
        let extended = Extension::new(extension.name(), members);
        let done = subject.written(&extended, &of, Intent::Open);
        ensure(done.is_err(), || format!("a member that does not exist is accepted in {}", extension.to_json()))?;
    }
    Ok(())
}

/// Values that no member can have are refused or accepted; nothing panics.
fn hostile(subject: &Subject) -> Verdict {
    const VALUES: [&str; 9] = [
        "null",
        "\"\"",
        "-1",
        "1e308",
        "18446744073709551615",
        "[]",
        "{}",
        "[[[]]]",
        "[18446744073709551615,4294967296]",
    ];
    for (_, extension, of) in subject.accepted()? {
        let members = extension.configuration().cloned().unwrap_or_default();
        for (member, _) in members.iter() {
            for value in VALUES {
                let mut members = members.clone();
                members.set(member, Json::parse(value.as_bytes(), &subject.limits)?);
                let changed = Extension::new(extension.name(), members);
                for intent in [Intent::Open, Intent::Create] {
                    let Ok(written) = subject.written(&changed, &of, intent) else { continue };
                    let rewritten = Extension::new(extension.name(), written);
                    let again = subject.written(&rewritten, &of, Intent::Open);
                    ensure(again.is_ok(), || {
                        format!(
                            "created from {} it writes {}, which it refuses",
                            changed.to_json(),
                            rewritten.to_json()
                        )
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// An array that the extension does not support is refused on creation, with an error about that.
fn refusal(subject: &Subject) -> Verdict {
    for (sample, extension) in subject.extensions()? {
        for of in subject.arrays(sample)? {
            let Err(e) = subject.written(&extension, &of, Intent::Open) else { continue };
            let about = matches!(
                e.kind(),
                ErrorKind::InvalidCodecChain(_)
                    | ErrorKind::Configuration(_)
                    | ErrorKind::Limit { .. }
                    | ErrorKind::Metadata(_)
                    | ErrorKind::UnknownExtension { .. }
                    | ErrorKind::FillValue(_)
                    | ErrorKind::Name(_)
            );
            ensure(about, || {
                format!(
                    "for {:?} {:?} it is refused with an error that is about something else: {e}",
                    of.data_type(),
                    of.shape()
                )
            })?;
        }
    }
    Ok(())
}
