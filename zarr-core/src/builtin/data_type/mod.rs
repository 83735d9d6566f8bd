//! The data types of the specification's core, and extension data types that every reader needs.

mod bool;
mod bytes;
mod complex;
mod float;
mod integer;
mod raw_bits;
mod string;
#[cfg(test)]
mod tests;

pub use self::integer::UINT64;

use crate::{error::Error, json::Json};
use std::fmt::Display;

fn wrong_fill(name: &str, value: &Json, wanted: &str) -> Error {
    Error::fill_value(format!("`{name}` requires {wanted}; found {value}"))
}

fn out_of_range(name: &str, value: &Json, least: impl Display, most: impl Display) -> Error {
    Error::fill_value(format!("{value} is out of range for `{name}` ({least} to {most})"))
}

fn wrong_length(name: &str, element: &[u8]) -> Error {
    Error::fill_value(format!("an element of `{name}` cannot have {} bytes", element.len()))
}

/// Defines a data type without a configuration.
macro_rules! plain_data_type {
    ($type:ty, $name:literal, $make:expr $(, aliases $aliases:expr)?) => {
        impl $crate::registry::ExtensionType for $type {
            const NAME: &'static str = $name;
            $(const ALIASES: &'static [&'static str] = $aliases;)?
            type Configuration = $crate::registry::NoConfiguration;
            fn create(_: Self::Configuration, _: &$crate::registry::CreateContext<'_>) -> $crate::error::Result<Self> {
                Ok($make)
            }
            fn configuration(&self) -> Self::Configuration {
                $crate::registry::NoConfiguration {}
            }
        }
        $crate::register!(DataType: $type);
    };
}
use plain_data_type;
