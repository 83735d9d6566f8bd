//! Output: data on standard output, everything else on standard error.
//!
//! Names and error texts come from stored data. Output for people shows them escaped and truncated: they cannot control
//! a terminal, begin a line that looks like one of ours, or hide the rest behind a megabyte. JSON contains them whole.

pub(crate) use ozarr::text::{escaped, name, shown};

use crate::{progress::Bar, words::Parts};
use ozarr::{Error, ErrorKind, Result};
use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal, Write},
};

/// Prints data without a line end.
pub(crate) fn put(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Prints data unchanged, and a line end.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(())
}

/// Prints a line for people on standard output.
pub(crate) fn show(line: &str) -> Result<()> {
    print(&shown(line))
}

/// Prints text for people that is too large to build in memory first. No line is truncated.
pub(crate) fn print_escaped(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<()> {
    struct Lines<'o>(&'o mut dyn fmt::Write);
    impl fmt::Write for Lines<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            text.split_inclusive('\n').try_for_each(|line| match line.strip_suffix('\n') {
                Some(line) => self.0.write_str(&escaped(line)).and_then(|()| self.0.write_str("\n")),
                None => self.0.write_str(&escaped(line)),
            })
        }
    }
    print_with(|out| write(&mut Lines(out)))
}

/// Prints data that is too large to build in memory first, and a line end.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<()> {
    print_lines(|out| write(out).and_then(|()| out.write_str("\n")))
}

/// Prints lines that are too large to build in memory first.
pub(crate) fn print_lines(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<()> {
    struct Stream(io::BufWriter<io::StdoutLock<'static>>, io::Result<()>);
    impl fmt::Write for Stream {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.1 = self.0.write_all(text.as_bytes());
            if self.1.is_ok() { Ok(()) } else { Err(fmt::Error) }
        }
    }
    let mut out = Stream(io::BufWriter::with_capacity(1 << 16, io::stdout().lock()), Ok(()));
    let _told_below = write(&mut out);
    out.1?;
    out.0.flush()?;
    Ok(())
}

/// Prints a line for people on standard error.
pub(crate) fn print_status(line: &str) {
    let _standard_error_may_be_closed = writeln!(io::stderr().lock(), "{}", shown(line));
}

/// Prints why a command failed on standard error: what is wrong, where, and after an empty line what to do; or all of
/// it in one line.
pub(crate) fn print_error(e: &Parts, in_one_line: bool) {
    if in_one_line {
        return print_status(&format!("error: {e}"));
    }
    let mut text = format!("{} {}\n", in_color("error:", "31"), shown(&e.what));
    let place = e.place();
    if !place.is_empty() {
        text += &format!("  at {}\n", shown(&place));
    }
    if let Some(hint) = &e.hint {
        text += &format!("\n{} {}\n", in_color("hint:", "36"), shown(hint));
    }
    let _standard_error_may_be_closed = io::stderr().lock().write_all(text.as_bytes());
}

/// Formats a word in bold and a color, if standard error is a terminal with colors and the user wants them.
fn in_color(word: &'static str, color: &str) -> Cow<'static, str> {
    match io::stderr().is_terminal() && has_colors() {
        true => format!("\u{1b}[1;{color}m{word}\u{1b}[0m").into(),
        false => word.into(),
    }
}

/// Returns true if terminals have colors and the user wants them: see <https://no-color.org>.
pub(crate) fn has_colors() -> bool {
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_unwanted && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Reports on standard error what was done, unless the user wants it quiet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status {
    is_quiet: bool,
}

impl Status {
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self { is_quiet }
    }
    /// Prints a line for people.
    pub(crate) fn print(self, line: &str) {
        if !self.is_quiet {
            print_status(line);
        }
    }
    /// Returns a progress bar for long work.
    pub(crate) fn bar(self) -> Bar {
        Bar::new(!self.is_quiet)
    }
}

/// Formats a count, in the singular or the plural.
pub(crate) fn count(n: u64, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// Replaces the line ends of a text.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if standard output is a pipe whose reader has closed it.
pub(crate) fn is_closed_pipe(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Io(e) if e.kind() == io::ErrorKind::BrokenPipe)
}

/// Formats a number of bytes for people.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_singular_or_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
