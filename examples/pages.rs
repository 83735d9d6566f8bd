//! The pages of the repository that have code in Rust: their code is compiled as doctests.
//!
//! They are here and not in the crates that they describe, because no published crate may refer to files outside of it.

/// The first page of the repository.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The tutorial for authors of extensions.
#[cfg(doctest)]
#[doc = include_str!("../docs/adding-an-extension.md")]
struct Tutorial;
