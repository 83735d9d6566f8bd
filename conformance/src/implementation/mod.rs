//! Implementations in any language, each run through a small adapter file.
//!
//! An adapter contains commands that read an array, create one and write its elements, or report whether they accept a
//! document. Elements are listed in C order, one per line, each as its fill value in JSON. Exit status 0 is success, 2
//! means that something is not supported, and any other status is a refusal. A crash, or a command that does not end,
//! fails any case.
//!
//! | case | requirement |
//! |---|---|
//! | `read/GOLDEN` | the elements of a golden array are read bit for bit |
//! | `write/GOLDEN` | this suite reads the same elements from an array that is created from document and elements |
//! | `open/RULE` | the valid counterpart of an invalid document is accepted |
//! | `refuse/RULE` | the invalid document is refused, while its counterpart is accepted |
//! | `damage/CASE` | reading an array with damaged chunks fails, while reading its counterpart succeeds |

mod adapter;
mod process;
mod results;
mod run;

pub use adapter::{Adapter, Capability};
pub use results::results_page;

use crate::{
    cases::Cases,
    check::Settings,
    report::{Record, Report},
};
use ozarr::{Error, Result};
use process::Answer;

/// Returns the version that an implementation reports.
///
/// # Errors
/// If its command fails.
pub fn version(adapter: &Adapter) -> Result<String> {
    let scratch = tempfile::tempdir()?;
    let command = adapter.filled(adapter.version_command(), &[])?;
    let wrong = |why: &str| {
        let e = Error::argument(format!("{} does not report its version: {why}", adapter.name));
        e.with_hint("run the `version` command of its adapter by hand")
    };
    match process::once(&command, adapter.limit, scratch.path())? {
        // Many programs print their name first.
        Answer::Done(text) if !text.trim().is_empty() => {
            Ok(text.trim().trim_start_matches(&adapter.name).trim().to_owned())
        }
        Answer::Done(_) => Err(wrong("it printed nothing")),
        Answer::Unsupported(why) | Answer::Refused(why) | Answer::Broken(why) => Err(wrong(&why)),
    }
}

/// Runs the commands that prepare an implementation for its cases.
///
/// Files of an earlier setup are recreated, or left to the commands.
///
/// # Errors
/// If a command of `setup` fails.
pub fn setup(adapter: &Adapter) -> Result<()> {
    if adapter.setup().is_empty() {
        return Ok(());
    }
    let _lock = adapter.lock()?;
    for command in adapter.setup() {
        let filled = adapter.filled(command, &[])?;
        let (program, arguments) =
            filled.split_first().ok_or_else(|| Error::argument("a command without a program"))?;
        let output = std::process::Command::new(program).args(arguments).output();
        let output = output.map_err(|e| Error::from(e).at_key(program))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(Error::argument(format!("setup of {}: {filled:?} failed: {}", adapter.name, stderr.trim())));
        }
    }
    Ok(())
}

/// Runs all cases on an implementation that is [set up](setup).
///
/// # Errors
/// If a case is incomplete or no folder can be created. Failures of the implementation are in the records.
pub fn run(adapter: &Adapter, cases: &Cases, settings: &Settings, each: &mut dyn FnMut(Record)) -> Result<()> {
    run::Run::new(adapter, cases)?.all(settings, each)
}

/// Runs all cases on several implementations. `each` receives the record of a case as soon as it ends.
///
/// # Errors
/// If an implementation cannot be set up or does not report its version, or as for [`run`].
pub fn compare(
    adapters: &[Adapter],
    cases: &Cases,
    settings: &Settings,
    each: &mut dyn FnMut(&Adapter, &Record),
) -> Result<Vec<Report>> {
    let one = |adapter: &Adapter| {
        setup(adapter)?;
        let mut report = Report::new(&adapter.name, version(adapter)?, settings.seed);
        run(adapter, cases, settings, &mut |record| {
            each(adapter, &record);
            report.records.push(record);
        })?;
        Ok(report)
    };
    adapters.iter().map(one).collect()
}
