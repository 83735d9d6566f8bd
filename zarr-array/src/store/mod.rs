//! store/mod
