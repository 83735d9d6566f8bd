//! Registrations: the names of an extension, and how to create it.

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

/// An extension's name, its typed configuration, and its constructor.
///
/// The trait of the extension point has the rest.
pub trait ExtensionType: Sized + 'static {
    /// The registered name.
    const NAME: &'static str;
    /// Other names that are accepted in metadata.
    const ALIASES: &'static [&'static str] = &[];
    /// True if decoded elements may differ from the encoded ones.
    const LOSSY: bool = false;
    /// True if the extension has a family of names (`r8`, `r16`, ...), recognized by [`matches`](Self::matches).
    const FAMILY: bool = false;
    /// For a family: true if `name` belongs to it. [`CreateContext::name`] is the name that was used.
    fn matches(_name: &str) -> bool {
        false
    }
    /// The `configuration` of a metadata document: a struct that serde reads and writes, often `Self`.
    ///
    /// Use `#[serde(deny_unknown_fields)]`, since unknown members must be rejected.
    type Configuration: DeserializeOwned + Serialize + Send + Sync + 'static;
    /// Creates the extension for one array.
    ///
    /// `cx` has the array or bytes that a codec is created for, the limits, and the other extensions.
    ///
    /// # Errors
    /// If the configuration is invalid, or does not fit the array.
    fn create(configuration: Self::Configuration, cx: &CreateContext<'_>) -> Result<Self>;
    /// Returns the configuration, including the values chosen for omitted members.
    fn configuration(&self) -> Self::Configuration;
    /// Returns the extension in the form used in metadata, for instance as a codec of a new array.
    ///
    /// # Errors
    /// If the configuration does not serialize to an object.
    fn to_extension(&self) -> Result<Extension> {
        Ok(Extension::new(Self::NAME, configuration_object(&self.configuration())?))
    }
}

fn configuration_object(configuration: &(impl Serialize + ?Sized)) -> Result<Object> {
    match Json::from_serialize(configuration)? {
        Json::Object(members) => Ok(members),
        Json::Null => Ok(Object::new()),
        other => Err(Error::configuration(format!("expected an object, found {}", other.kind()))),
    }
}

/// The configuration of an extension that has none: absent, or an empty object.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct NoConfiguration {}

/// An extension that has been created, with its configuration.
pub struct Instance<T: ?Sized> {
    /// The extension.
    pub object: Arc<T>,
    configuration: Box<dyn erased_serde::Serialize + Send + Sync>,
}

