//! vlen
