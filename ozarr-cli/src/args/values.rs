//! What values of options are made of.

use crate::words::Parts;
use ozarr::{
    Error, Selection,
    zarr_core::{
        extension::Extension,
        json::{Json, Object},
        limits::Limits,
    },
};

/// Lengths of dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Lengths(pub(crate) Vec<u64>);

/// Lengths separated by commas; none of the empty text.
pub(super) fn lengths(text: &str) -> Result<Lengths, String> {
    let length =
        |part: &str| part.trim().parse::<u64>().map_err(|_| format!("`{part}` is not a valid dimension length"));
    text.split(',').filter(|_| !text.trim().is_empty()).map(length).collect::<Result<_, _>>().map(Lengths)
}

/// A region of an array.
pub(super) fn region(text: &str) -> Result<Selection, String> {
    text.parse().map_err(|e: Error| Parts::of(&e).to_string())
}

/// Codecs as JSON, each a name or an object.
#[derive(Debug, Clone)]
pub(crate) struct Codecs(pub(crate) Vec<Json>);

pub(super) fn codecs(text: &str) -> Result<Codecs, String> {
    match Json::parse(text.as_bytes(), &Limits::default()) {
        Ok(Json::Array(codecs)) => Ok(Codecs(codecs)),
        Ok(other) => Err(format!("expected a JSON list of codecs, found {}", other.kind())),
        Err(e) => Err(format!("{e}; pass a JSON list of codecs, for example '[\"zstd\"]'")),
    }
}

fn is_json(text: &str) -> bool {
    text.starts_with(['{', '"'])
}

/// An extension by its name, or as JSON.
pub(super) fn extension(text: &str) -> Result<Extension, String> {
    let json = if is_json(text) { Json::parse(text.as_bytes(), &Limits::default()) } else { Ok(text.into()) };
    json.and_then(|json| Extension::parse(&json)).map_err(|e| e.to_string())
}

/// A compressor, or none.
#[derive(Debug, Clone)]
pub(crate) struct Compressor(pub(crate) Option<Extension>);

/// `none`, a name, JSON, or one of the short forms `zstd:3`, `gzip:9`, `blosc:lz4` and `blosc:lz4:5`.
pub(super) fn compressor(text: &str) -> Result<Compressor, String> {
    let codec = match text.split_once(':') {
        _ if text == "none" => return Ok(Compressor(None)),
        // The name of an extension may be a URL.
        Some((name, parameters)) if !is_json(text) && !parameters.starts_with("//") => short_form(name, parameters)?,
        _ => extension(text)?,
    };
    Ok(Compressor(Some(codec)))
}

fn short_form(name: &str, parameters: &str) -> Result<Extension, String> {
    let level = |text: &str| {
        let level = text.parse::<i64>().map_err(|_| format!("`{text}` is not a valid {name} level"));
        level.map(Json::from)
    };
    let configuration: Vec<(&str, Json)> = match (name, parameters.split_once(':')) {
        ("zstd", None) => vec![("level", level(parameters)?), ("checksum", false.into())],
        ("gzip", None) => vec![("level", level(parameters)?)],
        ("blosc", None) => vec![("cname", parameters.into())],
        ("blosc", Some((cname, clevel))) => vec![("cname", cname.into()), ("clevel", level(clevel)?)],
        _ => return Err("unknown short form; use zstd:LEVEL, gzip:LEVEL, blosc:CNAME[:CLEVEL] or JSON".to_owned()),
    };
    Ok(Extension::new(name, configuration.into_iter().collect::<Object>()))
}

/// An attribute: `KEY=JSON`. What cannot be the start of a list, an object or quoted text may be plain text.
pub(super) fn attribute(text: &str) -> Result<(String, Json), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("expected KEY=JSON")?;
    let json = match Json::parse(value.as_bytes(), &Limits::default()) {
        Err(e) if value.starts_with(['{', '[', '"']) => return Err(e.to_string()),
        json => json.unwrap_or_else(|_| value.into()),
    };
    Ok((key.to_owned(), json))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(text: &str) -> Result<String, String> {
        compressor(text).map(|c| c.0.map_or("none".to_owned(), |codec| codec.to_json().to_string()))
    }

    #[test]
    fn compressors_have_short_forms() {
        for (text, json) in [
            ("none", "none"),
            ("crc32c", r#""crc32c""#),
            ("https://example.org/codec", r#""https://example.org/codec""#),
            ("zstd:-3", r#"{"name":"zstd","configuration":{"level":-3,"checksum":false}}"#),
            ("gzip:9", r#"{"name":"gzip","configuration":{"level":9}}"#),
            ("blosc:zlib", r#"{"name":"blosc","configuration":{"cname":"zlib"}}"#),
            ("blosc:lz4:5", r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5}}"#),
            (r#"{"name":"a","configuration":{"b":":"}}"#, r#"{"name":"a","configuration":{"b":":"}}"#),
        ] {
            assert_eq!(compressed(text).as_deref(), Ok(json), "{text}");
        }
        for text in ["zstd:", "zstd:x", "zstd:1:2", "crc32c:1", "blosc:lz4:x", "{", ""] {
            assert!(compressed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lengths_are_separated_by_commas() {
        assert_eq!(lengths("3, 4,5").unwrap().0, [3, 4, 5]);
        assert_eq!(lengths("").unwrap().0, [0; 0]);
        assert_eq!(lengths("3,x").unwrap_err(), "`x` is not a valid dimension length");
        assert!(lengths("3,").is_err() && lengths("-1").is_err());
    }

    #[test]
    fn attributes_are_json_or_plain_text() {
        let value = |text: &str| attribute(text).map(|(key, value)| format!("{key} {value}"));
        assert_eq!(value("a=1"), Ok("a 1".to_owned()));
        assert_eq!(value("a=b=c"), Ok(r#"a "b=c""#.to_owned()));
        assert_eq!(value(r#"a="1""#), Ok(r#"a "1""#.to_owned()));
        assert_eq!(value("a=[1,{}]"), Ok("a [1,{}]".to_owned()));
        for text in ["a", "=1", "a=[1", "a={", "a=\"x"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
