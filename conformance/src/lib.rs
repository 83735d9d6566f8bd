//! Cases that every implementation should agree on, and peers to compare with.
//!
//! [`cases`] finds the golden cases and refusals of this folder. [`peers`] drives other implementations,
//! [`strangers`] builds plugins as strangers would.
#![forbid(unsafe_code)]

pub mod cases;
pub mod peers;
pub mod strangers;
