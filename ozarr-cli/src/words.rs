//! Rewords errors of the library for the command line.

use ozarr::{Error, ErrorKind};
use std::{fmt, path::Path};

/// Why a command failed: an error of the library, in which names of arguments and hints are replaced. Where the library
/// names an option, the command names a flag.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    words: Vec<(&'static str, String)>,
    /// A key in the error that is the path of a file named by the user.
    file: Option<String>,
}

impl Failure {
    pub(crate) fn reworded<const N: usize>(error: Error, words: [(&'static str, &str); N]) -> Self {
        Self { words: words.map(|(ours, typed)| (ours, typed.to_owned())).into(), ..error.into() }
    }
    /// Marks the error as possibly about a file outside a store.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.file = Some(file.display().to_string());
        self
    }
    /// Returns its parts. Only the description and the hint are reworded: names and places are data.
    pub(crate) fn parts(&self) -> Parts {
        let other =
            |text: &str| self.words.iter().fold(text.to_owned(), |text, (ours, typed)| text.replace(ours, typed));
        let (mut parts, kind) = (Parts::of(&self.error), self.error.kind());
        if let ErrorKind::Argument(what) = kind
            && let Some(before) = parts.what.strip_suffix(what)
        {
            parts.what = format!("{before}{}", other(what));
        }
        parts.hint = parts.hint.as_deref().map(|hint| other(&on_command_line(hint)));
        for (label, value) in &mut parts.place {
            if *label == KEY && self.file.as_ref() == Some(&*value) {
                *label = "file";
            }
        }
        parts
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, words: Vec::new(), file: None }
    }
}

/// Where a hint names an item of the library and then `(CLI: ..)`, only the latter.
fn on_command_line(hint: &str) -> String {
    const CLI: &str = " (CLI: ";
    let named = hint.split_once(CLI).and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    match named {
        Some((before, (option, rest))) => {
            let item = before.strip_suffix('`').and_then(|text| text.rfind('`')).unwrap_or(before.len());
            format!("{}{option}{rest}", &before[..item])
        }
        None => hint.to_owned(),
    }
}

const KEY: &str = "key";
const NODE: &str = "node";

/// The parts of an error: what is wrong, where, and what to do.
#[derive(Debug, PartialEq)]
pub(crate) struct Parts {
    pub(crate) what: String,
    place: Vec<(&'static str, String)>,
    pub(crate) hint: Option<String>,
}

impl Parts {
    pub(crate) fn of(error: &Error) -> Self {
        let place = [
            ("at", error.json_path().map(str::to_owned)),
            ("chunk", error.chunk().map(|index| format!("{index:?}"))),
            (KEY, error.key().map(str::to_owned)),
            (NODE, error.node().map(str::to_owned)),
        ];
        let place = place.into_iter().filter_map(|(label, value)| Some((label, value?))).collect();
        let mut parts = Self { what: String::new(), place, hint: error.hint().map(str::to_owned) };
        let (text, rest) = (error.to_string(), parts.to_string());
        let what = text.strip_suffix(&rest).unwrap_or(&text);
        // On a command line nearly everything is an argument.
        parts.what = what.strip_prefix("invalid argument: ").unwrap_or(what).to_owned();
        parts
    }
    /// Removes a key and a node that the line already names.
    pub(crate) fn below(mut self, key: Option<&str>, node: &str) -> Self {
        self.place.retain(|(label, value)| {
            !(*label == KEY && key == Some(value.as_str()) || *label == NODE && value == node)
        });
        self
    }
    /// Returns the place as text, which is empty if it is unknown.
    pub(crate) fn place(&self) -> String {
        let parts = self.place.iter().enumerate().map(|(i, (label, value))| match (i, *label) {
            (0, "at") => value.clone(),
            (_, label) => format!("{label} {value}"),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Formats one line, as the library does.
impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        for (i, (label, value)) in self.place.iter().enumerate() {
            write!(f, "{}{label} {value}", if i == 0 { " (" } else { ", " })?;
        }
        f.write_str(if self.place.is_empty() { "" } else { ")" })?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; hint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::zarr_core::extension::ExtensionPoint;

    fn error() -> Error {
        let e = Error::argument("give `lossy`").at_stage("encode").at_extension(ExtensionPoint::Codec, "`lossy`");
        e.at_chunk(&[1, 2]).at_key("a/`lossy`").at_node("/a").within("codecs[1]").with_hint("`lossy` or not")
    }

    #[test]
    fn only_named_words_are_replaced() {
        let parts = Failure::reworded(error(), [("`lossy`", "--lossy")]).parts();
        let place = "(at codecs[1], chunk [1, 2], key a/`lossy`, node /a)";
        let wanted = format!("encode: invalid argument: give --lossy {place}; hint: --lossy or not");
        let said = parts.to_string();
        assert!(said.ends_with(&wanted) && said.contains("``lossy``"), "{said}");
        assert_eq!(Failure::from(error()).parts().to_string(), error().to_string());
        let of_data = Failure::reworded(Error::data("`lossy`"), [("`lossy`", "--lossy")]);
        assert_eq!(of_data.parts().to_string(), "damaged data: `lossy`");
    }

    #[test]
    fn hints_name_options() {
        let hint = |text: &str| Failure::from(Error::argument("x").with_hint(text)).parts().hint.unwrap();
        assert_eq!(hint("pass `.overwrite()` (CLI: `--overwrite`) or stop"), "pass `--overwrite` or stop");
        assert_eq!(hint("then call `x` (CLI: `ozarr x`)"), "then call `ozarr x`");
        assert_eq!(hint("(CLI: "), "(CLI: ");
    }

    #[test]
    fn places_are_distinguished() {
        let parts = Parts::of(&error());
        assert_eq!(parts.place(), "codecs[1], chunk [1, 2], key a/`lossy`, node /a");
        assert_eq!(parts.below(Some("a/`lossy`"), "/a").place(), "codecs[1], chunk [1, 2]");
        assert_eq!(Parts::of(&error()).below(Some("a"), "/b").place(), Parts::of(&error()).place());
        assert_eq!(Parts::of(&Error::data("short")).place(), "");
        assert_eq!(Parts::of(&Error::data("short").at_node("/a")).place(), "node /a");
        let missing = Failure::from(Error::data("short").at_key("a.npy")).in_file(Path::new("a.npy"));
        assert_eq!(missing.parts().to_string(), "damaged data: short (file a.npy)");
    }
}
