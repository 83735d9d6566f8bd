//! `ozarr completions` and `ozarr man`: shell completions and man pages.

use super::Outcome;
use crate::{args::Arguments, output::put, words::Failure};
use clap::CommandFactory;
use clap_complete::Shell;
use ozarr::{Error, Result};
use std::{fs, path::Path};

pub(crate) fn print(shell: Shell) -> Result<Outcome> {
    // The generator panics when it writes to a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ozarr", &mut script);
    put(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

/// Writes a page for each subcommand.
pub(crate) fn write_man(folder: &Path) -> Result<Outcome, Failure> {
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
    written.map_err(|e| Failure::from(Error::from(e).at_key(folder.display())).in_file(folder))?;
    Ok(Outcome::Done)
}
