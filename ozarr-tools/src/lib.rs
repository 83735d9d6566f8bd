//! Work on whole Zarr v3 hierarchies: what the `ozarr` command does, for programs.
//!
//! | | |
//! |---|---|
//! | [`copy`] | an array or a hierarchy, with other codecs, chunks or data type if asked |
//! | [`validate`] | every problem of a hierarchy, with node, key and rule |
//! | [`repair`] | what can be made right without a doubt |
//! | [`consolidate`], [`check_consolidated`] | copies of metadata documents in a group |
//! | [`export`], [`export_file`], [`import`], [`import_file`] | elements as JSON, bytes or `.npy` files |
//! | [`stored`], [`stored_bytes`] | how much is stored of an array, or below a node |
//!
//! Each takes hierarchies and arrays of [`ozarr`] and gives a report. Nothing is printed: [`Progress`] tells a program how far
//! long work is, and lets it cancel the work.
//!
//! ```
//! use ozarr::{Hierarchy, NewArray};
//! use ozarr_tools::{CopyOptions, ValidateOptions, copy, validate};
//!
//! let source = Hierarchy::in_memory();
//! source.create_array("/a", NewArray::of::<u16>([100]).chunks([10]))?.write(.., &[7u16; 100])?;
//! let destination = Hierarchy::in_memory();
//! copy(&source, "/a", &destination, "/b", &CopyOptions::default().with_chunks([50]))?;
//! assert_eq!(destination.array("/b")?.chunk_shape(), Some(&[50][..]));
//! assert!(validate(&destination, "/", &ValidateOptions::default().with_data(true))?.problems.is_empty());
//! # Ok::<(), ozarr::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod consolidated;
mod copy;
mod output_file;
mod progress;
mod repair;
mod shards;
mod stored;
mod transfer;
mod validate;

pub use crate::{
    consolidated::{ConsolidatedCheck, LostDocument, StaleCopy, Staleness, check_consolidated, consolidate},
    copy::{CopyOptions, CopyReport, KeptLengths, Lengths, copy},
    output_file::OutputFile,
    progress::{Progress, Stage},
    repair::{Action, Repair, RepairOptions, RepairReport, Subject, Unexamined, repair},
    stored::{Stored, stored, stored_bytes},
    transfer::{Format, TransferOptions, export, export_file, import, import_file},
    validate::{Fault, Problem, Rule, ValidateOptions, Validation, validate},
};

/// All that is public can be sent to other threads and used by several.
#[cfg(test)]
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Action>();
    shared::<ConsolidatedCheck>();
    shared::<CopyOptions<'_>>();
    shared::<CopyReport>();
    shared::<Fault>();
    shared::<Format>();
    shared::<KeptLengths>();
    shared::<Lengths>();
    shared::<LostDocument>();
    shared::<OutputFile>();
    shared::<Problem>();
    shared::<Repair>();
    shared::<RepairOptions<'_>>();
    shared::<RepairReport>();
    shared::<Rule>();
    shared::<Stage>();
    shared::<StaleCopy>();
    shared::<Staleness>();
    shared::<Stored>();
    shared::<Subject>();
    shared::<TransferOptions<'_>>();
    shared::<Unexamined>();
    shared::<ValidateOptions<'_>>();
    shared::<Validation>();
};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
