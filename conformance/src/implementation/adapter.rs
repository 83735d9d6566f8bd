//! Adapters: small TOML files that describe how to run an implementation.

use crate::peers;
use ozarr::{Error, Result};
use serde::Deserialize;
use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

/// An ability of an implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// Reads the elements of an array.
    Read,
    /// Creates an array and writes its elements.
    Write,
    /// Reports whether it accepts a metadata document.
    Open,
    /// Opens groups too, not only arrays.
    Groups,
}

impl Capability {
    /// Returns the word for the capability in adapters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Open => "open",
            Self::Groups => "groups",
        }
    }
    /// Returns the capability as a verb, for messages.
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::Read => "read arrays",
            Self::Write => "write arrays",
            Self::Open => "open documents alone",
            Self::Groups => "open groups",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    version: Vec<String>,
    capabilities: BTreeSet<Capability>,
    #[serde(default)]
    commands: Commands,
    session: Option<Vec<String>>,
    #[serde(default)]
    setup: Vec<Vec<String>>,
    #[serde(default)]
    unsupported: Vec<String>,
    seconds: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    read: Option<Vec<String>>,
    write: Option<Vec<String>>,
    open: Option<Vec<String>>,
}

impl Commands {
    /// Returns the command for a capability, and the placeholders that it may contain.
    fn of(&self, capability: Capability) -> (Option<&[String]>, &'static [&'static str]) {
        match capability {
            Capability::Read => (self.read.as_deref(), &["array", "out"]),
            Capability::Write => (self.write.as_deref(), &["metadata", "elements", "out"]),
            Capability::Open | Capability::Groups => (self.open.as_deref(), &["array"]),
        }
    }
}

/// The description of how to run an implementation.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// The name of the implementation.
    pub name: String,
    /// The abilities of the implementation.
    pub capabilities: BTreeSet<Capability>,
    /// The time limit of a command.
    pub limit: Duration,
    /// The adapter's file, and its folder.
    file: PathBuf,
    here: PathBuf,
    version: Vec<String>,
    commands: Commands,
    session: Option<Vec<String>>,
    setup: Vec<Vec<String>>,
    /// Texts on standard error that mean the same as status 2.
    unsupported: Vec<String>,
}

/// The placeholders that every command may contain.
const EVERYWHERE: [&str; 4] = ["here", "python", "target", "ozarr"];

