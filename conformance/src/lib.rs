//! Cases that every implementation should agree on, and peers to compare with.
//!
//! [`cases`] finds the golden cases and refusals of this folder. [`peers`] drives other implementations.
#![forbid(unsafe_code)]

pub mod cases;
pub mod peers;
