//! Errors of the library in the words of the command line.

use ozarr::{Error, ErrorKind};
use std::fmt;

/// Why a command failed: an error of the library, printed with other words for what its caller gave and what to do next.
/// Where the library names an option, the command names a flag.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    words: Vec<(&'static str, String)>,
}

impl Failure {
    pub(crate) fn reworded<const N: usize>(error: Error, words: [(&'static str, &str); N]) -> Self {
        Self { error, words: words.map(|(ours, typed)| (ours, typed.to_owned())).into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, words: Vec::new() }
    }
}

/// One line. Only what is wrong and the hint are reworded: names and places are data.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let other =
            |text: &str| self.words.iter().fold(text.to_owned(), |text, (ours, typed)| text.replace(ours, typed));
        let (mut line, kind) = (self.error.to_string(), self.error.kind());
        if let (ErrorKind::Argument(_), what) = (kind, kind.to_string()) {
            line = line.replacen(&what, &other(&what), 1);
        }
        if let Some(hint) = self.error.hint()
            && let Some(before) = line.strip_suffix(hint)
        {
            line = format!("{before}{}", other(hint));
        }
        f.write_str(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ozarr::zarr_core::extension::ExtensionPoint;

    #[test]
    fn nothing_but_words_changes() {
        let error = || {
            let e = Error::argument("give `lossy`").at_stage("encode").at_extension(ExtensionPoint::Codec, "`lossy`");
            e.at_chunk(&[1, 2]).at_key("a/`lossy`").at_node("/a").within("codecs[1]").with_hint("`lossy` or not")
        };
        let said = Failure::reworded(error(), [("`lossy`", "--lossy")]).to_string();
        let place = "(at codecs[1], chunk [1, 2], key a/`lossy`, node /a)";
        let wanted = format!("encode: invalid argument: give --lossy {place}; hint: --lossy or not");
        assert!(said.ends_with(&wanted) && said.contains("``lossy``"), "{said}");
        assert_eq!(Failure::from(error()).to_string(), error().to_string());
        let of_data = Failure::reworded(Error::data("`lossy`"), [("`lossy`", "--lossy")]);
        assert_eq!(of_data.to_string(), "damaged data: `lossy`");
    }
}
