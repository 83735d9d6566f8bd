//! Strings of a document in 16 bytes: short ones inline, others in an allocation of exactly their length.

use std::{fmt, ops::Deref};

/// The text of a string or a number, or the name of a member.
#[derive(Clone)]
pub struct Text(Repr);

/// The largest number of bytes that are stored inline.
const SHORT: usize = 7;

#[derive(Clone)]
enum Repr {
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

/// Returns the approximate size of an allocation of `bytes` bytes.
pub(super) const fn block(bytes: usize) -> usize {
    let block = bytes.saturating_add(8).next_multiple_of(16);
    if block < 32 { 32 } else { block }
}

impl Text {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Short(len, bytes) => {
                let bytes = bytes.get(..usize::from(*len)).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or_default()
            }
            Repr::Long(text) => text,
        }
    }
    /// Returns the size of the allocation for a text of this length.
    pub(super) fn memory(len: usize) -> usize {
        if len > SHORT { block(len) } else { 0 }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Self(Repr::Short(text.len() as u8, bytes))
            }
            None => Self(Repr::Long(text.into())),
        }
    }
}
impl From<String> for Text {
    fn from(text: String) -> Self {
        if text.len() > SHORT { Self(Repr::Long(text.into())) } else { text.as_str().into() }
    }
}
impl From<&String> for Text {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}
impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}
impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}
impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_small_and_preserved() {
        assert_eq!(size_of::<Text>(), 16);
        for n in 0..20 {
            let text: String = "äbcdefghijklmnopqrstuv".chars().take(n).collect();
            for made in [Text::from(text.as_str()), Text::from(text.clone())] {
                assert_eq!((made.as_str(), made.to_string()), (&*text, text.clone()));
                assert_eq!(made.clone(), made);
            }
        }
    }
}
