//! The verbs, a file each.

mod add_plugin;
mod copy;
mod create;
mod elements;
mod extensions;
mod info;
mod installed_plugins;
mod new_plugin;
mod outcome;
mod plugin;
mod read;
mod repair;
mod tree;
mod validate;
mod write;

pub(crate) use outcome::Outcome;

use crate::{
    args::{Command, Session as Args},
    session::Session,
    words::Failure,
};

/// Runs a subcommand.
pub(crate) fn run(command: Command, session: &Args) -> Result<Outcome, Failure> {
    let session = || Session::new(session);
    Ok(match command {
        Command::Tree(args) => tree::run(&args, &session()?.context)?,
        Command::Info(args) => info::run(&args, &session()?)?,
        Command::Read(args) => read::run(&args, &session()?.context)?,
        Command::Create(args) => create::run(&args, &session()?.context)?,
        Command::Write(args) => write::run(&args, &session()?.context)?,
        Command::Copy(args) => copy::run(&args, &session()?.context)?,
        Command::Validate(args) => validate::run(&args, &session()?.context)?,
        Command::Repair(args) => repair::run(&args, &session()?.context)?,
        Command::Extensions(args) => extensions::run(&args, &session()?)?,
        Command::Elements(args) => elements::run(&args, &session()?.context)?,
        Command::Plugin(subcommand) => plugin::run(subcommand, &session)?,
    })
}
