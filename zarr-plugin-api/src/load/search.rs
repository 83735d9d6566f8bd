//! Looking for installed plugins.

use super::{
    Manifest, Places, Plugin, PluginError, ProvidedExtension, Reason,
    descriptor::{self, Load},
    lazy::{self, Lazy},
    manifest::target,
    trust,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};
use zarr_core::{
    Result,
    extension::ExtensionPoint,
    json::Json,
    limits::Limits,
    registry::{Registry, Tier},
};

/// Which of the plugins that are found may be used.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// `ZARR_PLUGINS`
    pub mode: Mode,
    /// `ZARR_PLUGINS_ALLOW`: the ids that [`Mode::List`] allows.
    pub allow: BTreeSet<String>,
    /// `ZARR_PLUGINS_DENY`: ids that are never used.
    pub deny: BTreeSet<String>,
    /// `ZARR_PLUGINS_LOCK`: a JSON file of ids with the SHA-256 of their libraries. Others are not used.
    pub lock: Option<BTreeMap<String, String>>,
}

/// How many of the plugins are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// `off`: none are looked for.
    Off,
    /// `list`: only those on the list.
    List,
    /// `installed`: all that are found.
    #[default]
    Installed,
}

impl Policy {
    /// What the environment says.
    ///
    /// # Errors
    /// When it says something that means nothing: then no plugin must be used.
    pub fn from_environment() -> Result<Self> {
        Self::of(&|name| std::env::var_os(name))
    }
    /// The same for another environment.
    pub fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self> {
        let text = |name| variable(name).map(|v| v.to_string_lossy().into_owned()).filter(|v| !v.is_empty());
        let ids = |name| -> BTreeSet<String> {
            let all = text(name).unwrap_or_default();
            all.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
        };
        let mode = match text("ZARR_PLUGINS").as_deref() {
            Some("off") => Mode::Off,
            Some("list") => Mode::List,
            None | Some("installed") => Mode::Installed,
            Some(other) => {
                let e = zarr_core::Error::argument(format!("ZARR_PLUGINS is {other:?}"));
                return Err(e.with_hint("set it to `off`, `list` or `installed`"));
            }
        };
        let lock = match text("ZARR_PLUGINS_LOCK") {
            None => None,
            Some(file) => {
                let text = super::manifest::read(Path::new(&file))?;
                let parsed = Json::parse(&text, &Limits::default()).and_then(|json| json.deserialize());
                let parsed: BTreeMap<String, String> = parsed.map_err(|e| {
                    e.at_key(&file).with_hint("the file that ZARR_PLUGINS_LOCK names maps ids to SHA-256 sums, in JSON")
                })?;
                Some(parsed.into_iter().map(|(id, sum)| (id, sum.to_ascii_lowercase())).collect())
            }
        };
        Ok(Self { mode, allow: ids("ZARR_PLUGINS_ALLOW"), deny: ids("ZARR_PLUGINS_DENY"), lock })
    }
    /// Whether a plugin may be used whose library has this SHA-256.
    ///
    /// # Errors
    /// [`Reason::Policy`] or [`Reason::Hash`], when it may not.
    pub fn check(&self, manifest: &Manifest, hash: &str) -> Result<(), Reason> {
        let id = &manifest.id;
        if self.mode == Mode::Off {
            return Err(Reason::Policy("ZARR_PLUGINS is `off`".to_owned()));
        }
        if self.deny.contains(id) {
            return Err(Reason::Policy(format!("ZARR_PLUGINS_DENY names {id}")));
        }
        if self.mode == Mode::List && !self.allow.contains(id) {
            return Err(Reason::Policy(format!("ZARR_PLUGINS is `list`, and ZARR_PLUGINS_ALLOW does not name {id}")));
        }
        match self.lock.as_ref().map(|lock| lock.get(id)) {
            None => Ok(()),
            Some(None) => Err(Reason::Policy(format!("the file ZARR_PLUGINS_LOCK does not name {id}"))),
            Some(Some(wanted)) if wanted == hash => Ok(()),
            Some(Some(wanted)) => Err(Reason::Hash { found: hash.to_owned(), wanted: wanted.clone() }),
        }
    }
}

