//! The chunk grid of the specification's core.

mod regular;
