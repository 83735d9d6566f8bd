//! The codec `bytes`: an array -> bytes codec that writes elements in C order. Specification: "Bytes codec".
//!
//! `endian` is required if scalars have more than one byte; a new array that omits it is little endian. Scalars of any
//! data type are swapped, by their width.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs as _;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"uint16".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[0; 2]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::member::{extension, present};
use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::{ArrayToBytes, PartialDecode},
    extension::Extension,
    json::Json,
    layout::Layout,
    registry::{CreateContext, ExtensionType},
    representation::Size,
    source::{ByteRange, Source},
    view::{Dims, Region, TileGrid, View, ViewMut, swap_in_place},
};

/// Pieces of about this size stay in the processor's cache between reading and placing them.
const BLOCK: u64 = 256 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Endian {
    Little,
    Big,
}

const NATIVE: Endian = if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little };

/// The codec `bytes`, which writes elements one after another, in C order.
///
/// The default has no byte order: when an array is created, little endian is chosen for data types that need one.
///
/// ```
/// # use zarr_core::{extension::Extension, json::Json};
/// use zarr_codecs::Bytes;
/// let json = br#"{"name": "bytes", "configuration": {"endian": "big"}}"#;
/// # let json = Json::parse(json, &Default::default())?;
/// assert_eq!(Extension::from(Bytes::big()), Extension::parse(&json)?);
/// # Ok::<(), zarr_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    endian: Option<Endian>,
}

impl Bytes {
    /// Stores the least significant byte first, as nearly all machines do.
    pub fn little() -> Self {
        Self { endian: Some(Endian::Little) }
    }
    /// Stores the most significant byte first.
    pub fn big() -> Self {
        Self { endian: Some(Endian::Big) }
    }
    /// Stores elements in the native byte order of the machine that creates the array.
    pub fn native() -> Self {
        Self { endian: Some(NATIVE) }
    }
}
impl From<Bytes> for Extension {
    fn from(bytes: Bytes) -> Self {
        let endian = bytes.endian.map(|endian| match endian {
            Endian::Little => Json::from("little"),
            Endian::Big => Json::from("big"),
        });
        extension("bytes", [("endian", endian)])
    }
}

#[derive(Debug)]
struct BytesCodec {
    endian: Option<Endian>,
    /// The width of the units that are reversed: 1 for none.
    swap: usize,
    /// Set if units of several widths are reversed.
    mixed: Option<Layout>,
    element: usize,
    shape: Dims,
    size: u64,
}

impl ExtensionType for BytesCodec {
    const NAME: &'static str = "bytes";
    type Configuration = Bytes;
    fn create(configuration: Bytes, cx: &CreateContext<'_>) -> Result<Self> {
        let decoded = cx.representation()?;
        let (layout, mut endian) = (decoded.layout().clone(), configuration.endian);
        if layout.is_variable() {
            let e = Error::chain("cannot encode variable-length elements");
            return Err(e.with_hint("use the codec `vlen-utf8` or `vlen-bytes`"));
        }
        if endian.is_none() && layout.has_byte_order() {
            if !cx.intent.is_create() {
                let e =
                    Error::configuration(format!("missing member `endian` for data type `{:?}`", decoded.data_type()));
                return Err(e.with_hint("set `endian` to \"little\" or \"big\""));
            }
            endian = Some(Endian::Little);
        }
        let swap = if endian.is_none_or(|e| e == NATIVE) { Some(1) } else { layout.swap_width() };
        let element = layout.size();
        let mixed = swap.is_none().then_some(layout);
        let (shape, size) = (decoded.shape().into(), decoded.bytes()?);
        Ok(Self { endian, swap: swap.unwrap_or(1), mixed, element, shape, size })
    }
    fn configuration(&self) -> Bytes {
        Bytes { endian: self.endian }
    }
}