/// Looks for plugins: where, and which may be used.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Where.
    pub places: Places,
    /// Which.
    pub policy: Policy,
}

/// What a search found.
#[derive(Debug)]
pub struct Discovery {
    /// The folders that were looked into, and whether they are there.
    pub folders: Vec<(PathBuf, bool)>,
    /// The plugins, in the order of the folders.
    pub plugins: Vec<Candidate>,
    /// What the user should know.
    pub warnings: Vec<String>,
    off: bool,
}

/// A plugin that was found, and that may be refused.
pub struct Candidate {
    /// The manifest.
    pub file: PathBuf,
    /// The number of its folder.
    pub folder: u16,
    /// What it says, if it can be read.
    pub manifest: Option<Manifest>,
    /// The library for this machine.
    pub library: Option<PathBuf>,
    /// Why it is not used.
    pub refused: Option<PluginError>,
    /// Names that another plugin of its folder offers too.
    disputed: Vec<String>,
    lazy: Option<Arc<Lazy>>,
}

impl std::fmt::Debug for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.file.display(), self.refused)
    }
}

/// What the name of a manifest ends with.
pub(super) const SUFFIX: &str = ".zarrplugin.json";

impl Search {
    /// The standard places, and what the environment says of which plugins may be used.
    ///
    /// # Errors
    /// When the environment says something that means nothing.
    pub fn standard() -> Result<Self> {
        Ok(Self { places: Places::standard(), policy: Policy::from_environment()? })
    }
    /// Reads manifests. No library is opened, and no code of a plugin runs.
    pub fn find(&self) -> Discovery {
        let (warnings, off) = (self.places.warnings.clone(), self.policy.mode == Mode::Off);
        let mut found = Discovery { folders: Vec::new(), plugins: Vec::new(), warnings, off };
        if off {
            return found;
        }
        for (number, folder) in self.places.folders.iter().enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            let files = manifests(folder);
            found.folders.push((folder.clone(), files.is_some()));
            let first = found.plugins.len();
            found.plugins.extend(files.unwrap_or_default().iter().map(|file| self.candidate(file, folder, number)));
            refuse_conflicts(&mut found.plugins[first..]);
        }
        found
    }
    fn candidate(&self, file: &Path, folder: &Path, number: u16) -> Candidate {
        let mut candidate = Candidate {
            file: file.to_owned(),
            folder: number,
            manifest: None,
            library: None,
            refused: None,
            disputed: Vec::new(),
            lazy: None,
        };
        candidate.refused = self.look(folder, &mut candidate).err();
        candidate
    }
    fn look(&self, folder: &Path, candidate: &mut Candidate) -> Result<(), PluginError> {
        let file = candidate.file.clone();
        let distrust = |at: &Path| trust::check(at).map_err(|d| PluginError::new(&file, Reason::Trust(d)));
        distrust(folder)?;
        distrust(&file)?;
        let manifest = Manifest::installed(&file)?;
        let of = |reason| PluginError::new(&file, reason).of(&manifest.id, &manifest.version);
        candidate.manifest = Some(manifest.clone());
        let target = target();
        let Some(listed) = manifest.libraries.iter().find(|l| l.target == target) else {
            return Err(of(Reason::Target(target)));
        };
        let library = folder.join(&listed.path);
        candidate.library = Some(library.clone());
        if !library.exists() {
            return Err(of(Reason::LibraryMissing(library)));
        }
        trust::check(&library).map_err(|d| of(Reason::Trust(d)))?;
        self.policy.check(&manifest, &listed.sha256).map_err(of)?;
        let places = Places { folders: vec![folder.to_owned()], warnings: Vec::new() };
        let search = Self { places, policy: self.policy.clone() };
        candidate.lazy = Some(Lazy::new(&file, &manifest, &library, listed, search));
        Ok(())
    }
}

/// The manifests of a folder, sorted; `None` if it cannot be read.
fn manifests(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().ends_with(SUFFIX)))
        .collect();
    files.sort();
    Some(files)
}

