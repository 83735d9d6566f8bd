//! The `ozarr` command. Data goes to standard output, everything else to standard error.
//!
//! Exit status: 0 done; 1 problems found; 2 the command line is wrong; 3 error.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod location;
mod output;
mod picture;
mod progress;
mod session;
mod words;

use clap::Parser;
use std::process::ExitCode;

const PROBLEMS_FOUND: u8 = 1;
const ERROR: u8 = 3;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    let is_json = arguments.command.is_json();
    match commands::run(arguments.command, &arguments.session) {
        Ok(commands::Outcome::Done) => ExitCode::SUCCESS,
        Ok(commands::Outcome::ProblemsFound) => PROBLEMS_FOUND.into(),
        // The reader of the output has closed it.
        Err(e) if output::is_closed_pipe(&e.error) => ExitCode::SUCCESS,
        Err(e) => {
            output::print_error(&e.parts(), is_json);
            ERROR.into()
        }
    }
}
