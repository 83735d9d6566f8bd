//! Conversions between [`Json`] and types of Rust, serde and serde_json.

use super::value::{Json, Number, Object};
use crate::{
    error::{Error, ErrorKind, Result},
    limits::Limits,
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::Error as _,
};
use serde_json::{Value, value::RawValue};
use std::{ops::Index, str::FromStr};

macro_rules! from_integer { ($($t:ty)*) => { $(
    impl From<$t> for Json { fn from(n: $t) -> Self { Json::Number(Number(n.to_string().into())) } }
)* } }
from_integer!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// Converts numbers that are not finite to null, as serde_json does: JSON has no such numbers. For fill values, which
/// have strings for them, use [`FillValue`](super::FillValue).
impl From<f64> for Json {
    fn from(v: f64) -> Self {
        Json::from_f64(v).into()
    }
}
/// Like [`f64`], with the fewest digits that read back as the same 32-bit number.
impl From<f32> for Json {
    fn from(v: f32) -> Self {
        Json::from_f32(v).into()
    }
}
impl From<bool> for Json {
    fn from(b: bool) -> Self {
        Json::Bool(b)
    }
}
impl From<&str> for Json {
    fn from(s: &str) -> Self {
        Json::String(s.into())
    }
}
impl From<String> for Json {
    fn from(s: String) -> Self {
        Json::String(s.into())
    }
}
/// Converts `None` to null.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(v: Option<T>) -> Self {
        v.map_or(Json::Null, Into::into)
    }
}
impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(v: Vec<T>) -> Self {
        v.into_iter().collect()
    }
}
impl<T: Into<Json>, const N: usize> From<[T; N]> for Json {
    fn from(v: [T; N]) -> Self {
        v.into_iter().collect()
    }
}
impl<T: Into<Json> + Copy> From<&[T]> for Json {
    fn from(v: &[T]) -> Self {
        v.iter().copied().collect()
    }
}
impl From<Object> for Json {
    fn from(o: Object) -> Self {
        Json::Object(o)
    }
}
impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Json::Array(items.into_iter().map(Into::into).collect())
    }
}

/// Lossless: preserves the order of members, and the digits of numbers as serde_json prints them.
impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(b),
            Value::Number(n) => Json::Number(Number(n.to_string().into())),
            Value::String(s) => Json::String(s.into()),
            Value::Array(items) => items.into_iter().collect(),
            Value::Object(members) => Json::Object(members.into_iter().collect()),
        }
    }
}

/// Converts as far as serde_json can represent it: numbers become `u64`, `i64` or the nearest `f64`, and members are
/// sorted by name.
///
/// # Errors
/// If a number exceeds the range of `f64`.
impl TryFrom<&Json> for Value {
    type Error = Error;
    fn try_from(json: &Json) -> Result<Self> {
        Ok(match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => Value::Number(n.try_into()?),
            Json::String(s) => Value::String(s.to_string()),
            Json::Array(items) => Value::Array(items.iter().map(Value::try_from).collect::<Result<_>>()?),
            Json::Object(members) => {
                let members = members.iter().map(|(name, v)| Ok((name.to_owned(), v.try_into()?)));
                Value::Object(members.collect::<Result<_>>()?)
            }
        })
    }
}
impl TryFrom<&Number> for serde_json::Number {
    type Error = Error;
    fn try_from(n: &Number) -> Result<Self> {
        // Negative zero is not an integer.
        let signed = n.as_i64().filter(|v| *v != 0).map(Self::from);
        let number = n.as_u64().map(Self::from).or(signed).or_else(|| Self::from_f64(n.as_f64()));
        number.ok_or_else(|| {
            let reason = format!("{} is out of range for 64-bit floating-point numbers", n.as_str());
            ErrorKind::Conversion(reason).into()
        })
    }
}

/// Parses with the default [limits](Limits).
impl FromStr for Json {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text.as_bytes(), &Limits::default())
    }
}

impl Json {
    /// Converts a value that implements [`Serialize`].
    ///
    /// # Errors
    /// If the value does not serialize to JSON.
    pub fn from_serialize(value: &(impl Serialize + ?Sized)) -> Result<Self> {
        let text = serde_json::to_vec(value).map_err(|e| Error::configuration(e.to_string()))?;
        Self::parse(&text, &Limits { json_depth: u32::MAX >> 16, ..from_memory() })
    }
    /// Converts to a type that implements `Deserialize`. Whether unknown members are errors depends on the type.
    ///
    /// # Errors
    /// If the value does not have the form that the type expects.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.to_string()).map_err(|e| {
            let text = e.to_string();
            let reason = text.split(" at line ").next().unwrap_or(&text);
            Error::configuration(in_words_of_json(reason))
        })
    }
}

/// Replaces the words of Rust at both ends of a message of serde.
fn in_words_of_json(text: &str) -> String {
    const STARTS: [(&str, &str); 6] = [
        ("missing field", "missing member"),
        ("unknown field", "unknown member"),
        ("duplicate field", "duplicate member"),
        ("unknown variant", "unknown value"),
        ("invalid type: map", "invalid type: object"),
        ("invalid type: sequence", "invalid type: array"),
    ];
    const ENDS: [(&str, &str); 3] = [
        (", there are no fields", ", expected no members"),
        ("expected a map", "expected an object"),
        ("expected a sequence", "expected an array"),
    ];
    let start = STARTS.iter().find(|(start, _)| text.starts_with(start));
    let text = start.map_or_else(|| text.to_owned(), |(from, to)| text.replacen(from, to, 1));
    let end = ENDS.iter().find_map(|(from, to)| Some(format!("{}{to}", text.strip_suffix(from)?)));
    end.unwrap_or(text)
}

