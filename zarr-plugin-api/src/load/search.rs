//! The search for installed plugins.

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

/// The rules that decide which of the plugins that are found may be used.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// `ZARR_PLUGINS`: whether to search for plugins at all, and whether only listed ones are allowed.
    pub mode: Mode,
    /// `ZARR_PLUGINS_ALLOW`: the ids that [`Mode::List`] allows.
    pub allow: BTreeSet<String>,
    /// `ZARR_PLUGINS_DENY`: the ids of plugins that are never used.
    pub deny: BTreeSet<String>,
    /// `ZARR_PLUGINS_LOCK`: the contents of a JSON file that maps ids to the SHA-256 of the library. If it is set, only
    /// plugins in it are used.
    pub lock: Option<BTreeMap<String, String>>,
}

/// The extent to which installed plugins are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// `off`: plugins are not searched for.
    Off,
    /// `list`: only plugins in [`Policy::allow`] are used.
    List,
    /// `installed`: all plugins that are found are used.
    #[default]
    Installed,
}

impl Policy {
    /// Returns the policy that the environment variables define.
    ///
    /// # Errors
    /// If `ZARR_PLUGINS` has an unknown value, or the file that `ZARR_PLUGINS_LOCK` names cannot be read or is not a
    /// JSON object of ids with SHA-256 sums. A program must then not use any plugin.
    pub fn from_environment() -> Result<Self> {
        Self::of(&|name| std::env::var_os(name))
    }
    /// Returns the policy for given environment variables.
    ///
    /// # Errors
    /// As [`from_environment`](Self::from_environment).
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
                let e = zarr_core::Error::argument(format!("invalid value {other:?} for ZARR_PLUGINS"));
                return Err(e.with_hint("set ZARR_PLUGINS to `off`, `list` or `installed`"));
            }
        };
        let lock = match text("ZARR_PLUGINS_LOCK") {
            None => None,
            Some(file) => {
                let text = super::manifest::read(Path::new(&file))?;
                let parsed = Json::parse(&text, &Limits::default()).and_then(|json| json.deserialize());
                let parsed: BTreeMap<String, String> = parsed.map_err(|e| {
                    e.at_key(&file).with_hint(
                        "set ZARR_PLUGINS_LOCK to the path of a JSON file that maps plugin ids to SHA-256 checksums",
                    )
                })?;
                Some(parsed.into_iter().map(|(id, sum)| (id, sum.to_ascii_lowercase())).collect())
            }
        };
        Ok(Self { mode, allow: ids("ZARR_PLUGINS_ALLOW"), deny: ids("ZARR_PLUGINS_DENY"), lock })
    }
    /// Checks that a plugin may be used whose library has the SHA-256 `hash`, in lower-case hexadecimal.
    ///
    /// # Errors
    /// [`Reason::Policy`] if the policy forbids the plugin, [`Reason::Hash`] if the lock file has another SHA-256 for
    /// it.
    pub fn check(&self, manifest: &Manifest, hash: &str) -> Result<(), Reason> {
        let id = &manifest.id;
        if self.mode == Mode::Off {
            return Err(Reason::Policy("ZARR_PLUGINS is `off`".to_owned()));
        }
        if self.deny.contains(id) {
            return Err(Reason::Policy(format!("ZARR_PLUGINS_DENY lists `{id}`")));
        }
        if self.mode == Mode::List && !self.allow.contains(id) {
            return Err(Reason::Policy(format!("ZARR_PLUGINS is `list` and ZARR_PLUGINS_ALLOW does not list `{id}`")));
        }
        match self.lock.as_ref().map(|lock| lock.get(id)) {
            None => Ok(()),
            Some(None) => Err(Reason::Policy(format!("the file in ZARR_PLUGINS_LOCK does not list `{id}`"))),
            Some(Some(wanted)) if wanted == hash => Ok(()),
            Some(Some(wanted)) => Err(Reason::Hash { found: hash.to_owned(), wanted: wanted.clone() }),
        }
    }
}

/// A search for plugins: the folders, and the policy.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The folders to search.
    pub places: Places,
    /// The rules that decide which plugins may be used.
    pub policy: Policy,
}

