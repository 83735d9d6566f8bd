//! A conformance suite for Zarr v3: for extensions, plugins, stores and implementations.
//!
//! There are four kinds of subjects, each with its own checks: an [`extension`] of a registry, the library of a
//! [`plugin`], a [`store`], and an [`implementation`] in any language. [`check`] defines and runs checks, [`report`]
//! describes the result of a run, and [`clauses`] lists the requirements. [`cases`] contains golden arrays, refusals
//! and damaged arrays.
//!
//! A test of a linked extension:
//!
//! ```
//! use zarr_conformance::{check::Settings, extension::{Samples, Subject}, report::Outcome};
//! # use ozarr::zarr_core::registry::Registry;
//! let samples = Samples::embedded()?.with(Samples::parse(r#"
//!     [[sample]]
//!     point = "codec"
//!     name = "gzip"
//!     configuration = '{"level": 5}'
//!     integrity = true
//! "#)?);
//! for subject in Subject::find(&Registry::builtin(), Some("gzip"), &samples)? {
//!     subject.run(&Settings::default(), &mut |record| {
//!         assert!(!matches!(record.outcome, Outcome::Fail(_)), "{record:?}");
//!     });
//! }
//! # Ok::<(), ozarr::Error>(())
//! ```
//!
#![deny(unsafe_code)]

pub mod cases;
pub mod check;
pub mod clauses;
pub mod elements;
pub mod export;
pub mod extension;
pub mod implementation;
#[doc(hidden)]
pub mod peers;
pub mod plugin;
pub mod report;
pub mod store;
#[doc(hidden)]
pub mod third_party;
mod wait;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
