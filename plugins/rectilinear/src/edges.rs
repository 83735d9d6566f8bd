//! The lengths of chunks along a dimension, as in metadata.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, SeqAccess, Visitor, value::SeqAccessDeserializer},
};
use std::{fmt, num::NonZeroU64};

/// The value in `chunk_shapes` for one dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Edges {
    /// One length, repeated as often as needed.
    Every(NonZeroU64),
    /// Lengths, one after another.
    List(Vec<Item>),
}

/// An item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Item {
    /// A length.
    One(NonZeroU64),
    /// A length, and the number of its repetitions.
    Run(NonZeroU64, NonZeroU64),
}

impl Item {
    /// Returns the length and the number of repetitions.
    pub(crate) fn run(self) -> (u64, u64) {
        match self {
            Item::One(length) => (length.get(), 1),
            Item::Run(length, count) => (length.get(), count.get()),
        }
    }
}

fn length<E: serde::de::Error>(n: u64) -> Result<NonZeroU64, E> {
    NonZeroU64::new(n).ok_or_else(|| E::custom("lengths and counts in `chunk_shapes` must be greater than zero"))
}

// Not derived: serde's error for untagged enums only states that no variant matched.
impl<'de> Deserialize<'de> for Edges {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Here;
        impl<'de> Visitor<'de> for Here {
            type Value = Edges;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length or a list of lengths")
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Edges, E> {
                length(n).map(Edges::Every)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Edges, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Edges::List)
            }
        }
        d.deserialize_any(Here)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Here;
        impl<'de> Visitor<'de> for Here {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length or `[length, count]`")
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Item, E> {
                length(n).map(Item::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Item, A::Error> {
                match (items.next_element()?, items.next_element()?, items.next_element::<u64>()?) {
                    (Some(n), Some(count), None) => Ok(Item::Run(length(n)?, length(count)?)),
                    _ => Err(A::Error::custom("expected a run of lengths as `[length, count]`")),
                }
            }
        }
        d.deserialize_any(Here)
    }
}
