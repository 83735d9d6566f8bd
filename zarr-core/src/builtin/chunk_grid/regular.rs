//! The chunk grid `regular`: all chunks have one shape. Specification: "Regular chunk grid".
//!
//! ```
//! # use zarr_core::{chunk_grid::ChunkGrid, extension::Extension, json::Json, registry::*, representation::Representation};
//! # let (registry, limits, notes) = (Registry::builtin(), Default::default(), Notes::default());
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open);
//! # let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits)?;
//! # let array = Representation::new(uint8.object, &[10, 200], &[0]);
//! let json = br#"{"name": "regular", "configuration": {"chunk_shape": [5, 30]}}"#;
//! let grid = registry.chunk_grid(&Extension::parse(&Json::parse(json, &limits)?)?, &cx.with(&array))?;
//! assert_eq!(grid.object.grid_shape(&[10, 200])?[..], [2, 7]);
//! # Ok::<(), zarr_core::Error>(())
//! ```

use crate::{
    chunk_grid::{AxisChunks, ChunkGrid},
    error::{Error, Result},
    registry::{CreateContext, ExtensionType},
    view::{Dims, Region},
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    chunk_shape: Vec<u64>,
}

#[derive(Debug)]
struct Regular {
    chunk_shape: Dims,
}

impl ExtensionType for Regular {
    const NAME: &'static str = "regular";
    type Configuration = Configuration;
    fn create(configuration: Configuration, cx: &CreateContext<'_>) -> Result<Self> {
        let (chunk_shape, rank) = (Dims::from(configuration.chunk_shape), cx.representation()?.shape().len());
        if chunk_shape.len() != rank {
            let found = chunk_shape.len();
            return Err(Error::configuration(format!("`chunk_shape` has rank {found}, but the array has rank {rank}")));
        }
        if chunk_shape.contains(&0) {
            return Err(Error::configuration("lengths in `chunk_shape` must be greater than zero"));
        }
        Ok(Self { chunk_shape })
    }
    fn configuration(&self) -> Configuration {
        Configuration { chunk_shape: self.chunk_shape.to_vec() }
    }
}

impl ChunkGrid for Regular {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        check_rank("the array", array_shape.len(), self.chunk_shape.len())?;
        Ok(array_shape.iter().zip(&self.chunk_shape).map(|(n, c)| n.div_ceil(*c)).collect())
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        let grid_shape = self.grid_shape(array_shape)?;
        check_rank("the chunk index", chunk_index.len(), grid_shape.len())?;
        if chunk_index.iter().zip(&grid_shape).any(|(c, n)| c >= n) {
            return Err(Error::argument(format!(
                "chunk index {chunk_index:?} is out of bounds for grid shape {grid_shape:?}"
            )));
        }
        let start: Dims = chunk_index.iter().zip(&self.chunk_shape).map(|(i, c)| i * c).collect();
        Region::new(&start, &self.chunk_shape)
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        check_rank("the element", element.len(), self.chunk_shape.len())?;
        if element.iter().zip(array_shape).any(|(e, n)| e >= n) {
            return Err(Error::argument(format!(
                "element {element:?} is out of bounds for array shape {array_shape:?}"
            )));
        }
        Ok(element.iter().zip(&self.chunk_shape).map(|(e, c)| e / c).collect())
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        self.chunk_shape.get(axis).map(|n| AxisChunks::Regular(*n))
    }
}

fn check_rank(what: &str, found: usize, wanted: usize) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::argument(format!("{what} has rank {found}, expected {wanted}")))
}

crate::register!(ChunkGrid: Regular);
