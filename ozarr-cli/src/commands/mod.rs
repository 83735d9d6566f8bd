//! The subcommands, one file each.

mod add_plugin;
mod attrs;
mod completions;
mod consolidate;
mod copy;
mod create;
mod elements;
mod extensions;
mod group;
mod info;
mod installed_plugins;
mod needs;
mod new_plugin;
mod outcome;
mod plugin;
mod read;
mod remove;
mod repair;
mod report;
mod resize;
mod summary;
mod tree;
mod validate;
mod view;
mod write;

pub(crate) use outcome::Outcome;

use crate::{
    args::{Command, Session as Args},
    session::Session,
    words::Failure,
};

/// Runs a subcommand.
pub(crate) fn run(command: Command, session: &Args) -> Result<Outcome, Failure> {
    let is_fsync = command.is_fsync();
    let session = || Session::new(session, is_fsync);
    Ok(match command {
        Command::Tree(args) => tree::run(&args, &session()?.context)?,
        Command::Info(args) => info::run(&args, &session()?)?,
        Command::Read(args) => read::run(&args, &session()?)?,
        Command::Create(args) => create::run(&args, &session()?)?,
        Command::Group(args) => group::run(&args, &session()?)?,
        Command::Write(args) => write::run(&args, &session()?)?,
        Command::Copy(args) => copy::run(&args, &session()?)?,
        Command::Attrs(subcommand) => attrs::run(subcommand, &session()?)?,
        Command::Resize(args) => resize::run(&args, &session()?)?,
        Command::Rm(args) => remove::run(&args, &session()?)?,
        Command::Consolidate(args) => consolidate::run(&args, &session()?)?,
        Command::Validate(args) => validate::run(&args, &session()?)?,
        Command::Repair(args) => repair::run(&args, &session()?)?,
        Command::Extensions(args) => extensions::run(&args, &session()?)?,
        Command::Elements(args) => elements::run(&args, &session()?.context)?,
        Command::View(args) => view::run(&args, &session()?)?,
        Command::Report(args) => report::run(&args, &session()?)?,
        Command::Plugin(subcommand) => plugin::run(subcommand, &session)?,
        Command::Completions { shell } => completions::print(shell)?,
        Command::Man { folder } => completions::write_man(&folder)?,
    })
}
