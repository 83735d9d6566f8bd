//! Members of a configuration that may be omitted for a new array, but not in stored metadata.

use serde::{Deserialize, Deserializer};
use zarr_core::{
    Error, Result,
    extension::Extension,
    json::{Json, Object},
    registry::CreateContext,
};

/// Reads a member that may be omitted, but must not be `null`.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(d: D) -> Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

/// Returns a member that stored metadata must have. For a new array, the default is `chosen`.
pub(crate) fn or_chosen<T>(member: Option<T>, name: &str, cx: &CreateContext<'_>, chosen: T) -> Result<T> {
    match member {
        Some(value) => Ok(value),
        None if cx.intent.is_create() => Ok(chosen),
        None => Err(Error::configuration(format!("missing member `{name}`"))),
    }
}

/// Creates an extension with the present members of its configuration.
pub(crate) fn extension<const N: usize>(name: &str, members: [(&str, Option<Json>); N]) -> Extension {
    let members: Object = members.into_iter().filter_map(|(member, value)| Some((member, value?))).collect();
    Extension::new(name, members)
}
