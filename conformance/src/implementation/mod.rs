//! Implementations in any language, each driven through a small adapter file.
//!
//! An adapter names commands that read an array, make one and fill it, or tell whether they accept a document. Elements
//! are in the community's form: each in C order as the JSON of its fill value, one a line. Exit status 0 is done, 2 that
//! something is not supported, anything else a refusal; a crash or a command that does not end is a failure of any case.
//!
//! | case | what must be |
//! |---|---|
//! | `read/GOLDEN` | the elements of a golden array are read bit for bit |
//! | `write/GOLDEN` | an array that was made of its document and elements is read by us, with the same elements |
//! | `open/RULE` | the valid counterpart of a wrong document is accepted |
//! | `refuse/RULE` | the wrong document is not, while its counterpart is |
//! | `damage/CASE` | reading an array with damaged chunks does not end well, while reading its counterpart does |

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

/// What an implementation says of its version.
///
/// # Errors
/// When its command fails.
pub fn version(adapter: &Adapter) -> Result<String> {
    let scratch = tempfile::tempdir()?;
    let command = adapter.filled(adapter.version_command(), &[])?;
    let wrong = |why: &str| {
        let e = Error::argument(format!("{} does not tell its version: {why}", adapter.name));
        e.with_hint("try the command `version` of its adapter by hand")
    };
    match process::once(&command, adapter.limit, scratch.path())? {
        // Many programs say their name first.
        Answer::Done(text) if !text.trim().is_empty() => {
            Ok(text.trim().trim_start_matches(&adapter.name).trim().to_owned())
        }
        Answer::Done(_) => Err(wrong("it printed nothing")),
        Answer::Unsupported(why) | Answer::Refused(why) | Answer::Broken(why) => Err(wrong(&why)),
    }
}

/// Makes ready what an implementation needs; what was made before is recreated or left to the command.
///
/// # Errors
/// When a command of `setup` fails.
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
/// When a case is incomplete or no folder can be made; what the implementation does wrong is in the records.
pub fn run(adapter: &Adapter, cases: &Cases, settings: &Settings, each: &mut dyn FnMut(Record)) -> Result<()> {
    run::Run::new(adapter, cases)?.all(settings, each)
}

/// Runs all cases on several implementations; `each` sees what comes of a case as soon as it is known.
///
/// # Errors
/// When one cannot be set up or does not tell its version, or as [`run`] does.
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
