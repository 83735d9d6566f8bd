//! Escapes text from stored data in HTML.

use crate::output::escaped;
use std::fmt;

/// Escapes text for HTML, including quoted attributes. Characters that control a terminal or the direction of text
/// become escapes; line ends are preserved.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        for c in escaped(line).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                c => out.push(c),
            }
        }
    }
    out
}

/// Returns the first `most` bytes of the written text, and whether there was more.
pub(super) fn limited(most: usize, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> (String, bool) {
    struct Limited {
        text: String,
        left: usize,
    }
    impl fmt::Write for Limited {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.floor_char_boundary(self.left);
            self.text.push_str(&text[..end]);
            self.left -= end;
            if end < text.len() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut out = Limited { text: String::new(), left: most };
    let is_cut = write(&mut out).is_err();
    (out.text, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(html("<script>alert('&\"')</script>"), "&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;");
        assert_eq!(html("a\u{1b}\u{202e}\nb\n"), "a\\u{1b}\\u{202e}\nb\n");
        assert_eq!(html("ä 😀"), "ä 😀");
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let write = |out: &mut dyn fmt::Write| out.write_str("aä").and_then(|()| out.write_str("b"));
        assert_eq!(limited(4, write), ("aäb".to_owned(), false));
        assert_eq!(limited(3, write), ("aä".to_owned(), true));
        assert_eq!(limited(2, write), ("a".to_owned(), true));
    }
}
