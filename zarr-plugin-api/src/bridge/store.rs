//! `zp_store`: a store with all its abilities, in either direction. Experimental: both sides have the same minor.

mod export;
mod import;

pub(crate) use export::into_abi;
pub(crate) use import::ImportedStore;
