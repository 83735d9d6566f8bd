//! `bitround`: an array -> array codec that rounds away digits, so that the codecs behind it compress better.
//!
//! Specification: the registered page "bitround codec".
//!
//! Floating-point numbers keep `keepbits` bits of their mantissa. Integers keep `keepbits` bits from their highest set
//! bit. Each component of a complex number is rounded on its own. Ties are rounded to even. Infinities and all NaNs are
//! unchanged, and the fill value is rounded like any element. Decoding changes nothing.
//!
//! The page leaves the following open. An integer is rounded as a bit pattern, so that a negative one counts from its
//! sign bit. No integer is rounded beyond the largest number of its data type. If `keepbits` is larger than the number
//! of bits, nothing is changed. A `keepbits` of 0 is accepted in stored metadata, because the page's schema allows it,
//! but not for new arrays, because the page's text forbids it.
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

/// The deprecated name, which means the same for floating-point numbers.
const NUMCODECS: &str = "numcodecs.bitround";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    keepbits: u64,
    /// Python programs leave this member in configurations under the name of numcodecs.
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
            return Err(Error::configuration("unknown member `id`, expected `keepbits`"));
        }
        if configuration.keepbits == 0 && cx.intent.is_create() {
            let e = Error::configuration("`keepbits` must be at least 1");
            return Err(e.with_hint("use at least 1; most data need more"));
        }
        let decoded = cx.representation()?;
        let rounding = Rounding::new(decoded.layout(), configuration.keepbits).ok_or_else(|| {
            let e = Error::chain(format!("cannot round elements of data type `{:?}`", decoded.data_type()));
            e.with_hint("use integers or floating-point numbers of up to 8 bytes, or remove the codec")
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
