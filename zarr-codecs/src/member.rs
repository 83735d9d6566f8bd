//! Members of a configuration that a user may leave out, and stored metadata may not.

use serde::{Deserialize, Deserializer};
use zarr_core::{
    Error, Result,
    extension::Extension,
    json::{Json, Object},
    registry::CreateContext,
};

/// Reads a member that may be left out, but is not `null`.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(d: D) -> Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

/// A member that stored metadata must have. For a new array it is chosen if it was left out.
pub(crate) fn or_chosen<T>(member: Option<T>, name: &str, cx: &CreateContext<'_>, chosen: T) -> Result<T> {
    match member {
        Some(value) => Ok(value),
        None if cx.intent.is_create() => Ok(chosen),
        None => Err(Error::configuration(format!("`{name}` is missing"))),
    }
}

/// An extension with those members of its configuration that are there.
pub(crate) fn extension<const N: usize>(name: &str, members: [(&str, Option<Json>); N]) -> Extension {
    let members: Object = members.into_iter().filter_map(|(member, value)| Some((member, value?))).collect();
    Extension::new(name, members)
}
