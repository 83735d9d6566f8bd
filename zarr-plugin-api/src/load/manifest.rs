//! A plugin's description of itself, which can be read without running its code: a file `<name>.zarrplugin.json` next
//! to the library, and the same text within the library.

use super::{PluginError, Reason};
use crate::abi;
use serde::{Deserialize, Deserializer, Serialize};
use std::{
    collections::BTreeSet,
    path::{Component, Path},
    sync::Arc,
};
use zarr_core::{
    ErrorKind,
    extension::ExtensionPoint,
    json::Json,
    limits::Limits,
    name::{is_registered_name, is_uri_name},
};

/// The manifest of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the manifest format: 1.
    pub manifest: u32,
    /// The id of the plugin: one or more words with dots between, for instance a reversed domain name.
    pub id: String,
    /// The version of the plugin.
    pub version: String,
    /// The license of the plugin; empty if it is not stated.
    #[serde(default)]
    pub license: String,
    /// The version of the plugin interface that the plugin is built for.
    pub abi: Abi,
    /// The extensions that the plugin offers, without those of kinds that this program does not know.
    #[serde(deserialize_with = "offered")]
    pub extensions: Vec<ProvidedExtension>,
    /// The number of extensions that were left out because their kind is unknown.
    #[serde(skip)]
    pub unknown: usize,
    /// The libraries of the plugin, one for each machine. Only a file next to the libraries lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<LibraryFile>,
}

/// Deserializes the extensions whose kind is known.
fn offered<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<ProvidedExtension>, D::Error> {
    let known = |json: &Json| {
        let kind = json.as_object().and_then(|o| o.get("kind"));
        kind.is_none_or(|kind| kind.as_str().is_none() || kind.deserialize::<Kind>().is_ok())
    };
    let all = Vec::<Json>::deserialize(d)?;
    all.iter().filter(|e| known(e)).map(|e| e.deserialize().map_err(serde::de::Error::custom)).collect()
}

/// A version of the plugin interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abi {
    /// The major version, which must equal the host's.
    pub major: u32,
    /// The lowest minor version of a host that can load the plugin.
    pub min_minor: u32,
}

/// An extension that a plugin offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvidedExtension {
    /// The kind of the extension.
    pub kind: Kind,
    /// The name of the extension in metadata.
    pub name: String,
    /// Other names in metadata that mean this extension.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The capabilities of the extension, such as `strided`. Unknown words are ignored.
    #[serde(default)]
    pub caps: Vec<String>,
    /// The abilities that the host must have. An extension with an unknown word is refused.
    #[serde(default)]
    pub needs: Vec<String>,
}

/// The kinds of extension. Codecs have three: one for each pair of input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Kind {
    DataType,
    ChunkGrid,
    ChunkKeyEncoding,
    ArrayToArray,
    ArrayToBytes,
    BytesToBytes,
    StorageTransformer,
}

impl Kind {
    pub(crate) fn from_abi(kind: u32) -> Option<Self> {
        Some(match kind {
            abi::EXTENSION_DATA_TYPE => Self::DataType,
            abi::EXTENSION_CHUNK_GRID => Self::ChunkGrid,
            abi::EXTENSION_CHUNK_KEY_ENCODING => Self::ChunkKeyEncoding,
            abi::EXTENSION_ARRAY_TO_ARRAY => Self::ArrayToArray,
            abi::EXTENSION_ARRAY_TO_BYTES => Self::ArrayToBytes,
            abi::EXTENSION_BYTES_TO_BYTES => Self::BytesToBytes,
            abi::EXTENSION_STORAGE_TRANSFORMER => Self::StorageTransformer,
            _ => return None,
        })
    }
    /// Returns the extension point of the kind.
    pub fn point(self) -> ExtensionPoint {
        match self {
            Self::DataType => ExtensionPoint::DataType,
            Self::ChunkGrid => ExtensionPoint::ChunkGrid,
            Self::ChunkKeyEncoding => ExtensionPoint::ChunkKeyEncoding,
            Self::ArrayToArray | Self::ArrayToBytes | Self::BytesToBytes => ExtensionPoint::Codec,
            Self::StorageTransformer => ExtensionPoint::StorageTransformer,
        }
    }
}

impl ProvidedExtension {
    /// Returns the name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }
    pub(crate) fn has(&self, cap: &str) -> bool {
        self.caps.iter().any(|c| c == cap)
    }
    /// Returns the words in `caps` that this program does not know.
    pub fn unknown_caps(&self) -> impl Iterator<Item = &str> {
        self.caps.iter().map(String::as_str).filter(|c| !["strided", "lossy"].contains(c))
    }
    /// Returns the capabilities that this host knows, as bits of the descriptor.
    pub(crate) fn known_caps(&self) -> u64 {
        let bit = |cap, bit| if self.has(cap) { bit } else { 0 };
        bit("strided", abi::CAP_STRIDED) | bit("lossy", abi::CAP_LOSSY)
    }
}

/// A library of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryFile {
    /// The machine that the library is built for, as [`target`] names it.
    pub target: String,
    /// The path of the library, relative to the manifest's folder.
    pub path: String,
    /// The SHA-256 of the library in lower-case hexadecimal.
    pub sha256: String,
}

/// Returns the name of this machine: processor, operating system and, where there are several, C library; for example
/// `x86_64-linux-gnu`.
pub fn target() -> String {
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    let env = if cfg!(target_env = "gnu") {
        "-gnu"
    } else if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "msvc") {
        "-msvc"
    } else {
        ""
    };
    format!("{arch}-{os}{env}")
}

