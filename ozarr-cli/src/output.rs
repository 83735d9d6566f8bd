//! Where things are said: data on standard output, talk on standard error.
//!
//! Names and error texts come from stored data. What is printed for people shows them as text: they cannot control a
//! terminal, begin a line that looks like one of ours, or bury the rest under a megabyte. JSON has them in full.

use ozarr::{Error, ErrorKind, Result};
use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::{self, Write},
};

/// The most characters of a line, and of a name within one.
const LINE: usize = 4000;
const NAME: usize = 200;

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

/// Prints data that is too large to be put together first.
pub(crate) fn print_with(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<()> {
    struct Stream(io::BufWriter<io::StdoutLock<'static>>, io::Result<()>);
    impl fmt::Write for Stream {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.1 = self.0.write_all(text.as_bytes());
            if self.1.is_ok() { Ok(()) } else { Err(fmt::Error) }
        }
    }
    let mut out = Stream(io::BufWriter::with_capacity(1 << 16, io::stdout().lock()), Ok(()));
    let _told_below = write(&mut out).and_then(|()| out.write_str("\n"));
    out.1?;
    out.0.flush()?;
    Ok(())
}

/// Prints a line for people on standard error.
pub(crate) fn say(line: &str) {
    let _nobody_listens = writeln!(io::stderr().lock(), "{}", shown(line));
}

/// Says what went wrong, in one line.
pub(crate) fn complain(e: &Error) {
    say(&format!("error: {e}"));
}

/// A text as one line for people: escaped, and cut if it is very long.
pub(crate) fn shown(text: &str) -> String {
    escaped(&cut(text, LINE)).into_owned()
}

/// A name as part of a line: cut if it is long. The line is escaped as a whole.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    cut(name, NAME)
}

/// A text in which every character that controls a terminal or the direction of what follows is an escape.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    let controls = |c: char| {
        let is_direction =
            matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c.is_control() || is_direction || matches!(c, '\u{2028}' | '\u{2029}')
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The first and the last characters of a text that is longer than `most`: what follows a long name, as a hint, matters too.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    let Some(left_out) = count.checked_sub(most).filter(|n| *n > 0) else { return Cow::Borrowed(text) };
    let at = |i: usize| text.char_indices().nth(i).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(most / 2)], &text[at(count - most / 2)..]);
    Cow::Owned(format!("{head}… ({left_out} characters left out) …{tail}"))
}

/// A number of things, in the singular or the plural.
pub(crate) fn count(n: u64, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(shown("a\u{1b}[31m\u{7}\n\r\t\u{9b}\u{7f}b"), r"a\u{1b}[31m\u{7}\n\r\t\u{9b}\u{7f}b");
        assert_eq!(shown("\u{202e}x\u{2066}y\u{2028}"), r"\u{202e}x\u{2066}y\u{2028}");
        assert_eq!(shown("\u{61c}x\u{200e}y\u{200f}"), r"\u{61c}x\u{200e}y\u{200f}");
        assert_eq!(shown(r#"plain "ä" \ 😀 ├──"#), r#"plain "ä" \ 😀 ├──"#);
    }

    #[test]
    fn what_is_long_is_cut_in_the_middle() {
        let just = "ä".repeat(NAME);
        assert_eq!(name(&just), just);
        assert_eq!(
            name(&format!("{just}x")),
            format!("{0}… (1 characters left out) …{1}x", "ä".repeat(100), "ä".repeat(99))
        );
        let line = shown(&format!("begin{}end; hint: look", "\u{1b}".repeat(1_000_000)));
        assert!(
            line.starts_with("begin") && line.ends_with("end; hint: look") && line.len() < 8 * LINE,
            "{}",
            line.len()
        );
    }

    #[test]
    fn numbers_of_things() {
        assert_eq!([0, 1, 2].map(|n| count(n, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