/// The result of a search.
#[derive(Debug)]
pub struct Discovery {
    /// The folders that were searched, each with whether it could be read.
    pub folders: Vec<(PathBuf, bool)>,
    /// The plugins, in the order of the folders.
    pub plugins: Vec<Candidate>,
    /// Messages for the user, for example about folders that were ignored.
    pub warnings: Vec<String>,
    off: bool,
}

/// A plugin that a search found, whether or not it may be used.
pub struct Candidate {
    /// The path of the manifest.
    pub file: PathBuf,
    /// The index of the folder in [`Discovery::folders`].
    pub folder: u16,
    /// The manifest, if it could be read.
    pub manifest: Option<Manifest>,
    /// The path of the library for this machine, if the manifest lists one.
    pub library: Option<PathBuf>,
    /// The reason for which the plugin is not used, if there is one.
    pub refused: Option<PluginError>,
    /// Names that another plugin in the same folder offers too.
    disputed: Vec<String>,
    lazy: Option<Arc<Lazy>>,
}

impl std::fmt::Debug for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.file.display(), self.refused)
    }
}

/// The end of the file name of every manifest.
pub(super) const SUFFIX: &str = ".zarrplugin.json";

impl Search {
    /// Returns a search of the standard folders, with the policy of the environment.
    ///
    /// # Errors
    /// As [`Policy::from_environment`].
    pub fn standard() -> Result<Self> {
        Ok(Self { places: Places::standard(), policy: Policy::from_environment()? })
    }
    /// Reads the manifests in all folders. No library is opened, and no code of a plugin runs.
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

/// Returns the manifests in a folder, sorted; `None` if the folder cannot be read.
fn manifests(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().ends_with(SUFFIX)))
        .collect();
    files.sort();
    Some(files)
}

/// Refuses all plugins in a folder that offer the same name: within a folder none takes precedence.
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
    /// Returns the loader of the plugin, or the reason for which the plugin is not used.
    pub(super) fn usable(&self) -> Result<&Lazy, PluginError> {
        match (&self.refused, &self.lazy) {
            (Some(e), _) => Err(e.clone()),
            (None, Some(lazy)) => Ok(lazy),
            (None, None) => Err(PluginError::new(&self.file, Reason::NoManifest)),
        }
    }
    /// Loads the plugin. This runs code of the plugin.
    ///
    /// # Errors
    /// If the plugin is refused, or cannot be loaded.
    pub fn load(&self) -> Result<Arc<Plugin>, PluginError> {
        self.usable()?.get()
    }
    /// Checks that the library is the one that was installed, without loading it.
    ///
    /// # Errors
    /// If the plugin is refused, the library cannot be read, or its SHA-256 is not the one in the manifest.
    pub fn verify(&self) -> Result<(), PluginError> {
        self.usable()?.verified().map(drop)
    }
    /// Returns the SHA-256 of a file in lower-case hexadecimal, as manifests contain it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn hash(file: &Path) -> Result<String, PluginError> {
        lazy::hash(file)
    }
}

impl Discovery {
    /// Registers the extensions of all plugins that were found. Each plugin is loaded when one of its names is first
    /// used.
    ///
    /// A name that only a refused plugin offers fails on use, with the reason for the refusal.
    ///
    /// # Errors
    /// As [`Registry::insert`].
    pub fn register(&self, registry: &mut Registry) -> Result<()> {
        for (i, (folder, _)) in self.folders.iter().enumerate() {
            // The extensions of these plugins are unknown, so a name that is not found may be one of theirs.
            let unread = self.plugins.iter().filter(|c| usize::from(c.folder) == i && c.manifest.is_none()).count();
            let refused = if unread == 0 { String::new() } else { format!(" ({unread} refused)") };
            registry.searched(format!("{}{refused}", folder.display()));
        }
        if self.off {
            registry.searched("no folder because ZARR_PLUGINS is `off`");
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
        // Refused plugins come after all others; among refused plugins the first takes precedence.
        let mut seen = BTreeSet::new();
        for c in refused {
            let (Some(manifest), Some(e)) = (&c.manifest, &c.refused) else { continue };
            for offered in &manifest.extensions {
                let point = offered.kind.point();
                // A conflict stays a conflict at its own folder's precedence, so that no later folder silently settles
                // it.
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
