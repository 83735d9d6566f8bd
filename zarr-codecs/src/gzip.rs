//! gzip
