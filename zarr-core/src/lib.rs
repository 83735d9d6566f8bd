//! The contract of Zarr v3.1: what an extension is, and what happens between a metadata document and a chunk's bytes.
//!
//! | | |
//! |---|---|
//! | five extension points | [`data_type`], [`chunk_grid`], [`chunk_key_encoding`], [`codec`], [`storage_transformer`] |
//! | extensions that are built in here | [`builtin`]; the codecs are in `zarr-codecs` |
//! | one registry | [`registry`]: what a name in metadata stands for |
//! | documents | [`metadata`], [`extension`], [`json`], [`name`] |
//! | what flows through codecs | [`representation`], [`layout`], [`view`], [`source`], [`call`] |
//! | where values are kept | [`store`]: the abstract interface |
//! | what data from outside may ask for | [`limits`] |
//! | what went wrong, where, and what next | [`error`] |
//! | tests of extensions | `testing`, with the cargo feature `testing` |
//!
//! What may grow does not break its users: structs of options ([`limits::Limits`], [`call::Options`]) are `#[non_exhaustive]`
//! and have a setter `with_..` for each field, and so are enums that the specification or this project may extend
//! ([`ErrorKind`], [`source::ByteRange`], [`codec::DecodeStrategy`]). Enums that are complete by their meaning
//! ([`representation::Size`], [`json::Json`], [`extension::ExtensionPoint`]) are not.
//!
//! No input or output and no compression happens here. An extension of a third party sees what the built-in ones see:
//! implement [`registry::ExtensionType`] and the trait of the extension point, then [`register!`] it or
//! [add](registry::Registry::add) it to a registry.

pub mod builtin;
pub mod call;
pub mod chunk_grid;
pub mod chunk_key_encoding;
pub mod codec;
pub mod data_type;
pub mod error;
pub mod extension;
mod extension_point;
pub mod json;
pub mod layout;
pub mod limits;
pub mod metadata;
mod must_understand;
pub mod name;
pub mod registry;
pub mod representation;
mod size;
pub mod source;
pub mod storage_transformer;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
pub mod view;

pub use error::{Error, ErrorKind, Result};
