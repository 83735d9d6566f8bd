//! `zp_store`: a store with all its abilities, in either direction. Experimental: both sides must have the same minor
//! version.

mod export;
mod import;

pub(crate) use export::into_abi;
pub(crate) use import::ImportedStore;
