//! The table: a member of a document, and the required outcome for a node that has it.

use ozarr::zarr_core::extension::ExtensionPoint;

/// The required outcome.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    /// The node opens and can be written.
    Opens,
    /// It opens without the extension of this name, as if the member had this value. No chunk can be written.
    Skips(&'static str, String),
    /// It is refused because an extension is unknown.
    Unknown(ExtensionPoint),
    /// It is refused because the document breaks a rule.
    Breaks,
}

/// A row of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) member: &'static str,
    pub(crate) value: String,
    pub(crate) verdict: Verdict,
}

impl Row {
    fn new(member: &'static str, value: impl Into<String>, verdict: Verdict) -> Self {
        Self { member, value: value.into(), verdict }
    }
    /// Returns the document of an array that is valid except for this member.
    pub(crate) fn array(&self) -> String {
        with(&ARRAY, self.member, &self.value)
    }
    /// Returns the document of an array with the value that this member has for a reader that skips what it does not
    /// have to understand.
    pub(crate) fn array_without_skipped(&self) -> String {
        match &self.verdict {
            Verdict::Skips(_, without) => with(&ARRAY, self.member, without),
            _ => self.array(),
        }
    }
    /// Returns the document of a group that is valid except for this member.
    pub(crate) fn group(&self) -> String {
        with(&GROUP, self.member, &self.value)
    }
}

