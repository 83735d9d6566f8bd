//! `{{name}}`: a chunk key encoding, `chunk` and the chunk index, separated by dots. Replace it with your keys.

use zarr_plugin_api::{ChunkKeyEncoding, CreateContext, Dims, ExtensionType, NoConfiguration, Result, export_plugin};

#[derive(Debug)]
struct Dots;

impl ExtensionType for Dots {
    const NAME: &'static str = "{{name}}";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl ChunkKeyEncoding for Dots {
    fn encode(&self, chunk_index: &[u64]) -> Result<String> {
        Ok(chunk_index.iter().fold("chunk".to_owned(), |key, n| format!("{key}.{n}")))
    }
    fn decode(&self, key: &str, rank: usize) -> Option<Dims> {
        let numbers = key.strip_prefix("chunk")?.split('.').skip(1);
        let chunk_index: Dims = numbers.map(|n| n.parse().ok()).collect::<Option<_>>()?;
        // Only a key that `encode` returns, so not `chunk.01`.
        let same = chunk_index.len() == rank && self.encode(&chunk_index).is_ok_and(|k| k == key);
        same.then_some(chunk_index)
    }
}

export_plugin! { id: "{{id}}", ChunkKeyEncoding: [Dots] }
