//! Where things are said: data on standard output, talk on standard error.

use std::io::{self, Write};
use zarr_array::{Error, ErrorKind, Result};

/// Prints data, and a line end.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(())
}

/// Says something to people.
pub(crate) fn say(text: &str) {
    let _nobody_listens = writeln!(io::stderr().lock(), "{text}");
}

/// Says what went wrong, in one line.
pub(crate) fn complain(e: &Error) {
    say(&format!("error: {}", one_line(&e.to_string())));
}

/// A text without line ends.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if whoever reads standard output has gone.
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
