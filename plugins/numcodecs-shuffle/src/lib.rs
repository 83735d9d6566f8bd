//! `numcodecs.shuffle`: a bytes -> bytes codec. Specification: the page "Shuffle" of numcodecs, whose keyword arguments
//! are the configuration.
//!
//! The encoded bytes are the first byte of every element, then the second byte of every element, and so on. Elements of
//! one byte or of no bytes are unchanged. An `elementsize` of `null` means the size of the array's elements.
//!
//! ```
//! # use zarr_plugin_api::{Extension, Json};
//! let json = br#"{"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}"#;
//! assert_eq!(Extension::parse(&Json::parse(json, &Default::default())?)?.name(), "numcodecs.shuffle");
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    BytesToBytes, CallContext, CreateContext, Error, ExtensionType, Layout, OutputBuffer, Result, Size,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default = "four")]
    elementsize: Option<usize>,
    /// Python programs leave this member in configurations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

fn four() -> Option<usize> {
    Some(4)
}

#[derive(Debug)]
struct Shuffle {
    /// The size of an element in bytes, at least 1.
    element: usize,
    configuration: Configuration,
}

impl ExtensionType for Shuffle {
    const NAME: &'static str = "numcodecs.shuffle";
    type Configuration = Configuration;
    fn create(mut configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let written = match configuration.elementsize {
            Some(n) => n,
            None => element_size(cx)?,
        };
        configuration.elementsize = Some(written);
        let element = written.max(1);
        match cx.size {
            Size::Exact(n) if !n.is_multiple_of(element as u64) => {
                Err(Error::chain(format!("{n} bytes are not a multiple of the element size of {element} bytes"))
                    .with_hint("set `elementsize` to the size of the elements in bytes"))
            }
            _ => Ok(Self { element, configuration }),
        }
    }
    fn configuration(&self) -> Configuration {
        self.configuration.clone()
    }
}

fn element_size(cx: &CreateContext<'_>) -> Result<usize> {
    match cx.representation()?.layout() {
        layout @ Layout::Fixed { .. } => Ok(layout.size()),
        _ => Err(Error::chain("cannot choose `elementsize` for an array without a fixed element size")
            .with_hint("set `elementsize`, or remove the codec")),
    }
}

impl Shuffle {
    fn check(&self, len: usize) -> Result<()> {
        if len.is_multiple_of(self.element) {
            return Ok(());
        }
        Err(Error::data(format!("{len} bytes are not a multiple of the element size of {} bytes", self.element)))
    }
}

impl BytesToBytes for Shuffle {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.check(decoded.len())?;
        let out = out.space(decoded.len())?;
        match self.element {
            1 => out.copy_from_slice(decoded),
            2 => shuffle::<2>(decoded, out),
            4 => shuffle::<4>(decoded, out),
            8 => shuffle::<8>(decoded, out),
            n => {
                let count = decoded.len() / n;
                for (i, element) in decoded.chunks_exact(n).enumerate() {
                    for (b, &byte) in element.iter().enumerate() {
                        out[b * count + i] = byte;
                    }
                }
            }
        }
        Ok(())
    }
    fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.check(encoded.len())?;
        if self.element == 1 {
            out.alias_input(0..encoded.len());
            return Ok(());
        }
        let out = out.space(encoded.len())?;
        match self.element {
            2 => unshuffle::<2>(encoded, out),
            4 => unshuffle::<4>(encoded, out),
            8 => unshuffle::<8>(encoded, out),
            n => {
                let count = encoded.len() / n;
                for (i, element) in out.chunks_exact_mut(n).enumerate() {
                    for (b, byte) in element.iter_mut().enumerate() {
                        *byte = encoded[b * count + i];
                    }
                }
            }
        }
        Ok(())
    }
}

// With a width that is known at compile time, the compiler vectorizes the loops.

fn shuffle<const W: usize>(decoded: &[u8], out: &mut [u8]) {
    let (elements, count) = (decoded.as_chunks::<W>().0, decoded.len() / W);
    for b in 0..W {
        let plane = &mut out[b * count..(b + 1) * count];
        for (byte, element) in plane.iter_mut().zip(elements) {
            *byte = element[b];
        }
    }
}

fn unshuffle<const W: usize>(encoded: &[u8], out: &mut [u8]) {
    let count = encoded.len() / W;
    let planes: [&[u8]; W] = std::array::from_fn(|b| &encoded[b * count..(b + 1) * count]);
    for (i, element) in out.as_chunks_mut::<W>().0.iter_mut().enumerate() {
        *element = std::array::from_fn(|b| planes[b][i]);
    }
}

zarr_plugin_api::export_plugin! { id: "dev.zarr.numcodecs-shuffle", BytesToBytes: [Shuffle] }

#[cfg(test)]
mod tests;
