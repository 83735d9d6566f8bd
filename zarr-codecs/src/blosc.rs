//! blosc
