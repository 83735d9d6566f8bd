//! The built-in codecs of Zarr v3.1: one file and one cargo feature each.
//!
//! They register themselves in every program that links this crate, and see only what a stranger's plugin sees: the
//! contract of `zarr-core`. A codec that was switched off is known by name, so that an array that needs it is refused
//! with the feature that is missing.

#[cfg(feature = "bytes")]
mod bytes;
#[cfg(feature = "sharding_indexed")]
mod sharding_indexed;
#[cfg(feature = "transpose")]
mod transpose;

#[cfg(feature = "blosc")]
mod blosc;
#[cfg(feature = "crc32c")]
mod crc32c;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(any(feature = "vlen-utf8", feature = "vlen-bytes"))]
mod vlen;
#[cfg(feature = "zstd")]
mod zstd;

#[cfg(test)]
#[allow(dead_code, reason = "not every feature uses all of it")]
mod testing;

#[cfg(not(feature = "bytes"))]
zarr_core::absent!(Codec, "bytes", "this program was built without the feature `bytes` of zarr-codecs");
#[cfg(not(feature = "transpose"))]
zarr_core::absent!(Codec, "transpose", "this program was built without the feature `transpose` of zarr-codecs");
#[cfg(not(feature = "gzip"))]
zarr_core::absent!(Codec, "gzip", "this program was built without the feature `gzip` of zarr-codecs");
#[cfg(not(feature = "zstd"))]
zarr_core::absent!(Codec, "zstd", "this program was built without the feature `zstd` of zarr-codecs");
#[cfg(not(feature = "blosc"))]
zarr_core::absent!(Codec, "blosc", "this program was built without the feature `blosc` of zarr-codecs");
#[cfg(not(feature = "crc32c"))]
zarr_core::absent!(Codec, "crc32c", "this program was built without the feature `crc32c` of zarr-codecs");
#[cfg(not(feature = "vlen-utf8"))]
zarr_core::absent!(Codec, "vlen-utf8", "this program was built without the feature `vlen-utf8` of zarr-codecs");
#[cfg(not(feature = "vlen-bytes"))]
zarr_core::absent!(Codec, "vlen-bytes", "this program was built without the feature `vlen-bytes` of zarr-codecs");
#[cfg(not(feature = "sharding_indexed"))]
zarr_core::absent!(
    Codec,
    "sharding_indexed",
    "this program was built without the feature `sharding_indexed` of zarr-codecs"
);
