//! The printer: compact, or on several lines.

use super::value::{Json, Object};
use std::fmt::{Display, Formatter, Result, Write};

impl Json {
    /// Returns the document on several lines, indented by two spaces. Arrays of plain values stay on one line.
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        let _infallible = self.write_pretty(&mut out, 0);
        out
    }
    /// Writes the text of [`to_pretty`](Self::to_pretty), with all lines after the first indented by `indent` more
    /// levels.
    pub fn write_pretty(&self, out: &mut dyn Write, indent: usize) -> Result {
        pretty(self, indent, out)
    }
}

impl Object {
    /// Writes the text of [`Json::to_pretty`], with all lines after the first indented by `indent` more levels.
    pub fn write_pretty(&self, out: &mut dyn Write, indent: usize) -> Result {
        pretty_object(self, indent, out)
    }
    /// Returns the document on several lines, like [`Json::to_pretty`].
    pub fn to_pretty(&self) -> String {
        let mut out = String::new();
        let _infallible = self.write_pretty(&mut out, 0);
        out
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        compact(self, f)
    }
}
/// Prints on one line, like [`Json`].
impl Display for Object {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        Json::Object(self.clone()).fmt(f)
    }
}

fn compact(value: &Json, out: &mut dyn Write) -> Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(b) => out.write_str(if *b { "true" } else { "false" }),
        Json::Number(n) => out.write_str(n.as_str()),
        Json::String(s) => string(s, out),
        Json::Array(items) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                compact(item, out)?;
            }
            out.write_char(']')
        }
        Json::Object(members) => {
            out.write_char('{')?;
            for (i, (name, item)) in members.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                string(name, out)?;
                out.write_char(':')?;
                compact(item, out)?;
            }
            out.write_char('}')
        }
    }
}

fn line(out: &mut dyn Write, depth: usize) -> Result {
    out.write_char('\n')?;
    (0..depth).try_for_each(|_| out.write_str("  "))
}

fn pretty(value: &Json, indent: usize, out: &mut dyn Write) -> Result {
    match value {
        Json::Array(items) if items.iter().any(|v| matches!(v, Json::Array(_) | Json::Object(_))) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                line(out, indent + 1)?;
                pretty(item, indent + 1, out)?;
            }
            line(out, indent)?;
            out.write_char(']')
        }
        Json::Array(items) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_str(", ")?;
                }
                compact(item, out)?;
            }
            out.write_char(']')
        }
        Json::Object(members) => pretty_object(members, indent, out),
        plain => compact(plain, out),
    }
}

fn pretty_object(members: &Object, indent: usize, out: &mut dyn Write) -> Result {
    if members.is_empty() {
        return out.write_str("{}");
    }
    out.write_char('{')?;
    for (i, (name, item)) in members.iter().enumerate() {
        if i > 0 {
            out.write_char(',')?;
        }
        line(out, indent + 1)?;
        string(name, out)?;
        out.write_str(": ")?;
        pretty(item, indent + 1, out)?;
    }
    line(out, indent)?;
    out.write_char('}')
}

fn string(text: &str, out: &mut dyn Write) -> Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (i, b) in text.bytes().enumerate() {
        if b != b'"' && b != b'\\' && b >= b' ' {
            continue;
        }
        out.write_str(&text[plain..i])?;
        plain = i + 1;
        match b {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            b => write!(out, "\\u{b:04x}")?,
        }
    }
    out.write_str(&text[plain..])?;
    out.write_char('"')
}