impl<T: ?Sized> Instance<T> {
    /// Combines an extension with the configuration that describes it.
    pub fn new(object: Arc<T>, configuration: Box<dyn erased_serde::Serialize + Send + Sync>) -> Self {
        Self { object, configuration }
    }
    /// Returns the configuration, including the values chosen for omitted members.
    ///
    /// # Errors
    /// If the configuration does not serialize to an object.
    pub fn configuration(&self) -> Result<Object> {
        configuration_object(&*self.configuration)
    }
    /// Returns the extension in the form to write to metadata: as it was read, with the values chosen for omitted
    /// members.
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

/// A function that creates an instance of an extension.
pub type Make<T> = Arc<dyn Fn(&Extension, &CreateContext<'_>) -> Result<Instance<T>> + Send + Sync>;

/// The constructor of an extension, by kind.
#[derive(Clone)]
pub enum Constructor {
    /// A constructor of data types.
    DataType(Make<dyn DataType>),
    /// A constructor of chunk grids.
    ChunkGrid(Make<dyn ChunkGrid>),
    /// A constructor of chunk key encodings.
    ChunkKeyEncoding(Make<dyn ChunkKeyEncoding>),
    /// A constructor of array -> array codecs.
    ArrayToArray(Make<dyn ArrayToArray>),
    /// A constructor of array -> bytes codecs.
    ArrayToBytes(Make<dyn ArrayToBytes>),
    /// A constructor of bytes -> bytes codecs.
    BytesToBytes(Make<dyn BytesToBytes>),
    /// A constructor of storage transformers.
    StorageTransformer(Make<dyn StorageTransformer>),
}

impl Constructor {
    /// Returns the extension point at which the extension can be used.
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
    /// Creates a registration of an extension under a name.
    ///
    /// `origin` is the crate or file that contains it, for messages.
    pub fn new(name: impl Into<String>, origin: impl Into<String>, constructor: Constructor) -> Self {
        let (name, origin) = (name.into(), origin.into());
        Self { name, aliases: Vec::new(), matches: None, origin, provider: None, lossy: false, constructor }
    }
    /// Sets the identifier of the plugin that provides the extension.
    pub fn with_provider(mut self, id: impl Into<String>) -> Self {
        self.provider = Some(id.into());
        self
    }
    /// Sets whether decoded elements may differ from the encoded ones.
    pub fn with_lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }
    /// Adds a name that is accepted in metadata too.
    pub fn with_alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }
    /// Creates the registration of a data type.
    pub fn data_type<T: ExtensionType + DataType>() -> Self {
        Self::of::<T>(Constructor::DataType(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::DataType)
        })))
    }
    /// Creates the registration of a chunk grid.
    pub fn chunk_grid<T: ExtensionType + ChunkGrid>() -> Self {
        Self::of::<T>(Constructor::ChunkGrid(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::ChunkGrid)
        })))
    }
    /// Creates the registration of a chunk key encoding.
    pub fn chunk_key_encoding<T: ExtensionType + ChunkKeyEncoding>() -> Self {
        Self::of::<T>(Constructor::ChunkKeyEncoding(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::ChunkKeyEncoding)
        })))
    }
    /// Creates the registration of an array -> array codec.
    pub fn array_to_array<T: ExtensionType + ArrayToArray>() -> Self {
        Self::of::<T>(Constructor::ArrayToArray(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// Creates the registration of an array -> bytes codec.
    pub fn array_to_bytes<T: ExtensionType + ArrayToBytes>() -> Self {
        Self::of::<T>(Constructor::ArrayToBytes(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// Creates the registration of a bytes -> bytes codec.
    pub fn bytes_to_bytes<T: ExtensionType + BytesToBytes>() -> Self {
        Self::of::<T>(Constructor::BytesToBytes(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::Codec)
        })))
    }
    /// Creates the registration of a storage transformer.
    pub fn storage_transformer<T: ExtensionType + StorageTransformer>() -> Self {
        Self::of::<T>(Constructor::StorageTransformer(Arc::new(|e, cx| {
            Self::make(e, cx, |made: Arc<T>| made, ExtensionPoint::StorageTransformer)
        })))
    }
    /// Creates the registration of a type. Its origin is the crate of the type.
    fn of<T: ExtensionType>(constructor: Constructor) -> Self {
        let path = std::any::type_name::<T>();
        let mut r = Self::new(T::NAME, path.split("::").next().unwrap_or(path), constructor);
        r.aliases = T::ALIASES.iter().map(|&a| a.to_owned()).collect();
        r.lossy = T::LOSSY;
        r.matches = T::FAMILY.then_some(T::matches);
        r
    }
    /// Sets the crate or file that contains the extension.
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
    /// Returns the registered name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Returns the name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }
    /// True if the registration is for a family of names, like `r16` and `r24`.
    pub fn is_family(&self) -> bool {
        self.matches.is_some()
    }
    pub(super) fn matches(&self, name: &str) -> bool {
        self.matches.is_some_and(|matches| matches(name))
    }
    /// Returns the crate or file that contains the extension.
    pub fn origin(&self) -> &str {
        &self.origin
    }
    /// Returns the crate, or the identifier of the plugin, that provides the extension.
    pub fn provider(&self) -> &str {
        self.provider.as_deref().unwrap_or(&self.origin)
    }
    /// True if decoded elements may differ from the encoded ones.
    pub fn is_lossy(&self) -> bool {
        self.lossy
    }
    /// Returns the extension point at which the extension can be used.
    pub fn point(&self) -> ExtensionPoint {
        self.constructor.point()
    }
    /// Returns the constructor.
    pub fn constructor(&self) -> &Constructor {
        &self.constructor
    }
    /// Creates a storage transformer.
    pub(crate) fn make_storage_transformer(
        &self,
        e: &Extension,
        cx: &CreateContext<'_>,
    ) -> Result<Instance<dyn StorageTransformer>> {
        match &self.constructor {
            Constructor::StorageTransformer(make) => make(e, &CreateContext { name: e.name(), ..*cx }),
            _ => Err(ErrorKind::Contract("a storage transformer has a constructor of another kind").into()),
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

/// An extension that this program was built without.
pub struct DisabledExtension {
    /// The extension point at which it could be used.
    pub point: ExtensionPoint,
    /// Its name.
    pub name: &'static str,
    /// How to obtain it.
    pub hint: &'static str,
}
inventory::collect!(DisabledExtension);

/// Returns the [`Registration`](crate::registry::Registration) of a type for the trait that it implements:
/// `registration!(BytesToBytes: MyCodec)`.
///
/// The [origin](crate::registry::Registration::origin) is the crate that uses the macro. Functions such as
/// [`bytes_to_bytes`](crate::registry::Registration::bytes_to_bytes) derive it from the path of the type instead.
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

/// Registers an [`ExtensionType`](crate::registry::ExtensionType) in every program that links this crate:
/// `register!(BytesToBytes: MyCodec);`
#[macro_export]
macro_rules! register {
    ($kind:ident: $type:ty) => {
        $crate::registry::inventory::submit! {
            $crate::registry::Builtin(|| $crate::registration!($kind: $type))
        }
    };
}

/// Declares an extension that this crate was built without, and how to obtain it:
/// ``absent!(Codec, "blosc", "build with feature `blosc`");``
#[macro_export]
macro_rules! absent {
    ($point:ident, $name:literal, $hint:literal) => {
        $crate::registry::inventory::submit! {
            $crate::registry::DisabledExtension { point: $crate::extension::ExtensionPoint::$point, name: $name, hint: $hint }
        }
    };
}