/// A valid array. Its order and digits are unusual, and must be preserved.
const ARRAY: [(&str, &str); 11] = [
    ("codecs", r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#),
    ("zarr_format", "3"),
    ("node_type", r#""array""#),
    ("shape", "[4,6]"),
    ("chunk_grid", r#"{"configuration":{"chunk_shape":[2,3]},"name":"regular"}"#),
    ("kept", r#"{"n":1.50,"must_understand":false,"big":123456789012345678901234567890}"#),
    ("data_type", r#""int32""#),
    ("fill_value", "-7"),
    ("chunk_key_encoding", r#"{"name":"default"}"#),
    ("attributes", r#"{"z":1e3,"a":-0.0,"must_understand":true,"m":{"must_understand":true}}"#),
    ("storage_transformers", "[]"),
];
/// A valid group.
const GROUP: [(&str, &str); 4] = [
    ("node_type", r#""group""#),
    ("kept", r#"{"n":2.50,"must_understand":false,"big":-0.00e-00}"#),
    ("attributes", r#"{"z":1E+3}"#),
    ("zarr_format", "3"),
];

/// Returns the document with one member replaced, or added in the middle.
fn with(members: &[(&str, &str)], member: &str, value: &str) -> String {
    let mut all = members.to_vec();
    match all.iter_mut().find(|(name, _)| *name == member) {
        Some(there) => there.1 = value,
        None => all.insert(2, (member, value)),
    }
    let all: Vec<String> = all.iter().map(|(name, v)| format!("\"{name}\":{v}")).collect();
    format!("{{{}}}", all.join(","))
}

/// Returns an array without anything that could be refused.
pub(crate) fn good_array() -> String {
    with(&ARRAY, "shape", "[4,6]")
}
/// Returns a group without anything that could be refused.
pub(crate) fn good_group() -> String {
    with(&GROUP, "zarr_format", "3")
}

const NOT_FLAGS: [&str; 6] = ["null", "0", "\"false\"", "[]", "{}", "[false]"];

/// Returns the rows for members of an array's document.
pub(crate) fn arrays() -> Vec<Row> {
    let mut rows = members();
    rows.extend(required());
    rows.extend(codecs());
    rows.extend(storage_transformers());
    // Consolidated metadata belongs to groups.
    rows.push(Row::new("consolidated_metadata", r#"{"kind":"inline","metadata":{}}"#, Verdict::Breaks));
    rows.push(Row::new("consolidated_metadata", "null", Verdict::Breaks));
    rows
}

/// Returns the rows for members of a group's document.
pub(crate) fn groups() -> Vec<Row> {
    let mut rows = members();
    for (value, verdict) in [
        ("null", Verdict::Opens),
        (r#"{"kind":"inline","must_understand":false,"metadata":{}}"#, Verdict::Opens),
        (r#"{"kind":"inline","must_understand":false,"metadata":{"child":{"zarr_format":3,"x":1}}}"#, Verdict::Opens),
        (r#"{"kind":"other","must_understand":false}"#, Verdict::Opens),
        (r#"{"kind":"inline","must_understand":true,"metadata":{}}"#, Verdict::Breaks),
        (r#"{"kind":"inline","metadata":{}}"#, Verdict::Breaks),
        (r#"{"kind":"inline","must_understand":"false","metadata":{}}"#, Verdict::Breaks),
    ] {
        rows.push(Row::new("consolidated_metadata", value, verdict));
    }
    // Members of arrays are unknown in a group.
    for member in ["codecs", "storage_transformers", "dimension_names", "shape"] {
        rows.push(Row::new(member, "[]", Verdict::Breaks));
    }
    rows
}

/// Returns the rows for members that the specification does not define, and for attributes.
fn members() -> Vec<Row> {
    let mut rows = Vec::new();
    for value in ["null", "true", "false", "0", "\"\"", "[]", "{}", r#"{"name":"x"}"#, r#"[{"must_understand":false}]"#]
    {
        rows.push(Row::new("extra", value, Verdict::Breaks));
    }
    rows.push(Row::new("extra", r#"{"must_understand":true}"#, Verdict::Breaks));
    rows.push(Row::new("extra", r#"{"inner":{"must_understand":false}}"#, Verdict::Breaks));
    for flag in NOT_FLAGS {
        rows.push(Row::new("extra", format!(r#"{{"must_understand":{flag}}}"#), Verdict::Breaks));
    }
    for value in
        [r#"{"must_understand":false}"#, r#"{"b":1.10,"must_understand":false,"a":[1e0,{"must_understand":true}]}"#]
    {
        rows.push(Row::new("extra", value, Verdict::Opens));
        rows.push(Row::new("", value, Verdict::Opens));
        rows.push(Row::new("https://example.org/extra", value, Verdict::Opens));
        // A name that resembles a member of the specification is not that member.
        rows.push(Row::new("Attributes", value, Verdict::Opens));
    }
    for value in
        ["{}", r#"{"must_understand":"perhaps"}"#, r#"{"x":{"name":"no-such","must_understand":true},"y":1.0}"#]
    {
        rows.push(Row::new("attributes", value, Verdict::Opens));
    }
    rows
}

/// Returns the rows for data type, chunk grid and chunk key encoding, which must always be understood.
fn required() -> Vec<Row> {
    let mut rows = Vec::new();
    for (member, point, known, configuration) in [
        ("data_type", ExtensionPoint::DataType, "int32", ""),
        ("chunk_grid", ExtensionPoint::ChunkGrid, "regular", r#","configuration":{"chunk_shape":[2,3]}"#),
        ("chunk_key_encoding", ExtensionPoint::ChunkKeyEncoding, "v2", r#","configuration":{"separator":"/"}"#),
    ] {
        let of = |name: &str, flag: &str| match flag {
            "" => format!(r#"{{"name":"{name}"{configuration}}}"#),
            _ => format!(r#"{{"must_understand":{flag},"name":"{name}"{configuration}}}"#),
        };
        let mut row = |value: String, verdict| rows.push(Row::new(member, value, verdict));
        for name in ["no-such", "https://example.org/no-such"] {
            row(format!("\"{name}\""), Verdict::Unknown(point));
            row(of(name, ""), Verdict::Unknown(point));
            row(of(name, "true"), Verdict::Unknown(point));
            row(of(name, "false"), Verdict::Breaks);
        }
        row(of(known, ""), Verdict::Opens);
        row(of(known, "true"), Verdict::Opens);
        row(of(known, "false"), Verdict::Breaks);
        for flag in NOT_FLAGS {
            row(of(known, flag), Verdict::Breaks);
            row(of("no-such", flag), Verdict::Breaks);
        }
        // The name of an extension at another point is unknown at this one.
        row("\"crc32c\"".into(), Verdict::Unknown(point));
    }
    rows
}

/// Codec chains with a place for one more codec: `<` before others, `>` after.
const CHAINS: [&str; 7] = [
    r#"[<"bytes"]"#,
    r#"[<{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]"#,
    r#"["bytes">]"#,
    r#"["bytes","crc32c">]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":["bytes">],"index_codecs":["bytes"]}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":[<"bytes"],"index_codecs":["bytes"]}}]"#,
    r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":["bytes"],"index_codecs":["bytes","crc32c">]}}]"#,
];

fn codecs() -> Vec<Row> {
    let mut rows = Vec::new();
    for chain in CHAINS {
        let chain = chain.replace("\"bytes\"", r#"{"name":"bytes","configuration":{"endian":"little"}}"#);
        let put = |codec: &str| chain.replace('<', &format!("{codec},")).replace('>', &format!(",{codec}"));
        let without = chain.replace(['<', '>'], "");
        let mut row = |codec: &str, verdict| rows.push(Row::new("codecs", put(codec), verdict));
        let unknown = Verdict::Unknown(ExtensionPoint::Codec);
        for codec in [r#""no-such""#, r#"{"name":"no-such"}"#, r#"{"name":"no-such","must_understand":true}"#] {
            row(codec, unknown.clone());
        }
        // The name of a data type is not the name of a codec.
        row(r#""int32""#, unknown);
        row(r#"{"name":"no-such","must_understand":false}"#, Verdict::Skips("no-such", without.clone()));
        row(
            r#"{"must_understand":false,"configuration":{"z":1.50,"a":null},"name":"https://example.org/c"}"#,
            Verdict::Skips("https://example.org/c", without.clone()),
        );
        for flag in NOT_FLAGS {
            row(&format!(r#"{{"name":"no-such","must_understand":{flag}}}"#), Verdict::Breaks);
        }
        row(r#"{"name":"no-such","must_understand":false,"other":1}"#, Verdict::Breaks);
        row(r#"{"name":"no-such","must_understand":false,"configuration":null}"#, Verdict::Breaks);
        if chain.contains('>') {
            // A known extension is used and checked, whatever the flag is.
            row(r#"{"name":"crc32c","must_understand":false}"#, Verdict::Opens);
            row(r#"{"name":"crc32c","must_understand":false,"configuration":{"x":1}}"#, Verdict::Breaks);
        }
    }
    let alone = r#"[{"name":"no-such","must_understand":false}]"#;
    rows.push(Row::new("codecs", alone, Verdict::Breaks));
    rows
}

fn storage_transformers() -> Vec<Row> {
    let point = ExtensionPoint::StorageTransformer;
    let mut row: Vec<Row> = Vec::new();
    let mut add = |value: &str, verdict| row.push(Row::new("storage_transformers", value, verdict));
    add("[]", Verdict::Opens);
    for value in [r#"["no-such"]"#, r#"[{"name":"no-such"}]"#, r#"[{"name":"no-such","must_understand":true}]"#] {
        add(value, Verdict::Unknown(point));
    }
    // A codec is not a storage transformer.
    add(r#"["gzip"]"#, Verdict::Unknown(point));
    let skipped = Verdict::Skips("no-such", "[]".into());
    add(r#"[{"name":"no-such","must_understand":false}]"#, skipped.clone());
    add(
        r#"[{"name":"no-such","must_understand":false,"configuration":{"n":1.0}},{"name":"no-such","must_understand":false}]"#,
        skipped,
    );
    add(r#"[{"name":"no-such","must_understand":false},"other"]"#, Verdict::Unknown(point));
    for flag in NOT_FLAGS {
        add(&format!(r#"[{{"name":"no-such","must_understand":{flag}}}]"#), Verdict::Breaks);
    }
    row
}
