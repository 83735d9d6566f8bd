//! What an extension registers: its names, and how to make one.

use super::CreateContext;
use crate::{
    chunk_grid::ChunkGrid,
    chunk_key_encoding::ChunkKeyEncoding,
    codec::{ArrayToArray, ArrayToBytes, BytesToBytes},
    data_type::DataType,
    error::{Error, ErrorKind, Result},
    extension::{Extension, ExtensionPoint},
    json::{Json, Object},
    storage_transformer::StorageTransformer,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The static half of every extension: its name, its typed configuration, and how it is made. The other half is the
/// trait of its extension point.
pub trait ExtensionType: Sized + 'static {
    /// The name as registered.
    const NAME: &'static str;
    /// Other names under which it is read.
    const ALIASES: &'static [&'static str] = &[];
    /// True if decoding may give other elements than were encoded.
    const LOSSY: bool = false;
    /// True if it stands for many names (`r8`, `r16`, ...), which [`matches`](Self::matches) tells.
    const FAMILY: bool = false;
    /// For families of names: whether `name` is one of them. [`CreateContext::name`] tells which.
    fn matches(_name: &str) -> bool {
        false
    }
    /// The `configuration` of a metadata document: a struct that serde reads and writes, often the extension's own type. Use
    /// `#[serde(deny_unknown_fields)]`, since an unknown member must be refused.
    type Configuration: DeserializeOwned + Serialize + Send + Sync + 'static;
    /// Creates the extension for one array. `cx` says for what it is created: the array or bytes that a codec is given, the
    /// limits, the other extensions.
    ///
    /// # Errors
    /// When the configuration is invalid, or does not fit the array.
    fn create(configuration: Self::Configuration, cx: &CreateContext<'_>) -> Result<Self>;
    /// The configuration with everything that was chosen for what was left out.
    fn configuration(&self) -> Self::Configuration;
    /// The extension as metadata names it, for instance as the codec of a new array.
    ///
    /// # Errors
    /// When the configuration does not serialize to an object.
    fn to_extension(&self) -> Result<Extension> {
        Ok(Extension::new(Self::NAME, configuration_object(&self.configuration())?))
    }
}

fn configuration_object(configuration: &(impl Serialize + ?Sized)) -> Result<Object> {
    match Json::from_serialize(configuration)? {
        Json::Object(members) => Ok(members),
        Json::Null => Ok(Object::new()),
        other => Err(Error::configuration(format!("a configuration is an object, not {}", other.kind()))),
    }
}

/// The configuration of extensions that have none: absent or an empty object.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct NoConfiguration {}

/// An extension that was made, and its configuration.
pub struct Instance<T: ?Sized> {
    /// The object half.
    pub object: Arc<T>,
    configuration: Box<dyn erased_serde::Serialize + Send + Sync>,
}

impl<T: ?Sized> Instance<T> {
    /// An object with the configuration that describes it.
    pub fn new(object: Arc<T>, configuration: Box<dyn erased_serde::Serialize + Send + Sync>) -> Self {
        Self { object, configuration }
    }
    /// The configuration with everything that was chosen.
    pub fn configuration(&self) -> Result<Object> {
        configuration_object(&*self.configuration)
    }
    /// What to write into metadata: what was read, with what was chosen for what was left out.
    pub fn extension(&self, read: &Extension) -> Result<Extension> {
        let configuration = self.configuration()?;
        let written: BTreeMap<&str, &Json> = read.configuration().into_iter().flat_map(Object::iter).collect();
        let chosen = configuration.iter().filter(|(member, used)| written.get(member).is_none_or(|w| !w.is_same(used)));
        let all = read.configuration().into_iter().flat_map(Object::iter).chain(chosen);
        let kept: Object = all.map(|(member, value)| (member, value.clone())).collect();
        if read.configuration().map_or(kept.is_empty(), |written| *written == kept) {
            return Ok(read.clone());
        }
        read.with_configuration(kept)
    }
}
impl<T: ?Sized + fmt::Debug> fmt::Debug for Instance<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

