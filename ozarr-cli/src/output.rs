//! Where things are said: data on standard output, talk on standard error.
//!
//! Names and error texts come from stored data. What is printed for people shows them as text: they cannot control a
//! terminal, begin a line that looks like one of ours, or bury the rest under a megabyte. JSON has them in full.

pub(crate) use ozarr::text::{escaped, name, shown};

use crate::words::Failure;
use ozarr::{Error, ErrorKind, Result};
use std::{
    fmt,
    io::{self, Write},
};

/// Prints data without a line end.
pub(crate) fn put(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Prints data as it is, and a line end.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(())
}

/// Prints a line for people on standard output.
pub(crate) fn show(line: &str) -> Result<()> {
    print(&shown(line))
}

/// Prints text for people that is too large to be put together first: no line is cut.
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

/// Prints data that is too large to be put together first, and a line end.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<()> {
    print_lines(|out| write(out).and_then(|()| out.write_str("\n")))
}

/// Prints lines that are too large to be put together first.
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

/// Prints why a command failed in one line, on standard error.
pub(crate) fn print_error(e: &Failure) {
    print_status(&format!("error: {e}"));
}

/// A number of things, in the singular or the plural.
pub(crate) fn count(n: u64, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// A text without line ends.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if standard output is a pipe whose reader has gone.
pub(crate) fn is_closed_pipe(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Io(e) if e.kind() == io::ErrorKind::BrokenPipe)
}

/// A number of bytes for people.
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
    fn numbers_of_things() {
        assert_eq!([0, 1, 2].map(|n| count(n, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
