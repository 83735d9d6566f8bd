//! The registry of extensions, which is passed to the code that opens arrays.
//!
//! [`Registry::builtin`] collects the extensions that the linked crates registered with [`register!`](crate::register).
//! An application adds its own with [`Registry::add`]. Names are looked up in tiers; within a tier each name is unique.

mod create_context;
mod registration;
#[cfg(test)]
mod tests;

pub use create_context::{CreateContext, Intent, Notes};
pub use registration::{
    Builtin, Constructor, DisabledExtension, ExtensionType, Instance, Make, NoConfiguration, Registration,
};

#[doc(hidden)]
pub use inventory;

use crate::{
    chunk_grid::ChunkGrid,
    chunk_key_encoding::ChunkKeyEncoding,
    data_type::DataType,
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
    limits::Limits,
    must_understand,
    name::{is_registered_name, is_uri_name, nearest, of_numpy},
};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The origin of a registration.
///
/// Earlier tiers take precedence; the others are listed as shadowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Tier {
    /// Added by the application.
    Added,
    /// Linked into the program.
    BuiltIn,
    /// Found on the machine, in the folder with this position in the search order.
    Discovered(u16),
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Added => "added by the application",
            Tier::BuiltIn => "built in",
            Tier::Discovered(_) => "discovered",
        })
    }
}

/// The extensions that can be used, by extension point and name.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    names: BTreeMap<(ExtensionPoint, String), Vec<Entry>>,
    absent: BTreeMap<(ExtensionPoint, String), String>,
    /// Names that two linked crates registered, or that must not be registered, with the reason. Using such a name is
    /// an error.
    refused: BTreeMap<(ExtensionPoint, String), String>,
    searched: Vec<String>,
    advice: Vec<String>,
}

#[derive(Debug, Clone)]
struct Entry {
    tier: Tier,
    registration: Arc<Registration>,
}

/// An entry of [`Registry::list`].
#[derive(Debug, Clone)]
pub struct Listed<'r> {
    /// The extension point at which it can be used.
    pub point: ExtensionPoint,
    /// The name, which may be an alias.
    pub name: &'r str,
    /// The registered name, if `name` is an alias.
    pub alias_of: Option<&'r str>,
    /// Its tier.
    pub tier: Tier,
    /// The crate or file that contains it.
    pub origin: &'r str,
    /// The crate, or the identifier of the plugin, that provides it.
    pub provider: &'r str,
    /// True if another registration of the name takes precedence.
    pub shadowed: bool,
}

