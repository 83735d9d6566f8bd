//! The child process: loads the library, and runs the cases that no earlier child has run.

use super::{
    AGAIN,
    incidents::Incidents,
    journal::{Entry, Journal},
    resources,
};
#[cfg(unix)]
use super::{
    guarded,
    incidents::{GUARD, GUARDED},
};
use crate::{
    check::{Observer, Settings, broken},
    extension::{Samples, Subject},
    report::{Outcome, Record},
};
use ozarr::{
    Result,
    plugins::Plugin,
    zarr_core::{extension::ExtensionPoint, registry::Registry},
};
use std::{
    cell::OnceCell,
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Runs the remaining cases of a library, and returns the exit status of the process. `journal` is the parent's
/// journal.
///
/// # Errors
/// If the journal cannot be written, or the library cannot be loaded a second time.
pub fn serve(file: &Path, samples: &Samples, settings: &Settings, journal: &Path) -> Result<u8> {
    let journal = Journal::at(journal);
    let done = journal.entries()?.into_iter().filter_map(|e| match e {
        Entry::Done(record) => Some(record.id),
        _ => None,
    });
    let diary = Arc::new(Diary { done: done.collect(), journal, plugin: Mutex::new(None), over: Mutex::new(None) });
    let settings = Settings { observer: Some(diary.clone()), ..settings.clone() };
    let mut tell = |record| diary.tell(record);
    let opened = OnceCell::new();
    let open = || opened.get_or_init(|| Plugin::open(file));
    settings.case("abi/descriptor", "abi/descriptor", &mut tell, || match open() {
        Ok(_) => Ok(()),
        Err(e) => broken(e.to_string()),
    });
    // If it cannot be loaded, the case above has already failed.
    let Ok(plugin) = open() else { return Ok(0) };
    *lock(&diary.plugin) = Some(plugin.clone());
    let subjects = subjects(plugin, samples)?;
    for subject in &subjects {
        subject.run(&settings, &mut tell);
        #[cfg(unix)]
        if subject.point() == ExtensionPoint::Codec {
            let guards = || diary.begun(&format!("{}{GUARDED}", subject.id()), "abi/guard");
            let property = || guarded::property(subject, &settings, &guards);
            settings.case(&format!("{}{GUARD}", subject.id()), "abi/guard", &mut tell, property);
        }
    }
    resources::run(&subjects, &settings, &mut tell);
    Ok(if lock(&diary.over).is_some() { AGAIN } else { 0 })
}

/// Returns the extensions of a plugin, in a registry that also contains the built-in ones.
pub(super) fn subjects(plugin: &Arc<Plugin>, samples: &Samples) -> Result<Vec<Subject>> {
    let mut registry = Registry::builtin();
    plugin.add_to(&mut registry)?;
    let offered = plugin.manifest().extensions.iter();
    offered.map(|e| Subject::new(&registry, e.kind.point(), &e.name, samples)).collect()
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An observer that writes the journal.
#[derive(Debug)]
struct Diary {
    done: BTreeSet<String>,
    journal: Journal,
    plugin: Mutex<Option<Arc<Plugin>>>,
    /// The reason for which this process cannot continue.
    over: Mutex<Option<String>>,
}

impl Diary {
    fn write(&self, entry: &Entry) {
        if let Err(e) = self.journal.add(entry) {
            *lock(&self.over) = Some(e.to_string());
        }
    }
    fn begun(&self, id: &str, clause: &str) {
        self.write(&Entry::Begun { id: id.to_owned(), clause: clause.to_owned() });
    }
    fn tell(&self, mut record: Record) {
        let why = lock(&self.plugin).as_ref().and_then(|p| p.quarantined().map(str::to_owned));
        if let Some(why) = why {
            self.write(&Entry::Quarantine(why.clone()));
            record.outcome = Incidents::instead(&why);
            *lock(&self.over) = Some(why);
        }
        self.write(&Entry::Done(record));
    }
}

impl Observer for Diary {
    fn begins(&self, id: &str, clause: &str) -> bool {
        if lock(&self.over).is_some() || self.done.contains(id) {
            return false;
        }
        self.begun(id, clause);
        true
    }
}

/// Tries random inputs until the time is over or one fails.
///
/// # Errors
/// If the library cannot be loaded.
pub fn fuzz(file: &Path, samples: &Samples, settings: &Settings, seconds: f64, journal: &Path) -> Result<u8> {
    let (journal, begin) = (Journal::at(journal), std::time::Instant::now());
    let plugin = Plugin::open(file)?;
    let subjects = subjects(&plugin, samples)?;
    let mut found = None;
    let mut tried = 0u64;
    while found.is_none() && (tried == 0 || begin.elapsed().as_secs_f64() < seconds) {
        let seed = settings.seed.wrapping_add(tried);
        journal.add(&Entry::Begun { id: seed.to_string(), clause: String::new() })?;
        for subject in &subjects {
            for property in super::fuzz::PROPERTIES {
                let one =
                    Settings { filter: Some(format!("{}/{property}", subject.id())), seed, cases: 1, observer: None };
                subject.run(&one, &mut |record| {
                    let quarantined = plugin.quarantined().map(|why| Outcome::Fail(why.to_owned()));
                    let outcome = quarantined.unwrap_or(record.outcome.clone());
                    if matches!(outcome, Outcome::Fail(_)) && found.is_none() {
                        found = Some(Record { outcome, ..record });
                    }
                });
            }
        }
        tried += 1;
    }
    if let Some(record) = found {
        journal.add(&Entry::Done(record))?;
    }
    Ok(0)
}
