//! The host's side: finds plugins, decides which to trust, loads them, and monitors calls into their code.
//!
//! [`Plugin::open`] loads one file. [`Search`] looks in the folders where plugins are installed, and registers the
//! plugins that it finds; each is loaded when one of its names is first used. Nothing is searched for or loaded unless
//! a program asks for it.
//!
//! A plugin is native code with all rights of the program. The checks protect against mistakes, not against malice: a
//! plugin that violates the contract of the interface is put in quarantine. A plugin is never unloaded.

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

/// Reads and checks the descriptor of a plugin, as [`Plugin::open`] does, and returns the number of usable extensions.
/// For fuzzing.
#[cfg(fuzzing)]
pub fn read_descriptor(entry: crate::abi::Entry, manifest: &Manifest, embedded: &[u8]) -> Result<usize, Reason> {
    let loaded = descriptor::read(entry, manifest, embedded)?;
    Ok(loaded.iter().filter(|e| e.table.is_ok()).count())
}
