//! Faulty storage transformers. The valid counterpart stores everything below a folder.

use super::Fixture;
use ozarr::{
    Error, Result,
    store::MemoryStore,
    zarr_core::{
        extension::Extension,
        json::{Json, Object},
        registry::{Constructor, CreateContext, Instance, Registration},
        source::{ByteRange, RangeCallback, Source},
        storage_transformer::StorageTransformer,
        store::{Key, ListableStore, Prefix, ReadableStore, Store, SubStore, WriteableStore},
    },
};
use std::sync::Arc;

#[derive(Debug)]
struct Below(&'static str);

impl StorageTransformer for Below {
    fn wrap(&self, below: Arc<dyn Store>) -> Result<Arc<dyn Store>> {
        match self.0 {
            // Stored values are lost with the store.
            "test.shares-nothing" => Ok(Arc::new(MemoryStore::default())),
            "test.stores-once" => {
                let used = below.uri(&Prefix::ROOT).contains("wrapped");
                let below = if used { Arc::new(MemoryStore::default()) as Arc<dyn Store> } else { below };
                Ok(Arc::new(Wrapped { below, false_size: false }))
            }
            "test.false-size" => Ok(Arc::new(Wrapped { below, false_size: true })),
            _ => Ok(Arc::new(SubStore::new(below, Prefix::new("below/")?))),
        }
    }
}

#[derive(Debug)]
struct Wrapped {
    below: Arc<dyn Store>,
    false_size: bool,
}

impl Store for Wrapped {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.below.writeable()
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.below.listable()
    }
    fn uri(&self, prefix: &Prefix) -> String {
        format!("wrapped+{}", self.below.uri(prefix))
    }
}

impl ReadableStore for Wrapped {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        match self.below.reader()?.open(key)? {
            Some(source) if self.false_size => Ok(Some(Box::new(Longer(source)))),
            found => Ok(found),
        }
    }
}

/// States a larger size than it has.
struct Longer<'s>(Box<dyn Source + 's>);

impl Source for Longer<'_> {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        self.0.read(ranges, each)
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(self.0.size()?.map(|n| n + 1))
    }
}

fn faulty(name: &'static str, caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, _: &CreateContext<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        Ok(Instance::new(Arc::new(Below(name)) as Arc<dyn StorageTransformer>, Box::new(Json::Object(Object::new()))))
    };
    let registration = Registration::new(name, "the tests", Constructor::StorageTransformer(Arc::new(make)));
    Fixture { name, registration, samples: &["configuration = '{}'"], caught }
}

pub(crate) fn counterpart() -> Fixture {
    faulty("test.below", &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        faulty("test.shares-nothing", &["lasting", "stacking"]),
        faulty("test.stores-once", &["stacking"]),
        faulty("test.false-size", &["store/get/size", "store/get/one-version"]),
    ]
}
