//! Errors of the library in the words of the command line.

use ozarr::{Error, ErrorKind};

/// The same error with other words for what its caller gave, and what to do next: where the library names an option, the
/// command names a flag.
pub(crate) fn reworded(e: Error, words: &[(&str, &str)]) -> Error {
    let other = |text: &str| words.iter().fold(text.to_owned(), |text, (ours, typed)| text.replace(ours, typed));
    let hint = e.hint().map(other);
    let kind = match e.kind() {
        ErrorKind::Argument(what) => ErrorKind::Argument(other(what)),
        ErrorKind::Conversion(what) => ErrorKind::Conversion(what.clone()),
        _ => return e,
    };
    if kind.to_string() == e.kind().to_string() && hint.as_deref() == e.hint() {
        return e;
    }
    let mut new = Error::new(kind);
    if let Some(node) = e.node() {
        new = new.at_node(node);
    }
    if let Some(key) = e.key() {
        new = new.at_key(key);
    }
    if let Some(chunk) = e.chunk() {
        new = new.at_chunk(chunk);
    }
    if let Some((point, name)) = e.extension() {
        new = new.at_extension(point, name);
    }
    if let Some(path) = e.json_path() {
        new = new.within(path);
    }
    match hint {
        Some(hint) => new.with_hint(hint),
        None => new,
    }
}