/// Within a folder no plugin comes before another, so a name that two offer means neither.
fn refuse_conflicts(plugins: &mut [Candidate]) {
    let mut owners: BTreeMap<(ExtensionPoint, String), Vec<usize>> = BTreeMap::new();
    for (i, c) in plugins.iter().enumerate().filter(|(_, c)| c.refused.is_none()) {
        for offered in c.manifest.iter().flat_map(|m| &m.extensions) {
            for name in offered.names() {
                owners.entry((offered.kind.point(), name.to_owned())).or_default().push(i);
            }
        }
    }
    for ((_, name), those) in owners.iter().filter(|(_, those)| those.len() > 1) {
        for &i in those {
            let other = those.iter().find(|o| **o != i).map(|o| plugins[*o].file.clone()).unwrap_or_default();
            let c = &mut plugins[i];
            let e = PluginError::new(&c.file, Reason::Conflict { name: name.clone(), other });
            let (id, version) = c.manifest.as_ref().map_or(("", ""), |m| (&m.id, &m.version));
            c.refused.get_or_insert(e.of(id, version));
            c.disputed.push(name.clone());
        }
    }
}

impl Candidate {
    /// What loads it, or why it is not used.
    pub(super) fn usable(&self) -> Result<&Lazy, PluginError> {
        match (&self.refused, &self.lazy) {
            (Some(e), _) => Err(e.clone()),
            (None, Some(lazy)) => Ok(lazy),
            (None, None) => Err(PluginError::new(&self.file, Reason::NoManifest)),
        }
    }
    /// Loads it, or gives why it is not used.
    pub fn load(&self) -> Result<Arc<Plugin>, PluginError> {
        self.usable()?.get()
    }
    /// Looks whether the library is the one that was installed, without loading it.
    pub fn verify(&self) -> Result<(), PluginError> {
        self.usable()?.verified().map(drop)
    }
    /// The SHA-256 of a file, as manifests have it.
    pub fn hash(file: &Path) -> Result<String, PluginError> {
        lazy::hash(file)
    }
}

impl Discovery {
    /// Registers what was found: each plugin is loaded when one of its names is first used. A name that only a refused
    /// plugin offers gives the reason when it is used.
    ///
    /// # Errors
    /// As [`Registry::insert`].
    pub fn register(&self, registry: &mut Registry) -> Result<()> {
        for (i, (folder, _)) in self.folders.iter().enumerate() {
            // What they offer is not known, so a name may be one of theirs.
            let unread = self.plugins.iter().filter(|c| usize::from(c.folder) == i && c.manifest.is_none()).count();
            let refused = if unread == 0 { String::new() } else { format!(" ({unread} refused)") };
            registry.searched(format!("{}{refused}", folder.display()));
        }
        if self.off {
            registry.searched("no folder, since ZARR_PLUGINS is `off`");
        }
        let (used, refused): (Vec<_>, Vec<_>) = self.plugins.iter().partition(|c| c.refused.is_none());
        for c in used {
            let (Some(manifest), Some(library), Some(lazy)) = (&c.manifest, &c.library, &c.lazy) else { continue };
            let lazy = lazy.clone();
            let load: Load = Arc::new(move || lazy.get());
            for offered in &manifest.extensions {
                let registration = descriptor::registration(offered, manifest, library, load.clone());
                registry.insert(Tier::Discovered(c.folder), registration)?;
            }
        }
        // Refused ones come after all others, and among them the first does.
        let mut seen = BTreeSet::new();
        for c in refused {
            let (Some(manifest), Some(e)) = (&c.manifest, &c.refused) else { continue };
            for offered in &manifest.extensions {
                let point = offered.kind.point();
                // A name in dispute is one in its folder too: no later folder settles it silently.
                let disputed = |name: &str| c.disputed.iter().any(|n| n == name);
                let tier = Tier::Discovered(if offered.names().any(disputed) { c.folder } else { u16::MAX });
                let mut free = offered.names().filter(|n| seen.insert((point, (*n).to_owned()))).map(str::to_owned);
                let Some(name) = free.next() else { continue };
                let offered = &ProvidedExtension { name, aliases: free.collect(), ..offered.clone() };
                let e = e.clone();
                let registration =
                    descriptor::registration(offered, manifest, &c.file, Arc::new(move || Err(e.clone())));
                registry.insert(tier, registration)?;
            }
        }
        Ok(())
    }
}
