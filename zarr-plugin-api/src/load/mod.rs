//! The host's side: finding plugins, deciding whether to trust them, loading them, and watching over their calls.
//!
//! [`Plugin::open`] loads one file. [`Search`] looks in the places where plugins are installed, and registers what it
//! finds so that a plugin is loaded when one of its names is first used. Nothing is looked for unless a program asks.
//!
//! A plugin is native code with all the rights of the program. What is checked here protects from mistakes: an answer
//! that no correct plugin gives puts it in quarantine. A plugin is never unloaded.

mod array_to_array;
mod array_to_bytes;
mod bytes_to_bytes;
mod chunk_grid;
mod chunk_key_encoding;
mod data_type;
mod descriptor;
mod elf;
mod error;
mod guard;
mod handle;
mod host;
mod lazy;
mod library;
mod manifest;
mod place;
mod plugin;
mod search;
mod storage_transformer;
mod trust;

pub use crate::abi::{ENTRY, HEADER};
pub use error::{PluginError, Reason};
pub use library::Library;
pub use manifest::{Abi, Kind, LibraryFile, Manifest, ProvidedExtension, target};
pub use place::Places;
pub use plugin::Plugin;
pub use search::{Candidate, Discovery, Mode, Policy, Search};
pub use trust::{UntrustedPath, check as trust};

/// Reads what an entry function answers, as [`Plugin::open`] does; gives how many extensions can be used. For fuzzing.
#[cfg(fuzzing)]
pub fn read_descriptor(entry: crate::abi::Entry, manifest: &Manifest, embedded: &[u8]) -> Result<usize, Reason> {
    let loaded = descriptor::read(entry, manifest, embedded)?;
    Ok(loaded.iter().filter(|e| e.table.is_ok()).count())
}
