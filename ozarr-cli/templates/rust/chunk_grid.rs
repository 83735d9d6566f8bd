//! `{{name}}`: a chunk grid of one chunk that is the whole array. Replace it with your grid.

use zarr_plugin_api::{
    ChunkGrid, CreateContext, Dims, Error, ExtensionType, NoConfiguration, Region, Result, export_plugin,
    zarr_core::json::Object,
};

#[derive(Debug)]
struct Whole {
    rank: usize,
}

impl Whole {
    fn check_rank(&self, numbers: &[u64]) -> Result<()> {
        if numbers.len() == self.rank {
            return Ok(());
        }
        Err(Error::argument(format!("the array has {} dimensions, not those of {numbers:?}", self.rank)))
    }
}

impl ExtensionType for Whole {
    const NAME: &'static str = "{{name}}";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, cx: &CreateContext<'_>) -> Result<Self> {
        Ok(Self { rank: cx.representation()?.shape().len() })
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl ChunkGrid for Whole {
    fn grid_shape(&self, array_shape: &[u64]) -> Result<Dims> {
        self.check_rank(array_shape)?;
        Ok(array_shape.iter().map(|&n| n.min(1)).collect())
    }
    fn chunk_region(&self, array_shape: &[u64], chunk_index: &[u64]) -> Result<Region> {
        self.check_rank(array_shape)?;
        self.check_rank(chunk_index)?;
        if chunk_index.iter().zip(array_shape).any(|(&c, &n)| c >= n.min(1)) {
            return Err(Error::argument(format!("there is no chunk {chunk_index:?}")));
        }
        Ok(Region::whole(array_shape))
    }
    fn chunk_index_of(&self, array_shape: &[u64], element: &[u64]) -> Result<Dims> {
        self.check_rank(array_shape)?;
        self.check_rank(element)?;
        if element.iter().zip(array_shape).any(|(i, n)| i >= n) {
            return Err(Error::argument(format!("there is no element {element:?}")));
        }
        Ok(array_shape.iter().map(|_| 0).collect())
    }
    fn resized(&self, array_shape: &[u64], new_shape: &[u64]) -> Result<Option<Object>> {
        if array_shape == new_shape {
            return Ok(None);
        }
        Err(Error::argument("its only chunk would change").with_hint("copy the array instead"))
    }
}

export_plugin! { id: "{{id}}", ChunkGrid: [Whole] }
