//! The user's attributes as JSON objects and as types of the caller.

use serde::{Serialize, de::DeserializeOwned};
use std::sync::LazyLock;
use zarr_core::{
    Error, Result,
    json::{Json, Object},
};

/// The attributes of a node that has none.
pub(crate) static NO_ATTRIBUTES: LazyLock<Object> = LazyLock::new(Object::new);

pub(crate) fn attributes_as<T: DeserializeOwned>(attributes: &Object) -> Result<T> {
    Json::Object(attributes.clone()).deserialize().map_err(|e| e.within("attributes"))
}

pub(crate) fn to_attributes(value: &impl Serialize) -> Result<Object> {
    match Json::from_serialize(value).map_err(|e| e.within("attributes"))? {
        Json::Object(attributes) => Ok(attributes),
        // `()` and `None` serialize to null: no attributes.
        Json::Null => Ok(Object::new()),
        other => Err(Error::argument(format!("expected attributes as an object, found {}", other.kind()))),
    }
}
