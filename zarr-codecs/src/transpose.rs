//! The codec `transpose`: an array -> array codec that changes the order of dimensions. Specification: "Transpose
//! codec".
//!
//! Dimension `i` of the encoded array is dimension `order[i]` of the decoded one. Elements are not moved if a change of
//! strides is enough. A new array that omits `order` reverses all dimensions.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs::Bytes;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6, 8], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "transpose", "configuration": {"order": [2, 0, 1]}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[codec, Bytes::little().into()], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::member::{extension, or_chosen, present};
use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::CallContext,
    codec::{ArrayToArray, DecodeStrategy},
    extension::Extension,
    json::Json,
    registry::{CreateContext, ExtensionType},
    representation::Representation,
    view::{Dims, View, ViewMut},
};

/// The codec `transpose`, which changes the order of dimensions.
///
/// The default has no order: when an array is created, all dimensions are reversed, and this order is recorded.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::Transpose;
/// let json = br#"{"name": "transpose", "configuration": {"order": [2, 0, 1]}}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(Transpose::new([2, 0, 1])), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transpose {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    order: Option<Vec<usize>>,
}

impl Transpose {
    /// Sets the order: dimension `i` of the encoded array is dimension `order[i]` of the decoded one.
    ///
    /// Creating an array with another number of dimensions fails.
    pub fn new(order: impl Into<Vec<usize>>) -> Self {
        Self { order: Some(order.into()) }
    }
}
impl From<Transpose> for Extension {
    fn from(transpose: Transpose) -> Self {
        extension("transpose", [("order", transpose.order.map(Json::from))])
    }
}

#[derive(Debug)]
struct TransposeCodec {
    order: Vec<usize>,
    encoded: Representation,
}

impl ExtensionType for TransposeCodec {
    const NAME: &'static str = "transpose";
    type Configuration = Transpose;
    fn create(configuration: Transpose, cx: &CreateContext<'_>) -> Result<Self> {
        let decoded = cx.representation()?;
        let rank = decoded.shape().len();
        let order = or_chosen(configuration.order, "order", cx, (0..rank).rev().collect())?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..rank) {
            return Err(Error::configuration(format!("`order` {order:?} is not a permutation of {rank} dimensions")));
        }
        let shape: Dims = order.iter().map(|&o| decoded.shape()[o]).collect();
        Ok(Self { encoded: decoded.with_shape(&shape), order })
    }
    fn configuration(&self) -> Transpose {
        Transpose { order: Some(self.order.clone()) }
    }
}

impl ArrayToArray for TransposeCodec {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::Permute(&self.order)
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        encoded.copy_from(&decoded.clone().permute(&self.order)?, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, decoded: ViewMut<'_>) -> Result<()> {
        decoded.permute(&self.order)?.copy_from(encoded, 1)
    }
}

zarr_core::register!(ArrayToArray: TransposeCodec);
