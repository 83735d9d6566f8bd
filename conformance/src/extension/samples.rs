//! Samples: how extensions are configured to be tried, and what they promise then.

use ozarr::{
    Error, ErrorKind, Result,
    zarr_core::{
        extension::{Extension, ExtensionPoint},
        json::Json,
        limits::Limits,
        name::nearest,
        registry::Registry,
    },
};
use serde::Deserialize;
use std::path::Path;

/// How an extension point is called in ids of cases.
pub fn word(point: ExtensionPoint) -> &'static str {
    match point {
        ExtensionPoint::DataType => "data_type",
        ExtensionPoint::ChunkGrid => "chunk_grid",
        ExtensionPoint::ChunkKeyEncoding => "chunk_key_encoding",
        ExtensionPoint::Codec => "codec",
        ExtensionPoint::StorageTransformer => "storage_transformer",
    }
}

/// A configuration to try an extension with.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// `codec`, `data_type`, `chunk_grid`, `chunk_key_encoding` or `storage_transformer`.
    pub point: String,
    /// The name in metadata.
    pub name: String,
    /// The configuration as JSON; none if it is left out.
    pub configuration: Option<String>,
    /// The only shape of chunks, or of arrays for a grid, that it is meant for.
    pub shape: Option<Vec<u64>>,
    /// Whether any change of encoded bytes is noticed, or leaves what they mean as it was.
    #[serde(default)]
    pub integrity: bool,
    /// For codecs that lose something: by how much a floating point number may differ, relative to it.
    pub tolerance: Option<f64>,
    /// For bytes -> bytes codecs that take only lengths which are a multiple of this.
    pub multiple: Option<usize>,
    /// Whether it takes members that it does not know.
    #[serde(default)]
    pub open: bool,
}

/// Samples of extensions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    #[serde(default)]
    sample: Vec<Sample>,
}

impl Samples {
    /// Those for registered extensions, which this program was built with.
    ///
    /// # Errors
    /// When the file it was built with is wrong.
    pub fn embedded() -> Result<Self> {
        Self::parse(include_str!("../../samples.toml"))
    }
    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is not of the form that `samples.toml` shows.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str::<Self>(text).map_err(|e| Error::configuration(e.to_string()))?.checked()
    }
    pub(super) fn from_configurations(point: &str, name: &str, configurations: &[&str]) -> Result<Self> {
        let of = |text: &&str| Sample {
            point: point.to_owned(),
            name: name.to_owned(),
            configuration: Some((*text).to_owned()),
            ..Sample::default()
        };
        Self { sample: configurations.iter().map(of).collect() }.checked()
    }
    fn checked(self) -> Result<Self> {
        for sample in &self.sample {
            let wrong = |what: String| Err(Error::configuration(format!("the sample of `{}`: {what}", sample.name)));
            if sample.multiple == Some(0) {
                return wrong("`multiple` is 0".to_owned());
            }
            if sample.point().is_none() {
                return wrong(format!("`{}` is not an extension point", sample.point));
            }
            if let Err(e) = sample.extension() {
                return wrong(e.to_string());
            }
        }
        Ok(self)
    }
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is of another form.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at_key(file.display()))?;
        Self::parse(&text).map_err(|e| e.at_key(file.display()))
    }
    /// Puts samples before these: an extension that they name is tried with theirs.
    pub fn with(self, mut first: Self) -> Self {
        let named = |s: &Sample| first.sample.iter().any(|f| (&f.point, &f.name) == (&s.point, &s.name));
        let rest: Vec<Sample> = self.sample.into_iter().filter(|s| !named(s)).collect();
        first.sample.extend(rest);
        first
    }
    /// Refuses a sample of an extension that does not exist, which nothing would be tried with. Known are those of the
    /// registry, those that this program has samples of, and `more`.
    ///
    /// # Errors
    /// The unknown name, with the nearest known one as its hint.
    pub fn check(&self, registry: &Registry, more: &[(ExtensionPoint, String)]) -> Result<()> {
        let embedded = Self::embedded()?;
        let known = |point| {
            let listed = registry.list().filter(move |l| l.point == point).map(|l| l.name);
            let more = more.iter().filter(move |(p, _)| *p == point).map(|(_, name)| name.as_str());
            listed.chain(more).chain(embedded.names(word(point)))
        };
        for sample in &self.sample {
            let Some(point) = sample.point() else { continue };
            // Names of a family are not listed.
            if registry.find(point, &sample.name).is_some() || known(point).any(|name| name == sample.name) {
                continue;
            }
            let e = Error::new(ErrorKind::UnknownExtension { point, name: sample.name.clone() }).within("sample");
            return Err(match nearest(&sample.name, known(point)) {
                Some(near) => e.with_hint(format!("did you mean `{near}`?")),
                None => e,
            });
        }
        Ok(())
    }
    /// The extensions of a point that there are samples for.
    pub fn names(&self, point: &str) -> impl Iterator<Item = &str> {
        self.sample.iter().filter(move |s| s.point == point).map(|s| s.name.as_str())
    }
    /// How to try an extension: without a configuration, if nothing is known of it.
    pub fn of(&self, point: &str, name: &str) -> Vec<Sample> {
        let known: Vec<Sample> = self.sample.iter().filter(|s| s.point == point && s.name == name).cloned().collect();
        if known.is_empty() {
            return vec![Sample { point: point.to_owned(), name: name.to_owned(), ..Sample::default() }];
        }
        known
    }
}

impl Sample {
    fn point(&self) -> Option<ExtensionPoint> {
        ExtensionPoint::ALL.into_iter().find(|p| word(*p) == self.point)
    }
    /// What would stand in metadata.
    ///
    /// # Errors
    /// When the configuration is no JSON object.
    pub fn extension(&self) -> Result<Extension> {
        let Some(text) = &self.configuration else { return Ok(Extension::short_hand(&self.name)) };
        match Json::parse(text.as_bytes(), &Limits::default())? {
            Json::Object(members) => Ok(Extension::new(&self.name, members)),
            other => Err(Error::configuration(format!("a configuration is an object, not {}", other.kind()))
                .at_key(format!("the sample of {}", self.name))),
        }
    }
}
