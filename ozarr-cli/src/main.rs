//! The `ozarr` command. Data goes to standard output, talk to standard error.
//!
//! Exit status: 0 done; 1 it failed, or problems were found; 2 the command line is wrong.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod location;
mod output;
mod progress;
mod session;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    match commands::run(arguments.command, &arguments.session) {
        Ok(commands::Outcome::Done) => ExitCode::SUCCESS,
        Ok(commands::Outcome::ProblemsFound) => ExitCode::FAILURE,
        // Whoever reads the output has seen enough.
        Err(e) if output::is_closed_pipe(&e.error) => ExitCode::SUCCESS,
        Err(e) => {
            output::print_error(&e);
            ExitCode::FAILURE
        }
    }
}
