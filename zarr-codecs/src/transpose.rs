//! `transpose`: an array -> array codec that changes the order of dimensions. Specification: "Transpose codec".
//!
//! Dimension `i` of the encoded array is dimension `order[i]` of the decoded one. Nothing is moved where a change of
//! strides will do.
//!
//! ```
//! # use zarr_core::{extension::Extension, json::Json};
//! let json = br#"{"name": "transpose", "configuration": {"order": [2, 0, 1]}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "transpose");
//! # Ok::<(), zarr_core::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::CallContext,
    codec::{ArrayToArray, DecodeStrategy},
    registry::{CreateContext, ExtensionType},
    representation::Representation,
    view::{Dims, View, ViewMut},
};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    order: Vec<usize>,
}

#[derive(Debug)]
struct Transpose {
    order: Vec<usize>,
    encoded: Representation,
}

impl ExtensionType for Transpose {
    const NAME: &'static str = "transpose";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let (order, decoded) = (configuration.order, cx.representation()?);
        let rank = decoded.shape().len();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..rank) {
            return Err(Error::configuration(format!("`order` {order:?} is not a permutation of {rank} dimensions")));
        }
        let shape: Dims = order.iter().map(|&o| decoded.shape()[o]).collect();
        Ok(Self { encoded: decoded.with_shape(&shape), order })
    }
    fn configuration(&self) -> Configuration {
        Configuration { order: self.order.clone() }
    }
}

impl ArrayToArray for Transpose {
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

zarr_core::register!(ArrayToArray: Transpose);