impl Adapter {
    /// Reads an adapter.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, has an unknown member, or lacks the command for a capability.
    pub fn read(file: &Path) -> Result<Self> {
        let at = |e: Error| e.at_key(file.display());
        let text = fs::read_to_string(file).map_err(|e| at(e.into()))?;
        let text: Text = toml::from_str(&text).map_err(|e| {
            let e = Error::argument(format!("this is not an adapter: {}", e.to_string().trim()));
            at(e.with_hint(
                "an adapter has name, version, capabilities, [commands], and may have session, setup, \
                            unsupported, seconds",
            ))
        })?;
        text.check().map_err(at)?;
        let here = fs::canonicalize(file)?.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self {
            name: text.name,
            capabilities: text.capabilities,
            limit: Duration::from_secs(text.seconds.unwrap_or(30)),
            file: file.to_owned(),
            here,
            version: text.version,
            commands: text.commands,
            session: text.session,
            setup: text.setup,
            unsupported: text.unsupported,
        })
    }
    /// Returns whether the implementation has a capability.
    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }
    pub(super) fn has_session(&self) -> bool {
        self.session.is_some()
    }
    /// Returns whether this standard error means that something is not supported.
    pub(super) fn means_unsupported(&self, stderr: &str) -> bool {
        self.unsupported.iter().any(|words| stderr.contains(words))
    }
    /// Returns whether the command prints elements to standard output.
    pub(super) fn prints_elements(&self) -> bool {
        !self.has_session() && !self.command_of(Capability::Read).iter().any(|part| part.contains("{out}"))
    }
    pub(super) fn command_of(&self, capability: Capability) -> &[String] {
        self.commands.of(capability).0.unwrap_or_default()
    }
    pub(super) fn version_command(&self) -> &[String] {
        &self.version
    }
    pub(super) fn session_command(&self) -> &[String] {
        self.session.as_deref().unwrap_or_default()
    }
    /// Returns the commands to run before the first case.
    pub(super) fn setup(&self) -> &[Vec<String>] {
        &self.setup
    }
    /// Returns the adapter's own folder, which persists between runs.
    pub(super) fn target(&self) -> Result<PathBuf> {
        let folder = peers::target().join("adapters").join(&self.name);
        fs::create_dir_all(&folder)?;
        Ok(fs::canonicalize(folder)?)
    }
    /// Locks the adapter, so that other programs do not set it up at the same time.
    pub(super) fn lock(&self) -> Result<File> {
        let lock = File::create(self.target()?.with_extension("lock"))?;
        lock.lock()?;
        Ok(lock)
    }
    /// Returns a command with its placeholders filled in. `places` are the placeholders of this run.
    pub(super) fn filled(&self, command: &[String], places: &[(&str, &Path)]) -> Result<Vec<String>> {
        let fill = |part: &String| -> Result<String> {
            let mut out = part.clone();
            for (name, path) in places {
                out = out.replace(&format!("{{{name}}}"), &path.to_string_lossy());
            }
            out = out.replace("{here}", &self.here.to_string_lossy());
            // These are only created where they are used, because creating them may be expensive.
            if out.contains("{target}") {
                out = out.replace("{target}", &self.target()?.to_string_lossy());
            }
            if out.contains("{python}") {
                out = out.replace("{python}", &peers::python()?.to_string_lossy());
            }
            if out.contains("{ozarr}") {
                out = out.replace("{ozarr}", &peers::ozarr()?.to_string_lossy());
            }
            Ok(out)
        };
        let at = |e: Error| e.at_key(self.file.display());
        command.iter().map(fill).collect::<Result<Vec<_>>>().map_err(at)
    }
}

impl Text {
    fn check(&self) -> Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(plain) {
            return Err(
                Error::argument("the name of an implementation is letters, digits, `-`, `_` and `.`").within("name")
            );
        }
        if self.seconds == Some(0) {
            return Err(Error::argument("a command needs time").within("seconds"));
        }
        command("version", &self.version, &[])?;
        if let Some(session) = &self.session {
            command("session", session, &[])?;
        }
        for setup in &self.setup {
            command("setup", setup, &[])?;
        }
        for capability in [Capability::Read, Capability::Write, Capability::Open] {
            let (word, (given, places)) = (capability.word(), self.commands.of(capability));
            match given {
                Some(parts) => command(&format!("commands.{word}"), parts, places)?,
                None if self.capabilities.contains(&capability) && self.session.is_none() => {
                    let e = Error::argument(format!("the capability `{word}` needs a command"));
                    return Err(e.within("commands").with_hint(format!("add {word} = [..], or a session")));
                }
                None => {}
            }
        }
        if self.capabilities.contains(&Capability::Groups) && !self.capabilities.contains(&Capability::Open) {
            return Err(Error::argument("the capability `groups` needs `open`").within("capabilities"));
        }
        Ok(())
    }
}

/// Checks that a command has a program, and contains only the given placeholders.
fn command(member: &str, parts: &[String], places: &[&str]) -> Result<()> {
    if parts.first().is_none_or(String::is_empty) {
        return Err(Error::argument("a command begins with its program").within(member));
    }
    for part in parts {
        for found in part.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
            let known = EVERYWHERE.iter().chain(places).any(|name| *name == found.0);
            if !known && found.0.chars().all(|c| c.is_ascii_lowercase()) {
                let names: Vec<&str> = places.iter().chain(&EVERYWHERE).copied().collect();
                let e = Error::argument(format!("there is no {{{}}} here", found.0)).within(member);
                return Err(e.with_hint(format!("there are {{{}}}", names.join("}, {"))));
            }
        }
    }
    Ok(())
}
