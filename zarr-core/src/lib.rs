//! The core of Zarr v3.1: the extension points, the metadata documents, and the path from a document to the bytes of a
//! chunk.
//!
//! | | |
//! |---|---|
//! | extension points | [`data_type`], [`chunk_grid`], [`chunk_key_encoding`], [`codec`], [`storage_transformer`] |
//! | built-in extensions | [`builtin`]; the codecs are in `zarr-codecs` |
//! | the registry, which resolves names in metadata | [`registry`] |
//! | documents | [`metadata`], [`extension`], [`json`], [`name`] |
//! | data that flows through codecs | [`representation`], [`layout`], [`view`], [`source`], [`call`] |
//! | the abstract store interface | [`store`] |
//! | limits on untrusted input | [`limits`] |
//! | errors, their location, and hints | [`error`] |
//! | tests of extensions | `testing`, with the cargo feature `testing` |
//!
//! Additions do not break callers: the option structs ([`limits::Limits`], [`call::Options`]) are `#[non_exhaustive]`
//! and have a setter `with_..` for each field, and the enums that the specification or this project may extend
//! ([`ErrorKind`], [`source::ByteRange`], [`codec::DecodeStrategy`]) are `#[non_exhaustive]` too. Enums that are
//! complete by definition ([`representation::Size`], [`json::Json`], [`extension::ExtensionPoint`]) are not.
//!
//! This crate performs no input or output and no compression. A third-party extension uses the same interface as the
//! built-in ones: implement [`registry::ExtensionType`] and the trait of the extension point, then [`register!`] the
//! type or [add](registry::Registry::add) it to a registry.
#![cfg_attr(docsrs, feature(doc_cfg))]

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
