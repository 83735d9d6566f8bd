//! Operations on whole Zarr v3 hierarchies: the library behind the `ozarr` command.
//!
//! | | |
//! |---|---|
//! | [`copy`] | copies an array or a hierarchy, with other codecs, chunks or data type if requested |
//! | [`validate`] | finds every problem of a hierarchy, with node, key and rule |
//! | [`repair`] | finds and makes the repairs that are certain |
//! | [`consolidate`], [`check_consolidated`] | write and check consolidated metadata |
//! | [`export`], [`export_file`], [`import`], [`import_file`] | transfer elements as JSON, bytes or `.npy` files |
//! | [`stored`], [`stored_bytes`] | count what is stored of an array, or below a node |
//!
//! Functions accept hierarchies and arrays of [`ozarr`] and return a report. Nothing is printed: [`Progress`] reports
//! how far long work has come, and can cancel it.
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
    validate::{Fault, Problem, ProblemKind, ValidateOptions, Validation, validate},
};

/// All public types can be sent to other threads and shared between them.
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
    shared::<ProblemKind>();
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
