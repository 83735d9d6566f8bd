//! Keys and prefixes, validated when they are created.

use crate::{
    error::{Error, Result},
    name::NodePath,
};
use std::fmt;

/// The key of a value in a store: segments separated by `/`.
///
/// No segment is empty, `.` or `..`, or contains a null character, so no key points outside a directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// Validates a key.
    ///
    /// # Errors
    /// If a segment is not allowed.
    pub fn new(key: impl Into<String>) -> Result<Self> {
        let key = key.into();
        key.split('/').try_for_each(|s| check_segment(s, &key))?;
        Ok(Self(key))
    }
    /// Returns the key of a node's metadata document.
    pub fn metadata(node: &NodePath) -> Self {
        Self(format!("{}zarr.json", Prefix::of(node).0))
    }
    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Returns the key relative to a prefix; `None` if it does not have this prefix.
    pub fn strip(&self, prefix: &Prefix) -> Option<Key> {
        self.0.strip_prefix(prefix.as_str()).filter(|rest| !rest.is_empty()).map(|rest| Self(rest.to_owned()))
    }
}

fn check_segment(segment: &str, key: &str) -> Result<()> {
    let bad = segment.is_empty() || segment == "." || segment == ".." || segment.contains('\0');
    if bad { Err(Error::name(format!("{key:?} is not a valid key: invalid segment {segment:?}"))) } else { Ok(()) }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A prefix of keys: empty, or segments each followed by `/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Prefix(String);

impl Prefix {
    /// The prefix of all keys.
    pub const ROOT: Prefix = Prefix(String::new());

    /// Validates a prefix.
    ///
    /// # Errors
    /// If a segment is not allowed, or the prefix is not empty and does not end with `/`.
    pub fn new(prefix: impl Into<String>) -> Result<Self> {
        let prefix = prefix.into();
        match prefix.strip_suffix('/') {
            Some(inner) => inner.split('/').try_for_each(|s| check_segment(s, &prefix))?,
            None if prefix.is_empty() => {}
            None => return Err(Error::name(format!("the prefix {prefix:?} does not end with `/`"))),
        }
        Ok(Self(prefix))
    }
    /// Returns the prefix of a node: of its metadata document, its chunks, and the nodes below it.
    pub fn of(node: &NodePath) -> Self {
        if node.is_root() { Self::ROOT } else { Self(format!("{}/", node.as_key())) }
    }
    /// Returns the prefix as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Returns the key with this prefix and a name, which may have several segments.
    ///
    /// # Errors
    /// If the name has a segment that is not allowed.
    pub fn key(&self, name: &str) -> Result<Key> {
        Key::new(format!("{}{name}", self.0))
    }
    /// Returns a key moved below this prefix.
    pub fn join(&self, key: &Key) -> Key {
        Key(format!("{}{}", self.0, key.0))
    }
    /// Returns a prefix moved below this prefix.
    pub fn join_prefix(&self, prefix: &Prefix) -> Prefix {
        Prefix(format!("{}{}", self.0, prefix.0))
    }
    /// Returns the prefix relative to another; `None` if it is not below the other.
    pub fn strip(&self, prefix: &Prefix) -> Option<Prefix> {
        self.0.strip_prefix(prefix.as_str()).map(|rest| Self(rest.to_owned()))
    }
}
impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_leave_the_store_are_refused() {
        for bad in ["", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.", "a\0b"] {
            assert!(Key::new(bad).is_err(), "{bad:?}");
            assert!(Prefix::new(format!("{bad}/")).is_err(), "{bad:?}");
        }
        for good in ["a", "zarr.json", "a/c/0/1", "...", "a b/é"] {
            assert!(Key::new(good).is_ok(), "{good:?}");
        }
        assert!(Prefix::new("a").is_err() && Prefix::new("").is_ok() && Prefix::new("a/b/").is_ok());
    }
}
