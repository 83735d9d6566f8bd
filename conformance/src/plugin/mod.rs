//! Plugins: checks a shared library on its own.
//!
//! Its extensions are checked in child processes, so that a plugin that crashes is a finding and does not end the run.
//!
//! A child writes each case to a journal when it begins, and its outcome when it ends. If the child crashes or makes no
//! progress for too long, the parent knows during which case, and starts another child for the remaining ones.

mod child;
mod file;
mod fuzz;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod guarded;
mod incidents;
mod journal;
mod resources;

pub use child::{fuzz, serve};

use crate::{check::Settings, extension::Samples, report::Record, wait::wait};
use incidents::Incidents;
use journal::{Entry, Journal};
use ozarr::{Error, Result, plugins::Manifest, zarr_core::registry::Registry};
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

/// A plugin to check, and the options for that.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The path of the library.
    pub file: PathBuf,
    /// A file of samples for extensions that are not registered.
    pub samples: Option<PathBuf>,
    /// The program that acts as a child if it is called with `plugin-child`: `zarr-conformance`.
    pub program: PathBuf,
    /// The time limit of a case.
    pub patience: Duration,
    /// The time in which to try random inputs after the cases. At least one seed is tried.
    pub fuzz: Option<Duration>,
}

impl Subject {
    /// Runs every check on the library.
    ///
    /// # Errors
    /// If children cannot be run, or the samples cannot be read or name an unknown extension.
    pub fn run(&self, settings: &Settings, each: &mut dyn FnMut(Record)) -> Result<()> {
        self.check_samples()?;
        settings.run("abi", &*self.file, file::CHECKS, each);
        let journal = Journal::new()?;
        let mut incidents = Incidents::default();
        let mut told = 0;
        loop {
            let before = journal.entries()?.len();
            let ended = self.child(settings, &journal)?;
            let entries = journal.entries()?;
            for entry in &entries[told.min(entries.len())..] {
                incidents.note(entry);
                if let Entry::Done(record) = entry {
                    each(record.clone());
                }
            }
            told = entries.len();
            let ended = match (ended, entries.last()) {
                (Ended::Well, Some(Entry::Begun { .. })) => {
                    Ended::Badly("the process ended, as if it were done".to_owned())
                }
                (ended, _) => ended,
            };
            match (ended, entries.last()) {
                (Ended::Well, _) => break,
                (Ended::Badly(how), Some(Entry::Begun { id, clause })) => {
                    let (id, outcome) = incidents.fell(id, &how);
                    let record = Record { id, clause: clause.clone(), outcome, seconds: 0.0 };
                    journal.add(&Entry::Done(record.clone()))?;
                    told += 1;
                    each(record);
                }
                // A plugin in quarantine is loaded again for the remaining cases.
                (Ended::Again, _) if entries.len() > before => {}
                (Ended::Badly(how), _) => {
                    incidents.outside(&how);
                    break;
                }
                (Ended::Again, _) => return Err(Error::argument("a child asks for another and did nothing")),
            }
        }
        incidents.end(settings, each);
        if let Some(time) = self.fuzz {
            settings.case("abi/fuzz", "abi/fuzz", each, || fuzz::run(self, settings, time));
        }
        Ok(())
    }
    /// Checks the samples without loading the library, which may crash this process. A library without a manifest fails
    /// a case instead.
    fn check_samples(&self) -> Result<()> {
        let (Some(file), Ok(manifest)) = (&self.samples, Manifest::embedded(&self.file)) else { return Ok(()) };
        let offered: Vec<_> = manifest.extensions.iter().map(|e| (e.kind.point(), e.name.clone())).collect();
        Samples::read(file)?.check(&Registry::builtin(), &offered).map_err(|e| e.at_key(file.display()))
    }
    fn command(&self, settings: &Settings) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("plugin-child").arg(&self.file);
        command.args(["--seed", &settings.seed.to_string(), "--cases", &settings.cases.to_string()]);
        if let Some(filter) = &settings.filter {
            command.args(["--filter", filter]);
        }
        if let Some(samples) = &self.samples {
            command.arg("--samples").arg(samples);
        }
        // The output of a plugin must not be mixed with the report.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
    fn child(&self, settings: &Settings, journal: &Journal) -> Result<Ended> {
        let mut command = self.command(settings);
        command.arg("--journal").arg(journal.path());
        let child = command.spawn().map_err(|e| Error::from(e).at_key(self.program.display()))?;
        watch(child, self.patience, || Ok(journal.len()))
    }
}

/// The way in which a child ended.
#[derive(Debug)]
enum Ended {
    Well,
    /// Cases remain, for another child.
    Again,
    /// It crashed, or had to be killed.
    Badly(String),
}

/// The exit status of a child after which another must continue.
const AGAIN: u8 = 64;

/// Waits for a child for as long as it makes progress.
fn watch(mut child: Child, patience: Duration, progress: impl FnMut() -> Result<u64>) -> Result<Ended> {
    if let Some(status) = wait(&mut child, patience, progress)? {
        return Ok(ended(status));
    }
    child.kill()?;
    child.wait()?;
    Ok(Ended::Badly(format!("it did not come back within {} s", patience.as_secs_f64())))
}

fn ended(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            4 => " (illegal instruction)",
            6 => " (abort)",
            7 => " (bus error)",
            8 => " (arithmetic)",
            11 => " (memory that is not its own)",
            _ => "",
        };
        return Ended::Badly(format!("the process died of signal {signal}{name}"));
    }
    match status.code() {
        Some(0) => Ended::Well,
        Some(code) if code == i32::from(AGAIN) => Ended::Again,
        code => Ended::Badly(format!("the process ended with status {code:?}")),
    }
}

/// Returns the name and version of the plugin in a library, from its manifest.
pub fn title(file: &Path) -> (String, String) {
    let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    match Manifest::embedded(file) {
        Ok(manifest) => (format!("plugin {}", manifest.id), manifest.version),
        Err(_) => (format!("plugin {name}"), String::new()),
    }
}