/// Makes an instance of an extension.
pub type Make<T> = Arc<dyn Fn(&Extension, &CreateContext<'_>) -> Result<Instance<T>> + Send + Sync>;

/// How to make an extension, by its kind.
#[derive(Clone)]
pub enum Constructor {
    /// Of the extension point `data_type`.
    DataType(Make<dyn DataType>),
    /// Of the extension point `chunk_grid`.
    ChunkGrid(Make<dyn ChunkGrid>),
    /// Of the extension point `chunk_key_encoding`.
    ChunkKeyEncoding(Make<dyn ChunkKeyEncoding>),
    /// A codec.
    ArrayToArray(Make<dyn ArrayToArray>),
    /// A codec.
    ArrayToBytes(Make<dyn ArrayToBytes>),
    /// A codec.
    BytesToBytes(Make<dyn BytesToBytes>),
    /// Of the extension point `storage_transformers`.
    StorageTransformer(Make<dyn StorageTransformer>),
}

impl Constructor {
    /// Where the extension can be used.
    pub fn point(&self) -> ExtensionPoint {
        match self {
            Self::DataType(_) => ExtensionPoint::DataType,
            Self::ChunkGrid(_) => ExtensionPoint::ChunkGrid,
            Self::ChunkKeyEncoding(_) => ExtensionPoint::ChunkKeyEncoding,
            Self::ArrayToArray(_) | Self::ArrayToBytes(_) | Self::BytesToBytes(_) => ExtensionPoint::Codec,
            Self::StorageTransformer(_) => ExtensionPoint::StorageTransformer,
        }
    }
}

/// An extension with its names, for [`Registry::add`](super::Registry::add).
///
/// ```
/// use zarr_core::{
///     Result,
///     call::{CallContext, OutputBuffer},
///     codec::BytesToBytes,
///     registry::{CreateContext, ExtensionType, NoConfiguration, Registration, Registry},
///     representation::Size,
/// };
///
/// #[derive(Debug)]
/// struct Invert;
///
/// impl ExtensionType for Invert {
///     const NAME: &'static str = "acme.invert";
///     type Configuration = NoConfiguration;
///     fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
///         Ok(Self)
///     }
///     fn configuration(&self) -> NoConfiguration {
///         NoConfiguration {}
///     }
/// }
///
/// impl BytesToBytes for Invert {
///     fn encoded_size(&self, decoded: Size) -> Size {
///         decoded
///     }
///     fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
///         out.extend(&decoded.iter().map(|byte| !byte).collect::<Vec<_>>())
///     }
///     fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
///         self.encode(call, encoded, out)
///     }
/// }
///
/// let mut registry = Registry::builtin();
/// registry.add(Registration::bytes_to_bytes::<Invert>())?;
/// # let codec = zarr_core::extension::Extension::short_hand("acme.invert");
/// # assert!(registry.codec(&codec)?.is_some());
/// # Ok::<(), zarr_core::Error>(())
/// ```
pub struct Registration {
    name: String,
    aliases: Vec<String>,
    matches: Option<fn(&str) -> bool>,
    origin: String,
    provider: Option<String>,
    lossy: bool,
    constructor: Constructor,
}

impl Registration {
    /// An extension under a name. `origin` tells people where it comes from: a crate, or a file.
    pub fn new(name: impl Into<String>, origin: impl Into<String>, constructor: Constructor) -> Self {
        let (name, origin) = (name.into(), origin.into());
        Self { name, aliases: Vec::new(), matches: None, origin, provider: None, lossy: false, constructor }
    }
    /// Names the plugin that offers it.
    pub fn with_provider(mut self, id: impl Into<String>) -> Self {
        self.provider = Some(id.into());
        self
    }
    /// Tells whether decoding may give other elements than were encoded.
    pub fn with_lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }
    /// Adds a name under which it is found too.
    pub fn with_alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }
    /// A data type.
    pub fn data_type<T: ExtensionType + DataType>() -> Self {
        Self::of::<T>(Constructor::DataType(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::DataType)
        })))
    }
    /// A chunk grid.
    pub fn chunk_grid<T: ExtensionType + ChunkGrid>() -> Self {
        Self::of::<T>(Constructor::ChunkGrid(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::ChunkGrid)
        })))
    }
    /// A chunk key encoding.
    pub fn chunk_key_encoding<T: ExtensionType + ChunkKeyEncoding>() -> Self {
        Self::of::<T>(Constructor::ChunkKeyEncoding(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::ChunkKeyEncoding)
        })))
    }
    /// A codec from arrays to arrays.
    pub fn array_to_array<T: ExtensionType + ArrayToArray>() -> Self {
        Self::of::<T>(Constructor::ArrayToArray(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// A codec from arrays to bytes.
    pub fn array_to_bytes<T: ExtensionType + ArrayToBytes>() -> Self {
        Self::of::<T>(Constructor::ArrayToBytes(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// A codec from bytes to bytes.
    pub fn bytes_to_bytes<T: ExtensionType + BytesToBytes>() -> Self {
        Self::of::<T>(Constructor::BytesToBytes(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// A storage transformer.
    pub fn storage_transformer<T: ExtensionType + StorageTransformer>() -> Self {
        Self::of::<T>(Constructor::StorageTransformer(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::StorageTransformer)
        })))
    }
    /// A type of an extension. Its crate is where it comes from.
    fn of<T: ExtensionType>(constructor: Constructor) -> Self {
        let path = std::any::type_name::<T>();
        let mut r = Self::new(T::NAME, path.split("::").next().unwrap_or(path), constructor);
        r.aliases = T::ALIASES.iter().map(|&a| a.to_owned()).collect();
        r.lossy = T::LOSSY;
        r.matches = T::FAMILY.then_some(T::matches);
        r
    }
    /// Tells where it comes from: a crate, or a file.
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = origin.into();
        self
    }
    #[doc(hidden)]
    pub fn make<T: ExtensionType, D: ?Sized>(
        e: &Extension,
        cx: &CreateContext<'_>,
        erase: fn(Arc<T>) -> Arc<D>,
        point: ExtensionPoint,
    ) -> Result<Instance<D>> {
        let make = || {
            let configuration = Json::Object(e.configuration().cloned().unwrap_or_default());
            let configuration = configuration.deserialize().map_err(|e| e.within("configuration"))?;
            let object = T::create(configuration, cx)?;
            let configuration = Box::new(object.configuration());
            Ok(Instance::new(erase(Arc::new(object)), configuration))
        };
        make().map_err(|error: Error| error.at_extension(point, e.name()))
    }
    /// The name as registered.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }
    /// True if it has extensions of many names, like `r16` and `r24`.
    pub fn is_family(&self) -> bool {
        self.matches.is_some()
    }
    pub(super) fn matches(&self, name: &str) -> bool {
        self.matches.is_some_and(|matches| matches(name))
    }
    /// The crate or file that it comes from.
    pub fn origin(&self) -> &str {
        &self.origin
    }
    /// The crate, or the id of the plugin, that offers it.
    pub fn provider(&self) -> &str {
        self.provider.as_deref().unwrap_or(&self.origin)
    }
    /// True if decoding may give other elements than were encoded.
    pub fn is_lossy(&self) -> bool {
        self.lossy
    }
    /// Where it can be used.
    pub fn point(&self) -> ExtensionPoint {
        self.constructor.point()
    }
    /// How to make one.
    pub fn constructor(&self) -> &Constructor {
        &self.constructor
    }
    /// Makes a storage transformer.
    pub(crate) fn make_storage_transformer(
        &self,
        e: &Extension,
        cx: &CreateContext<'_>,
    ) -> Result<Instance<dyn StorageTransformer>> {
        match &self.constructor {
            Constructor::StorageTransformer(make) => make(e, &CreateContext { name: e.name(), ..*cx }),
            _ => Err(ErrorKind::Contract("what is registered as a storage transformer is none").into()),
        }
    }
}
impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` of {}", self.point(), self.name, self.origin)
    }
}

/// A registration that the linked program contains.
pub struct Builtin(#[doc(hidden)] pub fn() -> Registration);
inventory::collect!(Builtin);

/// An extension that the program could contain, but was built without.
pub struct DisabledExtension {
    /// Where it could be used.
    pub point: ExtensionPoint,
    /// Its name.
    pub name: &'static str,
    /// How to get it.
    pub hint: &'static str,
}
inventory::collect!(DisabledExtension);

/// The [`Registration`](crate::registry::Registration) of a type under the trait that it implements:
/// `registration!(BytesToBytes: MyCodec)`. Its [origin](crate::registry::Registration::origin) is the crate that uses the macro;
/// functions such as [`bytes_to_bytes`](crate::registry::Registration::bytes_to_bytes) derive it from the path of the type.
#[macro_export]
macro_rules! registration {
    (DataType: $type:ty) => { $crate::registration!(@ data_type $type) };
    (ChunkGrid: $type:ty) => { $crate::registration!(@ chunk_grid $type) };
    (ChunkKeyEncoding: $type:ty) => { $crate::registration!(@ chunk_key_encoding $type) };
    (ArrayToArray: $type:ty) => { $crate::registration!(@ array_to_array $type) };
    (ArrayToBytes: $type:ty) => { $crate::registration!(@ array_to_bytes $type) };
    (BytesToBytes: $type:ty) => { $crate::registration!(@ bytes_to_bytes $type) };
    (StorageTransformer: $type:ty) => { $crate::registration!(@ storage_transformer $type) };
    (@ $kind:ident $type:ty) => {
        $crate::registry::Registration::$kind::<$type>().with_origin(env!("CARGO_PKG_NAME"))
    };
}

/// Registers a type that is [`ExtensionType`](crate::registry::ExtensionType) in every program that links this crate:
/// `register!(BytesToBytes: MyCodec);`
#[macro_export]
macro_rules! register {
    ($kind:ident: $type:ty) => {
        $crate::registry::inventory::submit! {
            $crate::registry::Builtin(|| $crate::registration!($kind: $type))
        }
    };
}

/// Tells which extension this crate was built without, and how to get it:
/// `absent!(Codec, "blosc", "build with feature `blosc`");`
#[macro_export]
macro_rules! absent {
    ($point:ident, $name:literal, $hint:literal) => {
        $crate::registry::inventory::submit! {
            $crate::registry::DisabledExtension { point: $crate::extension::ExtensionPoint::$point, name: $name, hint: $hint }
        }
    };
}
