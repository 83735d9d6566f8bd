//! The verbs, a file each.

mod copy;
mod create;
mod elements;
mod extensions;
mod info;
mod read;
mod tree;
mod validate;
mod write;

use crate::args::Command;
use zarr_array::Result;

/// How a verb ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Done,
    /// It found what should not be.
    ProblemsFound,
}

/// Runs a verb.
pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Tree(args) => tree::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Read(args) => read::run(&args),
        Command::Create(args) => create::run(&args),
        Command::Write(args) => write::run(&args),
        Command::Copy(args) => copy::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Extensions(args) => extensions::run(&args),
        Command::Elements(args) => elements::run(&args),
    }
}
