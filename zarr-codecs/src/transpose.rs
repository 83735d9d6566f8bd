//! transpose
