//! Chunk grids that are wrong. Their parent is `regular`.

use super::Animal;
use ozarr::{
    Error, Result,
    zarr_core::{
        chunk_grid::{AxisChunks, ChunkGrid},
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, CreateContext, Instance, Registration},
        view::{Dims, Region},
    },
};
use std::sync::Arc;

#[derive(Debug)]
struct Grid {
    name: &'static str,
    parent: Arc<dyn ChunkGrid>,
    lengths: Vec<u64>,
}

impl Grid {
    fn is_other_rank(&self, shape: &[u64]) -> bool {
        shape.len() != self.lengths.len()
    }
}

impl ChunkGrid for Grid {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        match self.name {
            "zoo.any-rank" if self.is_other_rank(array_shape) => Ok(Dims::from_elem(1, array_shape.len())),
            "zoo.a-cell-too-few" => {
                let mut cells = self.parent.grid_shape(array_shape)?;
                if cells.first().is_some_and(|n| *n == 4) {
                    cells[0] = 3;
                }
                Ok(cells)
            }
            "zoo.one-for-none" => {
                let cells = self.parent.grid_shape(array_shape)?;
                Ok(cells.iter().map(|n| (*n).max(1)).collect())
            }
            _ => self.parent.grid_shape(array_shape),
        }
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        match self.name {
            "zoo.overflows" if array_shape.iter().any(|n| *n > 1 << 62) => {
                let start: Dims = chunk_index.iter().zip(&self.lengths).map(|(i, n)| i.wrapping_mul(*n)).collect();
                Ok(Region { start, len: chunk_index.iter().map(|_| u64::MAX).collect() })
            }
            "zoo.cell-of-none" => {
                let shape: Vec<u64> = array_shape.iter().map(|n| (*n).max(1)).collect();
                self.parent.chunk_region(&shape, chunk_index)
            }
            _ => self.parent.chunk_region(array_shape, chunk_index),
        }
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        let mut chunk_index = self.parent.chunk_index_of(array_shape, element)?;
        if self.name == "zoo.next-cell" && element.first() == Some(&3) {
            chunk_index[0] = 0;
        }
        Ok(chunk_index)
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        if self.name == "zoo.stretches" {
            let grown: Vec<u64> = self.lengths.iter().map(|n| n + 1).collect();
            return Ok(Some([("chunk_shape", Json::from(grown))].into_iter().collect()));
        }
        self.parent.resized(array_shape, new_shape)
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        match (self.name, self.parent.axis(axis)?) {
            ("zoo.other-axis", AxisChunks::Regular(n)) => Some(AxisChunks::Regular(n + 1)),
            (_, axis) => Some(axis),
        }
    }
}

fn animal(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let own = Extension::new("regular", extension.configuration().cloned().unwrap_or_default());
        let made = cx.registry.chunk_grid(&own, cx)?;
        let members = made.configuration()?;
        let lengths = members.get("chunk_shape").and_then(Json::as_array).unwrap_or_default();
        let lengths = lengths.iter().map(|n| n.to_string().parse().map_err(|_| Error::configuration("no number")));
        let grid = Grid { name, parent: made.object, lengths: lengths.collect::<Result<_>>()? };
        Ok(Instance::new(Arc::new(grid) as Arc<dyn ChunkGrid>, Box::new(Json::Object(members))))
    };
    let registration = Registration::new(name, "the zoo", Constructor::ChunkGrid(Arc::new(make)));
    Animal { name, registration, samples: &["configuration = '{\"chunk_shape\": [3, 4]}'\nshape = [10, 8]"], caught }
}

pub(crate) fn parent() -> Animal {
    animal("zoo.regular", &[])
}

pub(crate) fn animals() -> Vec<Animal> {
    vec![
        animal("zoo.a-cell-too-few", &["tessellation", "*cell-of"]),
        animal("zoo.next-cell", &["cell-of"]),
        animal("zoo.other-axis", &["axis"]),
        animal("zoo.any-rank", &["rank"]),
        animal("zoo.overflows", &["beyond"]),
        animal("zoo.one-for-none", &["empty"]),
        animal("zoo.cell-of-none", &["empty"]),
        animal("zoo.stretches", &["resize"]),
    ]
}