static NULL: Json = Json::Null;

/// Returns a member of an object; null if it is absent, or if this is not an object.
impl Index<&str> for Json {
    type Output = Json;
    fn index(&self, name: &str) -> &Json {
        self.as_object().map_or(&NULL, |members| &members[name])
    }
}
/// Returns an element of an array; null beyond its end, or if this is not an array.
impl Index<usize> for Json {
    type Output = Json;
    fn index(&self, i: usize) -> &Json {
        self.as_array().and_then(|items| items.get(i)).unwrap_or(&NULL)
    }
}
/// Returns a member; null if it is absent.
impl Index<&str> for Object {
    type Output = Json;
    fn index(&self, name: &str) -> &Json {
        self.get(name).unwrap_or(&NULL)
    }
}

/// The limits for text that is already in memory: its document was read within the limits of its reader.
fn from_memory() -> Limits {
    Limits { json_factor: u32::MAX, metadata_bytes: u64::MAX, ..Limits::default() }
}

/// Reads JSON text through serde_json, preserving digits and order. A [`Value`] preserves
/// [less](Value#impl-TryFrom<%26Json>-for-Value).
///
/// No other use is supported: not other formats, flattened members or untagged enums. Use a [`Value`] for those.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(d)?;
        Json::parse(raw.get().as_bytes(), &from_memory()).map_err(D::Error::custom)
    }
}
/// Writes JSON text through serde_json, preserving digits and order. Other formats need a [`Value`] instead.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_string()).map_err(S::Error::custom)?.serialize(s)
    }
}
/// Like [`Json`].
impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match <Json as Deserialize>::deserialize(d)? {
            Json::Object(members) => Ok(members),
            other => Err(D::Error::custom(format!("expected an object, found {}", other.kind()))),
        }
    }
}
/// Like [`Json`].
impl Serialize for Object {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_of_serde_json_survive(value in any_value()) {
            let json = Json::from(value.clone());
            prop_assert_eq!(&Value::try_from(&json).unwrap(), &value);
            prop_assert_eq!(json.to_string().parse::<Json>().unwrap(), json.clone());
            prop_assert_eq!(&serde_json::from_str::<Json>(&serde_json::to_string(&json).unwrap()).unwrap(), &json);
            if let Json::Object(members) = &json {
                let text = serde_json::to_string(members).unwrap();
                prop_assert_eq!(&text, &json.to_string());
                prop_assert_eq!(&serde_json::from_str::<Object>(&text).unwrap(), members);
            }
        }
        #[test]
        fn floating_point_numbers_survive(single in any::<f32>(), double in any::<f64>()) {
            prop_assert_eq!(Json::from(double).as_f64().map(f64::to_bits), double.is_finite().then_some(double.to_bits()));
            let json = Json::from(single);
            let read = json.to_string().parse::<f32>().ok().map(f32::to_bits);
            prop_assert_eq!(read, single.is_finite().then_some(single.to_bits()));
        }
    }

    #[test]
    fn numbers_outside_serde_json_convert_or_fail() {
        let value = |text: &str| Value::try_from(&text.parse::<Json>().unwrap());
        assert_eq!(value("-0").unwrap().as_f64().map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!(value("0").unwrap(), Value::from(0u64));
        assert_eq!(value("1.50").unwrap(), Value::from(1.5));
        assert_eq!(value("18446744073709551616").unwrap(), Value::from(18_446_744_073_709_551_616.0));
        let e = value("[{\"a\": 1e400}]").unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Conversion(_)) && e.to_string().contains("1e400"), "{e}");
    }

    #[test]
    fn digits_and_order_survive_within_typed_values() {
        #[derive(Debug, Serialize, Deserialize)]
        struct Typed {
            json: Json,
            members: Object,
        }
        let text = r#"{"json":[1.50,9007199254740993,-0],"members":{"b":1e2,"a":null}}"#;
        let typed: Typed = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&typed).unwrap(), text);
        assert_eq!(Json::from_serialize(&typed).unwrap().to_string(), text);
        let e = serde_json::from_str::<Object>("[1]").unwrap_err().to_string();
        assert!(e.contains("expected an object, found an array"), "{e}");
    }

    #[test]
    fn absent_members_are_null() {
        let json: Json = r#"{"a": [{"b": true}]}"#.parse().unwrap();
        assert_eq!(json["a"][0]["b"].as_bool(), Some(true));
        for absent in [&json["b"], &json[0], &json["a"][1], &json["a"]["b"], &json["a"][0]["b"]["c"]] {
            assert_eq!(absent, &Json::Null);
        }
        assert_eq!(json.as_object().unwrap()["a"][0]["c"], Json::Null);
    }

    #[test]
    fn rust_types_convert_to_json() {
        let all =
            [Json::from(Some([1u8, 2])), Json::from(None::<bool>), vec![0.1f32, f32::NAN].into(), u128::MAX.into()];
        assert_eq!(Json::from(all).to_string(), "[[1,2],null,[0.1,null],340282366920938463463374607431768211455]");
    }
}
