//! sharding_indexed
