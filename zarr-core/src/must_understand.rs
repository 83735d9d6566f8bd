//! The one policy for what is not known.
//!
//! Specification: core, "`must_understand`". An extension that is not known is refused, unless it says that it need
//! not be understood and stands where that is supported:
//!
//! | where | unknown, flag true or absent | flag false |
//! |---|---|---|
//! | data type, chunk grid, chunk key encoding | refused | refused, known or not |
//! | codec, storage transformer | refused | known: used. Unknown: skipped, and nothing can be written |
//! | member of a metadata document | refused | ignored, kept when written back |
//!
//! A flag that is not a boolean is refused everywhere. All roads that open a node come through here.

use crate::{
    error::{Error, Result},
    extension::{Extension, ExtensionPoint},
    json::Json,
};

/// For data type, chunk grid and chunk key encoding, given what is found under the name.
pub(crate) fn required<T>(
    point: ExtensionPoint,
    e: &Extension,
    found: Option<T>,
    unknown: impl FnOnce() -> Error,
) -> Result<T> {
    if e.must_understand() == Some(false) {
        let refused = Error::metadata(format!("`must_understand: false` is not supported for a {point}"));
        return Err(refused.at_extension(point, e.name()));
    }
    found.ok_or_else(unknown)
}

/// For codecs and storage transformers, given what is found under the name. `None`: skip it.
pub(crate) fn optional<T>(e: &Extension, found: Option<T>, unknown: impl FnOnce() -> Error) -> Result<Option<T>> {
    match found {
        Some(found) => Ok(Some(found)),
        None if e.must_understand() == Some(false) => Ok(None),
        None => Err(unknown()),
    }
}

/// For a member of a metadata document that the specification does not define.
pub(crate) fn member(name: &str, value: &Json) -> Result<()> {
    let flag = value.as_object().and_then(|o| o.get("must_understand"));
    match flag {
        Some(Json::Bool(false)) => Ok(()),
        Some(Json::Bool(true)) | None => {
            let e = Error::metadata("unknown, and not marked `\"must_understand\": false`");
            Err(e.within(name))
        }
        Some(other) => {
            let e = Error::metadata(format!("must be a boolean, not {}", other.kind()));
            Err(e.within("must_understand").within(name))
        }
    }
}
