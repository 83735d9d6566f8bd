//! The command line: selects subjects, runs the checks, and prints the report.

use clap::{Args, Parser, Subcommand};
use ozarr::{Error, Result, plugins::Plugin, zarr_core::registry::Registry};
use std::{io::Write, path::PathBuf, process::ExitCode, time::Duration};
use zarr_conformance::{
    cases::Cases,
    check::Settings,
    export,
    extension::{Samples, Subject},
    implementation::{self, Adapter},
    plugin,
    report::{Expectations, Format, Record, Report},
    store,
};

const STATUS: &str = "Exit status: 0 all is well; 1 a case failed; 2 it could not run; 3 no case ran.";

/// Checks extensions, plugins, stores and implementations of Zarr v3 against its specification
#[derive(Parser)]
#[command(name = "zarr-conformance", version, after_help = STATUS)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Extensions of the registry: built-in ones, and those of plugins that are given
    #[command(after_help = STATUS)]
    Extension {
        /// The name of an extension in metadata
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        name: Option<String>,
        /// All extensions of the registry
        #[arg(long)]
        all: bool,
        /// Load a plugin from a file; may be given several times
        #[arg(long, value_name = "FILE")]
        plugin: Vec<PathBuf>,
        /// How to try extensions that are not registered: see samples.toml of the suite
        #[arg(long, value_name = "FILE")]
        samples: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// A plugin: a shared library and nothing else, checked in child processes
    #[command(after_help = STATUS)]
    Plugin {
        /// The library
        file: PathBuf,
        /// How to try extensions that are not registered: see samples.toml of the suite
        #[arg(long, value_name = "FILE")]
        samples: Option<PathBuf>,
        /// How long a case may take
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
        patience: u64,
        /// Try random inputs for so long after the cases, from the seed on
        #[arg(long, value_name = "SECONDS")]
        fuzz: Option<u64>,
        #[command(flatten)]
        how: How,
    },
    /// A store: `memory`, `filesystem`, or a folder below which new ones are made and removed
    #[command(after_help = STATUS)]
    Store {
        /// `memory`, `filesystem` or a folder
        store: String,
        #[command(flatten)]
        how: How,
    },
    /// Implementations in any language, each given by an adapter file
    #[command(after_help = STATUS)]
    Implementation {
        /// Adapter files
        #[arg(required = true)]
        adapter: Vec<PathBuf>,
        /// Cases of a folder in place of the built-in ones
        #[arg(long, value_name = "DIR")]
        case_dir: Option<PathBuf>,
        /// Write a page that sets them side by side
        #[arg(long, value_name = "FILE")]
        results: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Write the golden arrays of an extension, as an entry of the extension registry carries them
    Export {
        /// The name of an extension in metadata, or POINT/NAME where two have that name
        name: String,
        /// A new folder
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// Cases of a folder in place of the built-in ones
        #[arg(long, value_name = "DIR")]
        case_dir: Option<PathBuf>,
    },
    #[command(hide = true)]
    PluginChild {
        file: PathBuf,
        #[arg(long)]
        samples: Option<PathBuf>,
        #[arg(long)]
        filter: Option<String>,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        cases: u32,
        #[arg(long)]
        journal: PathBuf,
        #[arg(long)]
        fuzz: Option<f64>,
    },
}

#[derive(Args)]
struct How {
    /// Only cases whose id contains this; `*` stands for anything
    #[arg(long)]
    filter: Option<String>,
    /// What random choices begin with: the same seed makes the same choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many random inputs a property is tried with
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    cases: u32,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Cases that are known to fail, as a TOML file; one that passes fails
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// Write the report to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl How {
    fn settings(&self) -> Settings {
        Settings { filter: self.filter.clone(), seed: self.seed, cases: self.cases, observer: None }
    }
    /// Returns the report of a subject. `run` runs the cases; each is shown on a terminal when it ends.
    fn report(
        &self,
        subject: &str,
        version: &str,
        run: impl FnOnce(&Settings, &mut dyn FnMut(Record)) -> Result<()>,
    ) -> Result<Report> {
        let mut report = Report::new(subject, version, self.seed);
        let mut progress = Progress::new();
        run(&self.settings(), &mut |record| {
            progress.report(&record);
            report.records.push(record);
        })?;
        Ok(report)
    }
    /// Prints the reports, and returns the exit status.
    fn end(&self, mut reports: Vec<Report>) -> Result<ExitCode> {
        if let Some(file) = &self.expectations {
            let expectations = Expectations::read(file)?;
            expectations.apply(&mut reports, self.filter.is_none());
        }
        let text = self.format.print(&reports);
        match &self.output {
            Some(file) => std::fs::write(file, text).map_err(|e| Error::from(e).at_key(file.display()))?,
            None => std::io::stdout().write_all(text.as_bytes())?,
        }
        if reports.iter().all(|r| r.records.is_empty()) {
            eprintln!("error: no case ran");
            return Ok(ExitCode::from(3));
        }
        if reports.iter().all(|r| r.counts().pass + r.counts().fail + r.counts().known == 0) {
            eprintln!("error: no case could be tried: all are unsupported");
            return Ok(ExitCode::from(3));
        }
        let failed = reports.iter().any(|r| r.failures().next().is_some());
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// A progress line on standard error, if that is a terminal.
struct Progress {
    shown: bool,
    done: usize,
    failed: usize,
}

impl Progress {
    fn new() -> Self {
        Self { shown: std::io::IsTerminal::is_terminal(&std::io::stderr()), done: 0, failed: 0 }
    }
    fn report(&mut self, record: &Record) {
        self.report_of("", record);
    }
    fn report_of(&mut self, subject: &str, record: &Record) {
        self.done += 1;
        self.failed += usize::from(record.outcome.word() == "fail");
        if self.shown {
            let id: String = record.id.chars().take(60).collect();
            eprint!("\r\x1b[K{} cases, {} failed: {subject} {id}", self.done, self.failed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

/// Runs the command of this process.
pub(crate) fn run() -> ExitCode {
    match Command::parse().action.run() {
        Ok(code) => code,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

impl Action {
    fn run(self) -> Result<ExitCode> {
        match self {
            Self::Extension { name, all: _, plugin: plugins, samples, how } => {
                let mut registry = Registry::builtin();
                for file in &plugins {
                    Plugin::open(file)?.add_to(&mut registry)?;
                }
                let samples = load(samples)?;
                let mut reports = Vec::new();
                for subject in Subject::find(&registry, name.as_deref(), &samples)? {
                    let run = |settings: &Settings, each: &mut dyn FnMut(Record)| {
                        subject.run(settings, each);
                        Ok(())
                    };
                    let report = how.report(&subject.id(), "", run)?;
                    if !report.records.is_empty() {
                        reports.push(report);
                    }
                }
                how.end(reports)
            }
            Self::Plugin { file, samples, patience, fuzz, how } => {
                // A mistake in the samples is the user's, not the plugin's, so it is reported before any check.
                load(samples.clone())?;
                let subject = plugin::Subject {
                    samples,
                    program: std::env::current_exe()?,
                    patience: Duration::from_secs(patience),
                    fuzz: fuzz.map(Duration::from_secs),
                    file,
                };
                if !subject.file.is_file() {
                    return Err(Error::argument(format!("{} is not a file", subject.file.display())));
                }
                let (name, version) = plugin::title(&subject.file);
                how.end(vec![how.report(&name, &version, |settings, each| subject.run(settings, each))?])
            }
            Self::Store { store, how } => {
                let folder = match store.as_str() {
                    "memory" | "filesystem" => None,
                    folder => Some(PathBuf::from(folder)),
                };
                if let Some(folder) = folder.as_ref().filter(|f| !f.is_dir()) {
                    let e = Error::argument(format!("{} is not a folder", folder.display()));
                    return Err(e.with_hint("give `memory`, `filesystem` or a folder that is there"));
                }
                let subject = match (store.as_str(), folder) {
                    ("memory", _) => store::memory(),
                    (_, Some(folder)) => store::filesystem(&folder),
                    _ => store::filesystem(&std::env::temp_dir()),
                };
                let run = |settings: &Settings, each: &mut dyn FnMut(Record)| {
                    store::run(&subject, "store", settings, each);
                    Ok(())
                };
                how.end(vec![how.report(&format!("store {store}"), "", run)?])
            }
            Self::Implementation { adapter, case_dir, results, how } => {
                let adapters = adapter.iter().map(|file| Adapter::read(file)).collect::<Result<Vec<_>>>()?;
                let cases = cases(case_dir)?;
                let mut progress = Progress::new();
                let reports = implementation::compare(&adapters, &cases, &how.settings(), &mut |adapter, record| {
                    progress.report_of(&adapter.name, record);
                })?;
                drop(progress);
                if let Some(file) = results {
                    let page = implementation::results_page(&reports);
                    std::fs::write(&file, page).map_err(|e| Error::from(e).at_key(file.display()))?;
                }
                how.end(reports)
            }
            Self::Export { name, output, case_dir } => {
                let n = export::export(&cases(case_dir)?, &name, &output)?;
                println!("{n} arrays with {name} in {}", output.display());
                Ok(ExitCode::SUCCESS)
            }
            Self::PluginChild { file, samples, filter, seed, cases, journal, fuzz } => {
                let (settings, samples) = (Settings { filter, seed, cases, observer: None }, load(samples)?);
                let status = match fuzz {
                    Some(seconds) => plugin::fuzz(&file, &samples, &settings, seconds, &journal)?,
                    None => plugin::serve(&file, &samples, &settings, &journal)?,
                };
                Ok(ExitCode::from(status))
            }
        }
    }
}

fn cases(folder: Option<PathBuf>) -> Result<Cases> {
    folder.map_or_else(|| Ok(Cases::embedded()), |folder| Cases::at(&folder))
}

fn load(samples: Option<PathBuf>) -> Result<Samples> {
    let known = Samples::embedded()?;
    Ok(match samples {
        Some(file) => known.with(Samples::read(&file)?),
        None => known,
    })
}