impl ArrayToBytes for BytesCodec {
    fn encoded_size(&self) -> Size {
        Size::Exact(self.size)
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let space = out.space(self.size as usize)?;
        ViewMut::new(space, &self.shape, self.element)?.copy_from(&decoded.clone().with_heap(None), self.swap)?;
        if let Some(layout) = &self.mixed {
            layout.swap(space);
        }
        Ok(())
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        if let Some(layout) = &self.mixed {
            let mut native = call.scratch(encoded.len())?;
            native.copy_from_slice(encoded);
            layout.swap(&mut native);
            return out.copy_from(&View::new(&native, &self.shape, self.element)?, 1);
        }
        out.copy_from(&View::new(encoded, &self.shape, self.element)?, self.swap)
    }
    fn partial_decode(&self) -> Option<&dyn PartialDecode> {
        self.mixed.is_none().then_some(self as _)
    }
    fn raw(&self) -> Option<usize> {
        self.mixed.is_none().then_some(self.swap)
    }
}

impl PartialDecode for BytesCodec {
    fn decode_region(
        &self,
        call: &CallContext<'_>,
        source: &dyn Source,
        region: &Region,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        if let Some(bytes) = source.in_memory() {
            let chunk = View::new(bytes, &self.shape, self.element)?;
            return out.copy_from(&chunk.region(region)?, self.swap);
        }
        if region.is_empty() {
            return Ok(());
        }
        if region.is_whole(&self.shape) {
            if let Some(destination) = out.as_slice() {
                source.read_into(ByteRange::All, destination)?;
                swap_in_place(destination, self.swap);
                return Ok(());
            }
            if !out.is_row_major() {
                // Rows would be scattered over the whole destination: place the chunk as a whole.
                return source.read(&[ByteRange::All], &mut |_, bytes| self.decode(call, bytes, out.reborrow()));
            }
        }
        let spans = self.spans(region, if out.is_row_major() { BLOCK } else { u64::MAX }, source.gap())?;
        let mut tiles: Vec<_> = out.tiles(&spans.grid)?.map(|t| t.out).collect();
        source.read(&spans.ranges, &mut |i, bytes| {
            tiles[i].copy_from(&View::strided(bytes, 0, &spans.shape, &spans.strides, self.element)?, self.swap)
        })
    }
}

/// The ranges to read for a region. Each range contains a part of the region, and all parts have one shape.
struct Spans {
    ranges: Vec<ByteRange>,
    grid: TileGrid,
    shape: Dims,
    strides: Vec<isize>,
}

impl BytesCodec {
    /// Divides a region into ranges: joins dimensions from the last on, as long as the gaps between their bytes are
    /// small and a range does not exceed a block.
    fn spans(&self, region: &Region, block: u64, gap: u64) -> Result<Spans> {
        let rank = self.shape.len();
        let mut stride = vec![self.element as u64; rank];
        for d in (0..rank.saturating_sub(1)).rev() {
            stride[d] = stride[d + 1] * self.shape[d + 1];
        }
        let (mut outer, mut span) = (rank, self.element as u64);
        while let Some(d) = outer.checked_sub(1) {
            let wider = stride[d] * (region.len[d] - 1) + span;
            let far_apart = region.len[d] > 1 && stride[d] - span > gap;
            if far_apart || (wider > block && span >= block / 64) {
                break;
            }
            (outer, span) = (d, wider);
        }
        let mut shape = region.len.clone();
        shape[..outer].fill(1);
        let grid = TileGrid::regular(&Region::whole(&region.len), &shape)?;
        let range = |place: zarr_core::view::TilePlace| {
            let start = (0..rank).map(|d| (region.start[d] + place.part.start[d]) * stride[d]).sum();
            ByteRange::Slice { start, len: span }
        };
        let ranges = grid.places().map(range).collect();
        Ok(Spans { ranges, grid, shape, strides: stride.iter().map(|&s| s as isize).collect() })
    }
}

zarr_core::register!(ArrayToBytes: BytesCodec);
