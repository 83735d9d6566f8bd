//! `rectilinear`: chunks of different lengths along each dimension. Registered as "Rectilinear chunk grid".
//!
//! For each dimension, `chunk_shapes` contains one length for all chunks, or a list of lengths; `[length, count]` in a
//! list repeats a length. A list covers its dimension and may extend beyond it. A list may contain chunks entirely
//! outside the array, but these are not chunks of the grid until the array grows, since they contain no element.
//!
//! If an array grows beyond a list, its last length is repeated as often as needed. A list is never shortened.
//!
//! ```
//! # use rectilinear as _;
//! use zarr_plugin_api::testing::Bench;
//!
//! let json = r#"{
//!     "name": "rectilinear",
//!     "configuration": {"kind": "inline", "chunk_shapes": [[[20, 3], 40], 4]}
//! }"#;
//! let grid = Bench::new().chunk_grid(json, &[100, 6])?;
//! assert_eq!(grid.grid_shape(&[100, 6])?[..], [4, 2]);
//! assert_eq!(grid.chunk_region(&[100, 6], &[3, 1])?.start[..], [60, 4]);
//! assert_eq!(grid.chunk_region(&[100, 6], &[3, 1])?.len[..], [40, 4]);
//! # Ok::<(), zarr_plugin_api::Error>(())
//! ```

mod axis;
mod edges;
#[cfg(test)]
mod tests;

use axis::Axis;
use edges::Edges;
use serde::{Deserialize, Serialize};
use zarr_plugin_api::{
    AxisChunks, ChunkGrid, CreateContext, Dims, Error, ExtensionType, Json, Region, Result, export_plugin,
    zarr_core::json::Object,
};

/// The maximum number of chunks, in all dimensions together, to which lists are expanded.
const MAX_CHUNKS: u64 = 1 << 24;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Inline,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    kind: Kind,
    chunk_shapes: Vec<Edges>,
}

#[derive(Debug)]
struct Rectilinear {
    axes: Vec<Axis>,
}

impl ExtensionType for Rectilinear {
    const NAME: &'static str = "rectilinear";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let (found, shape) = (configuration.chunk_shapes.len(), cx.representation()?.shape());
        if found != shape.len() {
            let rank = shape.len();
            return Err(Error::configuration(format!(
                "`chunk_shapes` has rank {found}, but the array has rank {rank}"
            )));
        }
        let (mut axes, mut listed) = (Vec::new(), 0u64);
        for (d, (edges, n)) in configuration.chunk_shapes.into_iter().zip(shape).enumerate() {
            let axis = Axis::new(edges).and_then(|axis| axis.check_covers(*n).map(|()| axis));
            let axis = axis.map_err(|reason| {
                Error::configuration(reason).within(format!("[{d}]")).within("chunk_shapes").within("configuration")
            })?;
            listed = listed.saturating_add(axis.listed());
            axes.push(axis);
        }
        if listed > MAX_CHUNKS {
            return Err(Error::configuration(format!(
                "`chunk_shapes` lists {listed} chunks, more than the limit of {MAX_CHUNKS}"
            ))
            .with_hint("use a single length for a dimension whose chunks all have the same length"));
        }
        Ok(Self { axes })
    }
    fn configuration(&self) -> Configuration {
        let chunk_shapes = self.axes.iter().map(|a| a.edges().clone()).collect();
        Configuration { kind: Kind::Inline, chunk_shapes }
    }
}

impl Rectilinear {
    fn check_rank(&self, what: &str, found: usize) -> Result<()> {
        let wanted = self.axes.len();
        if found == wanted {
            return Ok(());
        }
        Err(Error::argument(format!("{what} has rank {found}, expected {wanted}")))
    }
}

impl ChunkGrid for Rectilinear {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.check_rank("the array", array_shape.len())?;
        let count = |(axis, n): (&Axis, &u64)| {
            axis.check_covers(*n).map_err(Error::argument)?;
            Ok(n.checked_sub(1).map_or(0, |last| axis.chunk_index_of(last) + 1))
        };
        self.axes.iter().zip(array_shape).map(count).collect()
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        let grid_shape = self.grid_shape(array_shape)?;
        self.check_rank("the chunk index", chunk_index.len())?;
        if chunk_index.iter().zip(&grid_shape).any(|(c, n)| c >= n) {
            return Err(Error::argument(format!(
                "chunk index {chunk_index:?} is out of bounds for grid shape {grid_shape:?}"
            )));
        }
        let (start, len): (Dims, Dims) = self.axes.iter().zip(chunk_index).map(|(axis, c)| axis.chunk(*c)).unzip();
        Region::new(&start, &len)
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        self.grid_shape(array_shape)?;
        self.check_rank("the element", element.len())?;
        if element.iter().zip(array_shape).any(|(e, n)| e >= n) {
            return Err(Error::argument(format!(
                "element {element:?} is out of bounds for array shape {array_shape:?}"
            )));
        }
        Ok(self.axes.iter().zip(element).map(|(axis, e)| axis.chunk_index_of(*e)).collect())
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        self.check_rank("the array", array_shape.len())?;
        self.check_rank("the new shape", new_shape.len())?;
        let grown: Vec<Option<Edges>> = self.axes.iter().zip(new_shape).map(|(axis, n)| axis.grown(*n)).collect();
        if grown.iter().all(Option::is_none) {
            return Ok(None);
        }
        let edges = self.axes.iter().zip(grown).map(|(axis, g)| g.unwrap_or_else(|| axis.edges().clone()));
        match Json::from_serialize(&Configuration { kind: Kind::Inline, chunk_shapes: edges.collect() })? {
            Json::Object(members) => Ok(Some(members)),
            other => Err(Error::configuration(format!("expected an object, found {other}"))),
        }
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        self.axes.get(axis)?.chunks()
    }
}

export_plugin! {
    id: "dev.zarr.rectilinear",
    ChunkGrid: [Rectilinear],
}
