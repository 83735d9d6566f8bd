//! A conformance suite for Zarr v3: for extensions, plugins, stores and implementations.
//!
//! Four subjects, each with its checks: an [`extension`] of a registry, a [`plugin`]'s library, a [`store`], an
//! [`implementation`] in any language. [`check`] says what a check is and runs it, [`report`] what came of a run, and
//! [`clauses`] what is required. [`cases`] finds golden arrays, refusals and damage.
//!
//! The test of an extension that is linked:
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
//! [`peers`] and [`third_party`] are for the tests of this project.
#![deny(unsafe_code)]

pub mod cases;
pub mod check;
pub mod clauses;
pub mod elements;
pub mod export;
pub mod extension;
pub mod implementation;
pub mod peers;
pub mod plugin;
pub mod report;
pub mod store;
pub mod third_party;
mod wait;
