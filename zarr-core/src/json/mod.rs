//! Strict, lossless JSON: preserves the order of members and the exact digits, and rejects duplicate members.
//!
//! The value type of serde_json preserves neither order nor digits, unless features are enabled that would affect the
//! whole program, and it drops duplicate members silently. Metadata documents must be written as they were read, so
//! this crate has a small value type of its own. Typed configurations use serde_json.
//!
//! ```
//! use zarr_core::json::Json;
//! let text = r#"{"b":1.50,"a":9007199254740993}"#;
//! assert_eq!(Json::parse(text.as_bytes(), &Default::default())?.to_string(), text);
//! assert!(Json::parse(br#"{"a":1,"a":2}"#, &Default::default()).is_err());
//! # Ok::<(), zarr_core::Error>(())
//! ```
//!
//! Values are created with `From`, accessed with `[]`, and convert from and to the values of serde_json:
//!
//! ```
//! use zarr_core::json::Json;
//! let json: Json = r#"{"order": [1, 0], "scale": 0.5}"#.parse()?;
//! assert_eq!((json["order"][0].as_u64(), json["scale"].as_f64()), (Some(1), Some(0.5)));
//! assert_eq!(json["absent"]["below"], Json::Null);
//! let value = serde_json::Value::try_from(&json)?;
//! assert!(json.is_same(&Json::from(value)));
//! assert_eq!(Json::from([1.5, f64::NAN]).to_string(), "[1.5,null]");
//! # Ok::<(), zarr_core::Error>(())
//! ```

mod convert;
mod fill_value;
mod parse;
mod print;
mod text;
mod value;

pub use fill_value::FillValue;
pub use text::Text;
pub use value::{Json, Number, Object};
