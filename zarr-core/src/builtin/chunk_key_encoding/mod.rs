//! The chunk key encodings of the specification's core.

mod default;
mod v2;

use crate::{error::Result, view::Dims};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Separator {
    #[serde(rename = "/")]
    Slash,
    #[serde(rename = ".")]
    Dot,
}

impl Separator {
    fn as_char(self) -> char {
        match self {
            Separator::Slash => '/',
            Separator::Dot => '.',
        }
    }
    fn join(self, chunk_index: &[u64]) -> String {
        let mut text = String::new();
        for (i, n) in chunk_index.iter().enumerate() {
            if i > 0 {
                text.push(self.as_char());
            }
            text.push_str(&n.to_string());
        }
        text
    }
    fn split(self, text: &str, rank: usize) -> Option<Dims> {
        let number = |s: &str| {
            let canonical = s == "0" || !s.starts_with('0') && s.bytes().all(|b| b.is_ascii_digit());
            canonical.then(|| s.parse().ok())?
        };
        let chunk_index: Dims = text.split(self.as_char()).map(number).collect::<Option<_>>()?;
        (chunk_index.len() == rank).then_some(chunk_index)
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    separator: Option<Separator>,
}

/// Reads a member that may be omitted, but must not be `null`.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Separator>, D::Error> {
    Separator::deserialize(d).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::{extension::Extension, json::Json, registry::*, representation::Representation};

    #[test]
    fn keys_of_the_specification() {
        let (registry, limits, notes) = (Registry::builtin(), Default::default(), Notes::default());
        let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open);
        let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap();
        let array = Representation::new(uint8.object, &[9, 99, 99], &[0]);
        for (json, chunk_index, key) in [
            (r#""default""#, &[1, 23, 45][..], "c/1/23/45"),
            (r#"{"name":"default","configuration":{"separator":"."}}"#, &[1, 23, 45], "c.1.23.45"),
            (r#""default""#, &[], "c"),
            (r#"{"name":"v2"}"#, &[1, 23, 45], "1.23.45"),
            (r#"{"name":"v2","configuration":{"separator":"/"}}"#, &[1, 23, 45], "1/23/45"),
            (r#""v2""#, &[], "0"),
        ] {
            let extension = Extension::parse(&Json::parse(json.as_bytes(), &limits).unwrap()).unwrap();
            let encoding = registry.chunk_key_encoding(&extension, &cx.with(&array)).unwrap().object;
            assert_eq!(encoding.encode(chunk_index).unwrap(), key);
            assert_eq!(encoding.decode(key, chunk_index.len()).as_deref(), Some(chunk_index));
            for bad in ["", "x", "c/", "c/01/2/3", "c/1/2/3/4", "1.2", "c/-1/2/3", "c/+1/2/3", "1..2", "zarr.json"] {
                assert_eq!(encoding.decode(bad, 3), None, "{bad}");
            }
        }
        for bad in [
            r#"{"name":"v2","configuration":{"separator":"-"}}"#,
            r#"{"name":"v2","configuration":{"separator":null}}"#,
        ] {
            let extension = Extension::parse(&Json::parse(bad.as_bytes(), &limits).unwrap()).unwrap();
            assert!(registry.chunk_key_encoding(&extension, &cx.with(&array)).is_err());
        }
    }
}
