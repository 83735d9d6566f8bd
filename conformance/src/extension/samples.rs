//! Samples: configurations with which to check extensions, and what they promise.

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

/// Returns the word for an extension point in ids of cases.
pub fn word(point: ExtensionPoint) -> &'static str {
    match point {
        ExtensionPoint::DataType => "data_type",
        ExtensionPoint::ChunkGrid => "chunk_grid",
        ExtensionPoint::ChunkKeyEncoding => "chunk_key_encoding",
        ExtensionPoint::Codec => "codec",
        ExtensionPoint::StorageTransformer => "storage_transformer",
    }
}

/// A configuration with which to check an extension.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The extension point: `codec`, `data_type`, `chunk_grid`, `chunk_key_encoding` or `storage_transformer`.
    pub point: String,
    /// The name in metadata.
    pub name: String,
    /// The configuration as JSON; `None` for an extension without one.
    pub configuration: Option<String>,
    /// The only shape of chunks, or for a grid of arrays, with which the sample is used.
    pub shape: Option<Vec<u64>>,
    /// Whether every change of encoded bytes is detected, or does not change the decoded elements.
    #[serde(default)]
    pub integrity: bool,
    /// For lossy codecs: the maximum relative error of a floating-point number.
    pub tolerance: Option<f64>,
    /// For bytes -> bytes codecs that only accept lengths that are a multiple of this.
    pub multiple: Option<usize>,
    /// Whether the extension accepts unknown members.
    #[serde(default)]
    pub open: bool,
}

/// A list of samples.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    #[serde(default)]
    sample: Vec<Sample>,
}

impl Samples {
    /// Returns the samples for registered extensions that are built into this program.
    ///
    /// # Errors
    /// If the built-in file is malformed.
    pub fn embedded() -> Result<Self> {
        Self::parse(include_str!("../../samples.toml"))
    }
    /// Parses the text of a file of samples.
    ///
    /// # Errors
    /// If it does not have the form that `samples.toml` shows.
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
    /// Reads a file of samples.
    ///
    /// # Errors
    /// If it cannot be read, or does not have the form that `samples.toml` shows.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::from(e).at_key(file.display()))?;
        Self::parse(&text).map_err(|e| e.at_key(file.display()))
    }
    /// Adds samples that take precedence over these: an extension that `first` names is only checked with its samples
    /// there.
    pub fn with(self, mut first: Self) -> Self {
        let named = |s: &Sample| first.sample.iter().any(|f| (&f.point, &f.name) == (&s.point, &s.name));
        let rest: Vec<Sample> = self.sample.into_iter().filter(|s| !named(s)).collect();
        first.sample.extend(rest);
        first
    }
    /// Refuses a sample of an unknown extension, because it would never be used.
    ///
    /// Known are the extensions of the registry, those that this program has samples of, and `more`.
    ///
    /// # Errors
    /// If an extension is unknown; the hint is the nearest known name.
    pub fn check(&self, registry: &Registry, more: &[(ExtensionPoint, String)]) -> Result<()> {
        let embedded = Self::embedded()?;
        let known = |point| {
            let listed = registry.list().filter(move |l| l.point == point).map(|l| l.name);
            let more = more.iter().filter(move |(p, _)| *p == point).map(|(_, name)| name.as_str());
            listed.chain(more).chain(embedded.names(word(point)))
        };
        for sample in &self.sample {
            let Some(point) = sample.point() else { continue };
            // The names of a family are not listed.
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
    /// Returns the names of the extensions of a point that have samples.
    pub fn names(&self, point: &str) -> impl Iterator<Item = &str> {
        self.sample.iter().filter(move |s| s.point == point).map(|s| s.name.as_str())
    }
    /// Returns the samples of an extension: one without a configuration if there are none.
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
    /// Returns the extension as in metadata.
    ///
    /// # Errors
    /// If the configuration is not a JSON object.
    pub fn extension(&self) -> Result<Extension> {
        let Some(text) = &self.configuration else { return Ok(Extension::short_hand(&self.name)) };
        match Json::parse(text.as_bytes(), &Limits::default())? {
            Json::Object(members) => Ok(Extension::new(&self.name, members)),
            other => Err(Error::configuration(format!("a configuration is an object, not {}", other.kind()))
                .at_key(format!("the sample of {}", self.name))),
        }
    }
}