/// The maximum length of a manifest, in bytes.
const MAX: usize = 1 << 20;

impl Manifest {
    /// Parses a manifest and checks it. `file` is the path that errors name.
    ///
    /// # Errors
    /// If the text is longer than 1 MiB, is not valid JSON, or breaks a rule of the format; if the plugin needs another
    /// version of the plugin interface; or if it offers one name twice at the same extension point.
    pub fn parse(text: &[u8], file: &Path) -> Result<Self, PluginError> {
        let refuse = |reason| PluginError::new(file, reason);
        if text.len() > MAX {
            return Err(refuse(Reason::Manifest(format!("longer than {MAX} bytes"))));
        }
        let parsed = Json::parse(text, &Limits::default()).and_then(|json| {
            let listed =
                json.as_object().and_then(|o| o.get("extensions")).and_then(Json::as_array).map_or(0, <[Json]>::len);
            let manifest = json.deserialize::<Self>()?;
            Ok(Self { unknown: listed.saturating_sub(manifest.extensions.len()), ..manifest })
        });
        let manifest = parsed.map_err(|e| match e.kind() {
            ErrorKind::Configuration(text) => refuse(Reason::Manifest(text.clone())),
            _ => refuse(Reason::Manifest(e.to_string())),
        })?;
        manifest.check().map_err(|reason| refuse(reason).of(&manifest.id, &manifest.version))?;
        Ok(manifest)
    }
    fn check(&self) -> Result<(), Reason> {
        let bad = |text: String| Err(Reason::Manifest(text));
        if self.manifest != 1 {
            return bad(format!("expected version 1 of the format, found {}", self.manifest));
        }
        let word = |w: &str| {
            !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
        };
        if self.id.len() > 200 || !self.id.split('.').all(word) {
            return bad(format!(
                "{:?} is not a valid id; expected words of a-z, 0-9, - and _ separated by dots",
                self.id
            ));
        }
        if self.extensions.is_empty() {
            return bad("no extension of a kind that this program supports".to_owned());
        }
        if self.abi.major != abi::MAJOR {
            return Err(Reason::AbiMajor { found: self.abi.major, wanted: abi::MAJOR });
        }
        if self.abi.min_minor > abi::MINOR {
            return Err(Reason::AbiMinor { found: self.abi.min_minor, wanted: abi::MINOR });
        }
        for library in &self.libraries {
            let mut parts = Path::new(&library.path).components();
            if library.path.is_empty() || !parts.all(|c| matches!(c, Component::Normal(_))) {
                return bad(format!("{:?} is not a path below the folder of the manifest", library.path));
            }
        }
        let mut names = BTreeSet::new();
        for offered in &self.extensions {
            for name in offered.names() {
                if !is_registered_name(name) && !is_uri_name(name) {
                    return bad(format!("{name:?} is neither a valid extension name nor a URI"));
                }
                if !names.insert((offered.kind.point(), name)) {
                    return Err(Reason::Duplicate(name.to_owned()));
                }
            }
        }
        Ok(())
    }
    /// Reads the manifest that the library `file` contains, without running any of its code.
    ///
    /// # Errors
    /// If the file cannot be read, is not a shared library for this machine, or does not contain a valid manifest
    /// without a list of libraries.
    pub fn embedded(file: &Path) -> Result<Self, PluginError> {
        let bytes = read(file)?;
        Ok(Self::within(&bytes, file)?.0)
    }
    /// Returns the manifest that the bytes of a library contain, and its text.
    pub(super) fn within<'b>(bytes: &'b [u8], file: &Path) -> Result<(Self, &'b [u8]), PluginError> {
        super::elf::check(bytes).map_err(|reason| PluginError::new(file, Reason::NotALibrary(reason)))?;
        let text = embedded_text(bytes).ok_or_else(|| PluginError::new(file, Reason::NoManifest))?;
        let manifest = Self::parse(text, file)?;
        if manifest.libraries.is_empty() {
            return Ok((manifest, text));
        }
        let reason = Reason::Manifest("an embedded manifest must not list libraries".to_owned());
        Err(PluginError::new(file, reason))
    }
    /// Reads the manifest file `file`, which is installed next to the libraries that it lists.
    ///
    /// # Errors
    /// If the file cannot be read, is not a valid manifest, or lists no libraries.
    pub fn installed(file: &Path) -> Result<Self, PluginError> {
        let manifest = Self::parse(&read(file)?, file)?;
        if manifest.libraries.is_empty() {
            let e = PluginError::new(file, Reason::Manifest("no libraries are listed".to_owned()));
            return Err(e.of(&manifest.id, &manifest.version));
        }
        Ok(manifest)
    }
    /// Returns a copy without the list of libraries.
    pub(crate) fn without_libraries(&self) -> Self {
        Self { libraries: Vec::new(), ..self.clone() }
    }
}

/// Finds the text that follows the magic number and its length. The magic number on its own also occurs in programs
/// that search for it.
fn embedded_text(bytes: &[u8]) -> Option<&[u8]> {
    const MAGIC: &[u8; 8] = b"ZARRPLG1";
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.windows(8).position(|w| w == MAGIC) {
        from += at + 8;
        let (len, rest) = bytes.get(from..)?.split_first_chunk::<8>()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok().filter(|n| *n <= MAX);
        match len.and_then(|n| rest.get(..n)) {
            Some(text) if text.starts_with(b"{") && text.ends_with(b"}") => return Some(text),
            _ => {}
        }
    }
    None
}

/// Reads a whole file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, PluginError> {
    std::fs::read(file).map_err(|e| PluginError::new(file, Reason::Read(Arc::new(e))))
}
