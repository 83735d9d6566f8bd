//! The rules for unknown extensions and members.
//!
//! Specification: core, "`must_understand`". An unknown extension is rejected, unless it is marked
//! `"must_understand": false` in a place that supports the flag:
//!
//! | where | unknown, flag true or absent | flag false |
//! |---|---|---|
//! | data type, chunk grid, chunk key encoding | rejected | rejected, known or not |
//! | codec, storage transformer | rejected | known: used. Unknown: skipped, and writing is not possible |
//! | member of a metadata document | rejected | ignored, and preserved when written back |
//!
//! A flag that is not a boolean is rejected everywhere. Every way to open a node uses this module.

use crate::{
    error::{Error, Result},
    extension::{Extension, ExtensionPoint},
    json::Json,
};

/// Applies the rules for data types, chunk grids and chunk key encodings to the result of a look-up.
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

/// Applies the rules for codecs and storage transformers to the result of a look-up. `None`: skip the extension.
pub(crate) fn optional<T>(e: &Extension, found: Option<T>, unknown: impl FnOnce() -> Error) -> Result<Option<T>> {
    match found {
        Some(found) => Ok(Some(found)),
        None if e.must_understand() == Some(false) => Ok(None),
        None => Err(unknown()),
    }
}

/// Applies the rules for a member of a metadata document that the specification does not define.
pub(crate) fn member(name: &str, value: &Json) -> Result<()> {
    let flag = value.as_object().and_then(|o| o.get("must_understand"));
    match flag {
        Some(Json::Bool(false)) => Ok(()),
        Some(Json::Bool(true)) | None => {
            let e = Error::metadata("unknown member without `\"must_understand\": false`");
            Err(e.within(name))
        }
        Some(other) => {
            let e = Error::metadata(format!("expected a boolean, found {}", other.kind()));
            Err(e.within("must_understand").within(name))
        }
    }
}
