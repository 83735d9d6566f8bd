//! `bitround`: an array -> array codec that loses digits, so that what compresses afterwards finds more that repeats.
//! Specification: the registered page "bitround codec".
//!
//! Floating point numbers keep `keepbits` bits of their mantissa, integers keep `keepbits` bits from their highest bit
//! that is set; each component of a complex number counts for itself. What lies in the middle becomes even. Infinities
//! and every NaN stay as they are, and the fill value is rounded like any element. Decoding changes nothing.
//!
//! The page leaves these open. An integer is looked at as its bits, so that a negative one counts from its sign; none
//! is rounded beyond the largest number of its data type. More bits than there are change nothing. No bits at all are
//! taken where they were stored, since the page's schema allows them, but not for new arrays, since its text does not.
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "bitround", "configuration": {"keepbits": 10}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "bitround");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

mod round;

use round::Rounding;
use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    ArrayToArray, CallContext, CreateContext, DecodeStrategy, Error, ExtensionType, Region, Representation, Result,
    View, ViewMut,
};

/// Deprecated; floating point numbers mean the same there.
const NUMCODECS: &str = "numcodecs.bitround";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    keepbits: u64,
    /// Python programs leave it there under the name of numcodecs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

#[derive(Debug)]
struct Bitround {
    configuration: Configuration,
    rounding: Rounding,
    encoded: Representation,
}

impl ExtensionType for Bitround {
    const NAME: &'static str = "bitround";
    const ALIASES: &'static [&'static str] = &[NUMCODECS, "https://codec.zarrs.dev/array_to_bytes/bitround"];
    const LOSSY: bool = true;
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        if configuration.id.is_some() && cx.name != NUMCODECS {
            return Err(Error::configuration("unknown field `id`, expected `keepbits`"));
        }
        if configuration.keepbits == 0 && cx.intent.is_create() {
            let e = Error::configuration("`keepbits` must be at least 1");
            return Err(e.with_hint("1 keeps the size of numbers and little else; most data need more"));
        }
        let decoded = cx.representation()?;
        let rounding = Rounding::new(decoded.layout(), configuration.keepbits).ok_or_else(|| {
            let e = Error::chain(format!("elements are {:?}, which have no bits to round", decoded.data_type()));
            e.with_hint("use integers or floating point numbers of up to 8 bytes, or leave the codec out")
        })?;
        let mut fill = decoded.fill().to_vec();
        rounding.apply(&mut fill);
        Ok(Self { configuration, rounding, encoded: decoded.with_fill(&fill) })
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

impl ArrayToArray for Bitround {
    fn encoded_representation(&self) -> &Representation {
        &self.encoded
    }
    fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, mut encoded: ViewMut<'_>) -> Result<()> {
        let (shape, element) = (encoded.shape(), encoded.element_size());
        if let Some(bytes) = encoded.as_slice() {
            ViewMut::new(bytes, &shape, element)?.copy_from(decoded, 1)?;
            self.rounding.apply(bytes);
            return Ok(());
        }
        let mut scratch = call.scratch(encoded.count().saturating_mul(element))?;
        ViewMut::new(&mut scratch, &shape, element)?.copy_from(decoded, 1)?;
        self.rounding.apply(&mut scratch);
        encoded.copy_from(&View::new(&scratch, &shape, element)?, 1)
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &View<'_>, mut decoded: ViewMut<'_>) -> Result<()> {
        decoded.copy_from(encoded, 1)
    }
    fn decode_strategy(&self) -> DecodeStrategy<'_> {
        DecodeStrategy::InPlace
    }
    fn decode_in_place(&self, _: &CallContext<'_>, _: ViewMut<'_>) -> Result<()> {
        Ok(())
    }
    fn encoded_region(&self, decoded: &Region) -> Option<Region> {
        Some(decoded.clone())
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.bitround", ArrayToArray: [Bitround] }

#[cfg(test)]
mod tests;
