//! platform/mod
