//! Faulty chunk grids. They wrap `regular`.

use super::Fixture;
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
    wrapped: Arc<dyn ChunkGrid>,
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
            "test.any-rank" if self.is_other_rank(array_shape) => Ok(Dims::from_elem(1, array_shape.len())),
            "test.one-chunk-too-few" => {
                let mut counts = self.wrapped.grid_shape(array_shape)?;
                if counts.first().is_some_and(|n| *n == 4) {
                    counts[0] = 3;
                }
                Ok(counts)
            }
            "test.chunk-count-of-an-empty-dimension" => {
                let counts = self.wrapped.grid_shape(array_shape)?;
                Ok(counts.iter().map(|n| (*n).max(1)).collect())
            }
            _ => self.wrapped.grid_shape(array_shape),
        }
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        match self.name {
            "test.overflows" if array_shape.iter().any(|n| *n > 1 << 62) => {
                let start: Dims = chunk_index.iter().zip(&self.lengths).map(|(i, n)| i.wrapping_mul(*n)).collect();
                Ok(Region { start, len: chunk_index.iter().map(|_| u64::MAX).collect() })
            }
            "test.chunk-of-an-empty-dimension" => {
                let shape: Vec<u64> = array_shape.iter().map(|n| (*n).max(1)).collect();
                self.wrapped.chunk_region(&shape, chunk_index)
            }
            _ => self.wrapped.chunk_region(array_shape, chunk_index),
        }
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        let mut chunk_index = self.wrapped.chunk_index_of(array_shape, element)?;
        if self.name == "test.next-chunk" && element.first() == Some(&3) {
            chunk_index[0] = 0;
        }
        Ok(chunk_index)
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        if self.name == "test.stretches" {
            let grown: Vec<u64> = self.lengths.iter().map(|n| n + 1).collect();
            return Ok(Some([("chunk_shape", Json::from(grown))].into_iter().collect()));
        }
        self.wrapped.resized(array_shape, new_shape)
    }
    fn axis(&self, axis: usize) -> Option<AxisChunks<'_>> {
        match (self.name, self.wrapped.axis(axis)?) {
            ("test.other-axis", AxisChunks::Regular(n)) => Some(AxisChunks::Regular(n + 1)),
            (_, axis) => Some(axis),
        }
    }
}

fn faulty(name: &'static str, caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        let wrapped_extension = Extension::new("regular", extension.configuration().cloned().unwrap_or_default());
        let made = cx.registry.chunk_grid(&wrapped_extension, cx)?;
        let members = made.configuration()?;
        let lengths = members.get("chunk_shape").and_then(Json::as_array).unwrap_or_default();
        let lengths = lengths.iter().map(|n| n.to_string().parse().map_err(|_| Error::configuration("no number")));
        let grid = Grid { name, wrapped: made.object, lengths: lengths.collect::<Result<_>>()? };
        Ok(Instance::new(Arc::new(grid) as Arc<dyn ChunkGrid>, Box::new(Json::Object(members))))
    };
    let registration = Registration::new(name, "the tests", Constructor::ChunkGrid(Arc::new(make)));
    Fixture { name, registration, samples: &["configuration = '{\"chunk_shape\": [3, 4]}'\nshape = [10, 8]"], caught }
}

pub(crate) fn counterpart() -> Fixture {
    faulty("test.regular", &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        faulty("test.one-chunk-too-few", &["tessellation", "*chunk-index-of"]),
        faulty("test.next-chunk", &["chunk-index-of"]),
        faulty("test.other-axis", &["axis"]),
        faulty("test.any-rank", &["rank"]),
        faulty("test.overflows", &["beyond"]),
        faulty("test.chunk-count-of-an-empty-dimension", &["empty"]),
        faulty("test.chunk-of-an-empty-dimension", &["empty"]),
        faulty("test.stretches", &["resize"]),
    ]
}
