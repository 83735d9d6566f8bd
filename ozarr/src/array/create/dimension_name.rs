//! Names of dimensions, which are optional.

/// The name of a dimension, or none. Converts from text and from an `Option` of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionName(pub(super) Option<String>);

impl From<&str> for DimensionName {
    fn from(name: &str) -> Self {
        Self(Some(name.to_owned()))
    }
}
impl From<String> for DimensionName {
    fn from(name: String) -> Self {
        Self(Some(name))
    }
}
impl<S: Into<String>> From<Option<S>> for DimensionName {
    fn from(name: Option<S>) -> Self {
        Self(name.map(Into::into))
    }
}
