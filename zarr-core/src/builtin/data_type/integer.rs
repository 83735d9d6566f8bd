//! The data types `int8` to `int64` and `uint8` to `uint64`. Specification: "Core data types".
//!
//! A fill value is a JSON number without a fraction or exponent, exact to all 64 bits.
//!
//! ```
//! # use zarr_core::{registry::Registry, json::Json, extension::Extension, data_type::DataType};
//! let json = Json::parse(br#""uint64""#, &Default::default())?;
//! let uint64 = Registry::builtin().data_type(&Extension::parse(&json)?, &Default::default())?;
//! assert_eq!(uint64.object.fill_from_json(&Json::from(u64::MAX))?, [255; 8]);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use super::{out_of_range, plain_data_type, wrong_fill, wrong_length};
use crate::{
    data_type::DataType,
    error::Result,
    json::Json,
    layout::{Layout, ScalarKind},
};
use std::{fmt, marker::PhantomData};

/// A data type for an integer type of Rust, with the same range.
pub struct Integer<T>(PhantomData<fn() -> T>);

/// `uint64`, the data type of shard indexes.
pub const UINT64: Integer<u64> = Integer(PhantomData);

macro_rules! integers { ($($t:ident $name:literal $kind:ident;)*) => { $(
    impl fmt::Debug for Integer<$t> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($name)
        }
    }
    impl DataType for Integer<$t> {
        fn layout(&self) -> Layout {
            Layout::scalar(ScalarKind::$kind, size_of::<$t>())
        }
        fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
            let parsed = match value {
                Json::Number(n) => n.as_str().parse::<$t>().ok(),
                _ => None,
            };
            parsed.map(|n| n.to_ne_bytes().to_vec()).ok_or_else(|| {
                match value {
                    Json::Number(n) if !n.as_str().contains(['.', 'e', 'E']) => {
                        out_of_range($name, value, $t::MIN, $t::MAX)
                    }
                    _ => wrong_fill($name, value, "an integer without a fraction or exponent"),
                }
            })
        }
        fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
            let bytes = element.try_into().map_err(|_| wrong_length($name, element))?;
            Ok($t::from_ne_bytes(bytes).into())
        }
    }
    plain_data_type!(Integer<$t>, $name, Integer(PhantomData));
)* } }

integers! {
    i8 "int8" Int;
    i16 "int16" Int;
    i32 "int32" Int;
    i64 "int64" Int;
    u8 "uint8" UInt;
    u16 "uint16" UInt;
    u32 "uint32" UInt;
    u64 "uint64" UInt;
}
