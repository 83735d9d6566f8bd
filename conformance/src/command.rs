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

const STATUS: &str = "Exit status: 0 no case failed; 1 a case failed; 2 the suite could not run; 3 no case ran.";

/// Check extensions, plugins, stores and implementations of Zarr v3 against the specification
#[derive(Parser)]
#[command(name = "zarr-conformance", version, after_help = STATUS)]
struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Check built-in extensions, and those of plugins given with --plugin
    #[command(after_help = STATUS)]
    Extension {
        /// Name of the extension, as in metadata
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        name: Option<String>,
        /// Check all extensions
        #[arg(long)]
        all: bool,
        /// Load a plugin from a file; may be repeated
        #[arg(long, value_name = "FILE")]
        plugin: Vec<PathBuf>,
        /// Configurations for extensions that the suite does not know, as in its samples.toml
        #[arg(long, value_name = "FILE")]
        samples: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Check a plugin's library, in child processes
    #[command(after_help = STATUS)]
    Plugin {
        /// Library of the plugin
        file: PathBuf,
        /// Configurations for extensions that the suite does not know, as in its samples.toml
        #[arg(long, value_name = "FILE")]
        samples: Option<PathBuf>,
        /// Time limit of a case
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
        patience: u64,
        /// After the cases, repeat them for this time with increasing seeds
        #[arg(long, value_name = "SECONDS")]
        fuzz: Option<u64>,
        #[command(flatten)]
        how: How,
    },
    /// Check a store
    #[command(after_help = STATUS)]
    Store {
        /// `memory`, `filesystem`, or a directory in which to create temporary stores
        store: String,
        #[command(flatten)]
        how: How,
    },
    /// Check implementations in any language, each described by an adapter file
    #[command(after_help = STATUS)]
    Implementation {
        /// Adapter files
        #[arg(required = true)]
        adapter: Vec<PathBuf>,
        /// Use the cases in a directory instead of the built-in ones
        #[arg(long, value_name = "DIR")]
        case_dir: Option<PathBuf>,
        /// Write a page that compares the implementations
        #[arg(long, value_name = "FILE")]
        results: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Write the golden arrays of an extension as samples for the extension registry
    Export {
        /// Name of the extension, or POINT/NAME if two extensions have that name
        name: String,
        /// Directory to create
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// Use the cases in a directory instead of the built-in ones
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
    /// Run only cases whose id contains this text; `*` matches any text
    #[arg(long)]
    filter: Option<String>,
    /// Seed of random choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of random inputs for each property
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    cases: u32,
    /// Format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// TOML file of cases that are known to fail; one that passes counts as a failure
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// Write the report to a file instead of standard output
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
            eprintln!("error: no case could run: all are unsupported");
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
                    let e = Error::argument(format!("{} is not a directory", folder.display()));
                    return Err(e.with_hint("pass `memory`, `filesystem` or an existing directory"));
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