impl Registry {
    /// Creates a registry without extensions.
    pub fn empty() -> Self {
        Self::default()
    }
    /// Returns a registry of all extensions that the linked crates registered.
    ///
    /// The order of linking does not matter: a name that two crates registered stands for neither, and using it is an
    /// error that names both.
    pub fn builtin() -> Self {
        let mut registry = Self::empty();
        for builtin in inventory::iter::<Builtin> {
            registry.insert_linked((builtin.0)());
        }
        for absent in inventory::iter::<DisabledExtension> {
            registry.absent.insert((absent.point, absent.name.to_owned()), absent.hint.to_owned());
        }
        registry
    }
    fn insert_linked(&mut self, registration: Registration) {
        let registration = Arc::new(registration);
        let point = registration.point();
        for name in registration.names() {
            let key = (point, name.to_owned());
            if let Err(reason) = self.admit(Tier::BuiltIn, &registration, name) {
                self.names.remove(&key);
                self.refused.insert(key, reason);
            } else if !self.refused.contains_key(&key) {
                self.push(Tier::BuiltIn, &registration, name);
            }
        }
    }
    /// Checks that a name is valid and free in a tier; the error is the reason why not.
    fn admit(&self, tier: Tier, registration: &Registration, name: &str) -> std::result::Result<(), String> {
        if !(is_registered_name(name) || is_uri_name(name) || registration.is_family()) {
            return Err(format!("`{name}` is neither a valid extension name nor a URI"));
        }
        let entries = self.names.get(&(registration.point(), name.to_owned())).into_iter().flatten();
        match entries.into_iter().find(|e| e.tier == tier) {
            Some(there) => {
                let (first, second) = (there.registration.origin(), registration.origin());
                Err(format!("`{name}` is {tier} twice: by {first} and by {second}"))
            }
            None => Ok(()),
        }
    }
    fn push(&mut self, tier: Tier, registration: &Arc<Registration>, name: &str) {
        let entries = self.names.entry((registration.point(), name.to_owned())).or_default();
        entries.push(Entry { tier, registration: registration.clone() });
        entries.sort_by_key(|e| e.tier);
    }
    /// Adds an extension of the application. It takes precedence over built-in extensions of the same name.
    ///
    /// # Errors
    /// If the name is taken in this tier, or is neither a name that the specification allows nor a URI.
    pub fn add(&mut self, registration: Registration) -> Result<()> {
        self.insert(Tier::Added, registration)
    }
    /// Adds an extension to a tier.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn insert(&mut self, tier: Tier, registration: Registration) -> Result<()> {
        let registration = Arc::new(registration);
        let point = registration.point();
        for name in registration.names() {
            self.admit(tier, &registration, name).map_err(|reason| {
                Error::new(ErrorKind::Registration(reason)).at_extension(point, registration.name())
            })?;
        }
        registration.names().for_each(|name| self.push(tier, &registration, name));
        Ok(())
    }
    /// Records a place that was searched for extensions. The hint for an unknown extension lists these places.
    pub fn searched(&mut self, place: impl Into<String>) {
        self.searched.push(place.into());
    }
    /// Adds advice for the users of this program to the hint for an unknown extension, after the places that were
    /// searched.
    pub fn advise(&mut self, advice: impl Into<String>) {
        self.advice.push(advice.into());
    }
    /// Returns the error for a name that cannot be used because of the linked crates that registered it.
    pub(crate) fn refused(&self, point: ExtensionPoint, name: &str) -> Option<Error> {
        let reason = self.refused.get(&(point, name.to_owned()))?;
        Some(Error::new(ErrorKind::Registration(reason.clone())).at_extension(point, name))
    }
    /// Returns the registration that a name stands for: its own, or that of a family in an earlier tier that includes
    /// it.
    pub fn find(&self, point: ExtensionPoint, name: &str) -> Option<&Registration> {
        let exact = self.names.get(&(point, name.to_owned())).and_then(|entries| entries.first());
        let all = exact.into_iter().chain(self.families(point, name));
        all.min_by_key(|e| e.tier).map(|e| &*e.registration)
    }
    fn families(&self, point: ExtensionPoint, name: &str) -> impl Iterator<Item = &Entry> {
        self.at(point).flat_map(|(_, entries)| entries).filter(move |e| e.registration.matches(name))
    }
    fn at(&self, point: ExtensionPoint) -> impl Iterator<Item = (&str, &Vec<Entry>)> {
        self.names.iter().filter(move |((p, _), _)| *p == point).map(|((_, n), e)| (n.as_str(), e))
    }
    fn required(&self, point: ExtensionPoint, e: &Extension) -> Result<&Registration> {
        let found = self.find(point, e.name());
        must_understand::required(point, e, found, || self.unknown(point, e.name()))
    }
    fn optional(&self, point: ExtensionPoint, e: &Extension) -> Result<Option<&Registration>> {
        let found = self.find(point, e.name());
        if found.is_none()
            && let Some(refused) = self.refused(point, e.name())
        {
            return Err(refused);
        }
        must_understand::optional(e, found, || self.unknown(point, e.name()))
    }
    /// Returns the codec that an extension names; `None` if it is unknown and need not be understood.
    ///
    /// # Errors
    /// If the codec is unknown and must be understood, or two linked crates registered the name.
    pub fn codec(&self, extension: &Extension) -> Result<Option<&Registration>> {
        self.optional(ExtensionPoint::Codec, extension)
    }
    /// Creates the data type that an extension names, as for stored metadata.
    ///
    /// # Errors
    /// As for [`data_type_at`](Self::data_type_at).
    pub fn data_type(&self, extension: &Extension, limits: &Limits) -> Result<Instance<dyn DataType>> {
        let notes = Notes::default();
        let cx = CreateContext::new(self, limits, &notes, Intent::Open);
        self.data_type_at(extension, &cx)
    }
    /// Creates the data type that an extension names, in the context of another extension.
    ///
    /// # Errors
    /// If the data type is unknown, is marked `"must_understand": false`, or rejects its configuration.
    pub fn data_type_at(&self, extension: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn DataType>> {
        let found = self.required(ExtensionPoint::DataType, extension)?;
        match found.constructor() {
            Constructor::DataType(make) => make(extension, &CreateContext { name: extension.name(), ..*cx }),
            _ => Err(ErrorKind::Contract("a data type has a constructor of another kind").into()),
        }
    }
    /// Creates the chunk grid that an extension names, for the array of the context.
    ///
    /// # Errors
    /// If the grid is unknown, is marked `"must_understand": false`, or rejects its configuration or the array.
    pub fn chunk_grid(&self, extension: &Extension, cx: &CreateContext<'_>) -> Result<Instance<dyn ChunkGrid>> {
        let found = self.required(ExtensionPoint::ChunkGrid, extension)?;
        match found.constructor() {
            Constructor::ChunkGrid(make) => make(extension, &CreateContext { name: extension.name(), ..*cx }),
            _ => Err(ErrorKind::Contract("a chunk grid has a constructor of another kind").into()),
        }
    }
    /// Creates the chunk key encoding that an extension names, for the array of the context.
    ///
    /// # Errors
    /// If the encoding is unknown, is marked `"must_understand": false`, or rejects its configuration.
    pub fn chunk_key_encoding(
        &self,
        extension: &Extension,
        cx: &CreateContext<'_>,
    ) -> Result<Instance<dyn ChunkKeyEncoding>> {
        let found = self.required(ExtensionPoint::ChunkKeyEncoding, extension)?;
        match found.constructor() {
            Constructor::ChunkKeyEncoding(make) => make(extension, &CreateContext { name: extension.name(), ..*cx }),
            _ => Err(ErrorKind::Contract("a chunk key encoding has a constructor of another kind").into()),
        }
    }
    /// Returns the storage transformer that an extension names; `None` if it is unknown and need not be understood.
    ///
    /// # Errors
    /// If the transformer is unknown and must be understood, or two linked crates registered the name.
    pub fn storage_transformer(&self, extension: &Extension) -> Result<Option<&Registration>> {
        self.optional(ExtensionPoint::StorageTransformer, extension)
    }
    /// Returns all registrations under all their names, sorted by extension point and name.
    pub fn list(&self) -> impl Iterator<Item = Listed<'_>> {
        self.names.iter().flat_map(|((point, name), entries)| {
            let wins = self.find(*point, name);
            entries.iter().map(move |e| Listed {
                point: *point,
                name,
                alias_of: Some(e.registration.name()).filter(|n| n != name),
                tier: e.tier,
                origin: e.registration.origin(),
                provider: e.registration.provider(),
                shadowed: !wins.is_some_and(|wins| std::ptr::eq(wins, &*e.registration)),
            })
        })
    }
    /// Explains in one line what a name stands for: ``"`zstd`: built in (zarr-codecs); shadowed: ..."``.
    pub fn explain(&self, point: ExtensionPoint, name: &str) -> String {
        use std::fmt::Write;
        let Some(found) = self.find(point, name) else { return self.unknown(point, name).to_string() };
        let exact = self.names.get(&(point, name.to_owned())).into_iter().flatten();
        let mut all: Vec<&Entry> = exact.chain(self.families(point, name)).collect();
        all.sort_by_key(|e| e.tier);
        let mut text = format!("`{name}`");
        for (i, e) in all.into_iter().enumerate() {
            let label = if i == 0 { ":" } else { "; shadowed:" };
            let _infallible = write!(text, "{label} {} ({})", e.tier, e.registration.origin());
        }
        if found.name() != name {
            let _infallible = write!(text, ", as `{}`", found.name());
        }
        text
    }
    /// Returns the error for a name without a registration, with a hint about what to do.
    pub fn unknown(&self, point: ExtensionPoint, name: &str) -> Error {
        if let Some(e) = self.refused(point, name) {
            return e;
        }
        let e = Error::new(ErrorKind::UnknownExtension { point, name: name.to_owned() });
        if let Some(hint) = self.absent.get(&(point, name.to_owned())) {
            return e.with_hint(hint.clone());
        }
        let numpy = if point == ExtensionPoint::DataType { of_numpy(name) } else { None };
        let near = numpy.or_else(|| nearest(name, self.at(point).map(|(n, _)| n)).map(Into::into));
        let near = near.map(|near| format!("did you mean `{near}`?"));
        if near.is_none() && self.searched.is_empty() {
            return e.with_hint("if a plugin provides it, search for plugins with `Context::with_plugins`");
        }
        let looked = (!self.searched.is_empty()).then(|| {
            let (places, advice) = (self.searched.join(", "), self.advice.iter().map(|advice| format!("; {advice}")));
            format!("looked for plugins in {places}{}", advice.collect::<String>())
        });
        match near.into_iter().chain(looked).reduce(|a, b| format!("{a} {b}")) {
            Some(hint) => e.with_hint(hint),
            None => e,
        }
    }
}
