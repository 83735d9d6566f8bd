//! Escapes and cuts text from stored data, so that it is safe to show to people.
//!
//! Names and error texts come from stored data. After these functions they cannot control a terminal, start a line that
//! looks like another, or bury the rest under a megabyte.

use std::borrow::Cow;

/// The maximum number of characters of a line, and of a name in a line.
const LINE: usize = 4000;
const NAME: usize = 200;

/// Returns a text as one line for people: escaped, and cut if it is very long.
///
/// ```
/// use ozarr::text::shown;
///
/// assert_eq!(shown("two\nlines"), r"two\nlines");
/// let long = shown(&"x".repeat(1_000_000));
/// assert!(long.contains("… (996000 characters left out) …"));
/// ```
pub fn shown(text: &str) -> String {
    escaped(&cut(text, LINE)).into_owned()
}

/// Returns a name for use in a line: cut if it is long. Escape the whole line.
///
/// ```
/// use ozarr::text::name;
///
/// assert_eq!(name("temperature"), "temperature");
/// assert!(name(&"x".repeat(1000)).contains("… (800 characters left out) …"));
/// ```
pub fn name(name: &str) -> Cow<'_, str> {
    cut(name, NAME)
}

/// Escapes every character that controls a terminal or the direction of text.
///
/// ```
/// use ozarr::text::escaped;
///
/// assert_eq!(escaped("température"), "température");
/// assert_eq!(escaped("\u{1b}[31mred"), r"\u{1b}[31mred");
/// ```
pub fn escaped(text: &str) -> Cow<'_, str> {
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

/// Keeps the first and the last characters of a text that is longer than `most`. The end of a text, such as a hint
/// after a long name, matters too.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    let Some(left_out) = count.checked_sub(most).filter(|n| *n > 0) else { return Cow::Borrowed(text) };
    let at = |i: usize| text.char_indices().nth(i).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (&text[..at(most / 2)], &text[at(count - most / 2)..]);
    Cow::Owned(format!("{head}… ({left_out} characters left out) …{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown("a\u{1b}[31m\u{7}\n\r\t\u{9b}\u{7f}b"), r"a\u{1b}[31m\u{7}\n\r\t\u{9b}\u{7f}b");
        assert_eq!(shown("\u{202e}x\u{2066}y\u{2028}"), r"\u{202e}x\u{2066}y\u{2028}");
        assert_eq!(shown("\u{61c}x\u{200e}y\u{200f}"), r"\u{61c}x\u{200e}y\u{200f}");
        assert_eq!(shown(r#"plain "ä" \ 😀 ├──"#), r#"plain "ä" \ 😀 ├──"#);
    }

    #[test]
    fn long_text_is_cut_in_the_middle() {
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
}
