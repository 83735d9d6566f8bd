//! Facts about one array.

use super::{escape::limited, histogram::Histogram, map::Map, thumbnail::Thumbnail};
use ozarr::{
    Array, Error,
    zarr_core::{
        json::{Json, Object},
        store::{Key, Prefix},
    },
};
use ozarr_tools::stored;

/// The most bytes of attributes on the page.
pub(super) const ATTRIBUTES: usize = 20_000;

/// The facts about an array that the page shows.
pub(super) struct Facts {
    pub(super) path: String,
    pub(super) shape: Vec<u64>,
    pub(super) dimension_names: Option<Vec<Option<String>>>,
    pub(super) data_type: String,
    pub(super) chunk_shape: Option<Vec<u64>>,
    pub(super) inner_chunk_shape: Option<Vec<u64>>,
    pub(super) chunk_grid: String,
    pub(super) fill_value: String,
    /// Each as JSON.
    pub(super) codecs: Vec<String>,
    pub(super) stored_bytes: Option<u64>,
    pub(super) decoded_bytes: Option<u64>,
    pub(super) map: Option<Map>,
    /// True if stored chunks were decoded, so that damaged ones are known.
    pub(super) is_checked: bool,
    pub(super) histogram: Option<Histogram>,
    pub(super) thumbnail: Result<Thumbnail, String>,
    /// Attributes as JSON, and whether they are truncated.
    pub(super) attributes: Option<(String, bool)>,
    /// Errors that kept facts from being determined.
    pub(super) errors: Vec<String>,
}

impl Facts {
    /// Collects the facts. `damaged` contains the keys of chunks that could not be decoded, if all were decoded.
    pub(super) fn new(array: &Array, damaged: Option<&[String]>) -> Self {
        let mut errors = Vec::new();
        let mut note = |e: Error| errors.push(e.to_string());
        let metadata = array.metadata();
        let mut chunks = array.stored_keys().map(|keys| keys.chunks).map_err(&mut note).ok();
        if let Some(chunks) = &mut chunks {
            chunks.dedup();
        }
        let indices: Vec<Vec<u64>> =
            damaged.unwrap_or_default().iter().filter_map(|key| chunk_index(array, key)).collect();
        let grid = array.chunk_grid().grid_shape(array.shape()).map_err(&mut note).ok();
        let map = grid.zip(chunks.as_ref()).map(|(grid, chunks)| Map::new(&grid, chunks, &indices));
        let stored_bytes = stored(array).map(|stored| stored.bytes).map_err(&mut note).ok();
        let in_grid = |index: &Vec<u64>| array.chunk_region(index).is_ok();
        let sampled: Vec<Vec<u64>> = chunks.unwrap_or_default().into_iter().filter(in_grid).collect();
        let attributes = metadata.attributes().filter(|attributes| !attributes.is_empty());
        Self {
            path: array.path().to_string(),
            shape: array.shape().to_vec(),
            dimension_names: metadata.dimension_names().map(<[_]>::to_vec),
            data_type: metadata.data_type().to_json().to_string(),
            chunk_shape: array.chunk_shape().map(<[_]>::to_vec),
            inner_chunk_shape: array.inner_chunk_shape().map(<[_]>::to_vec),
            chunk_grid: metadata.chunk_grid().to_json().to_string(),
            fill_value: metadata.fill_value().to_string(),
            codecs: metadata.codecs().iter().map(|codec| codec.to_json().to_string()).collect(),
            stored_bytes,
            decoded_bytes: array.nbytes(),
            map,
            is_checked: damaged.is_some(),
            histogram: Histogram::new(array, &sampled),
            thumbnail: Thumbnail::new(array).map_err(|e| e.to_string()),
            attributes: attributes.map(|attributes| limited(ATTRIBUTES, |out| attributes.write_pretty(out, 0))),
            errors,
        }
    }
    /// Returns the size of the elements relative to the stored size.
    pub(super) fn ratio(&self) -> Option<f64> {
        let stored = self.stored_bytes.filter(|n| *n > 0)?;
        Some(self.decoded_bytes? as f64 / stored as f64)
    }
    pub(super) fn to_json(&self) -> Object {
        let mut o: Object = [("path", self.path.as_str())].into_iter().collect();
        let lengths = |lengths: &Option<Vec<u64>>| lengths.as_deref().map_or(Json::Null, Json::from);
        let parsed = |text: &str| text.parse::<Json>().unwrap_or(Json::Null);
        o.set("shape", &self.shape[..]);
        o.set("data_type", parsed(&self.data_type));
        o.set("chunk_shape", lengths(&self.chunk_shape));
        o.set("inner_chunk_shape", lengths(&self.inner_chunk_shape));
        o.set("codecs", self.codecs.iter().map(|codec| parsed(codec)).collect::<Json>());
        o.set("stored_bytes", self.stored_bytes);
        o.set("decoded_bytes", self.decoded_bytes);
        o.set("ratio", self.ratio());
        let chunks = self.map.as_ref().map(|map| {
            let mut o: Object =
                [("total", map.total), ("stored", map.stored), ("missing", map.missing())].into_iter().collect();
            o.set("damaged", self.is_checked.then_some(map.damaged));
            Json::Object(o)
        });
        o.set("chunks", chunks.unwrap_or(Json::Null));
        let sample = self.histogram.as_ref().map(|h| {
            let counts = [("finite", h.finite), ("infinite", h.infinite), ("nan", h.nan), ("fill_value", h.fill)];
            let mut o: Object = counts.into_iter().collect();
            o.set("lowest", h.range.map(|(low, _)| low));
            o.set("mean", h.range.map(|_| h.mean));
            o.set("highest", h.range.map(|(_, high)| high));
            o.set("bins", h.bins);
            o.set("chunks", h.chunks as u64);
            o.set("chunks_that_cannot_be_read", h.failed as u64);
            Json::Object(o)
        });
        o.set("sample", sample.unwrap_or(Json::Null));
        o.set("errors", Json::from(self.errors.clone()));
        o
    }
}

/// Returns the chunk index of a store key.
fn chunk_index(array: &Array, key: &str) -> Option<Vec<u64>> {
    let own = Key::new(key).ok()?.strip(&Prefix::of(array.path()))?;
    Some(array.chunk_key_encoding().decode(own.as_str(), array.ndim())?.to_vec())
}
