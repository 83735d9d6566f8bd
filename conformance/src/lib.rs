//! A conformance suite for Zarr v3: for extensions, plugins, stores and implementations.
//!
//! [`check`] says what a check is and runs it, [`report`] what came of a run. [`cases`] finds the golden cases, refusals
//! and damage of this folder. [`peers`] drives other implementations, [`strangers`] builds plugins as strangers would.
#![deny(unsafe_code)]

pub mod cases;
pub mod check;
pub mod clauses;
pub mod elements;
pub mod extension;
pub mod implementation;
pub mod peers;
pub mod plugin;
pub mod report;
pub mod store;
pub mod strangers;
