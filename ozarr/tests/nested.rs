//! A store that reads one array while another is read, in the same context, with little memory and several threads,
//! does not deadlock.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Array, Context, Error, Hierarchy, NewArray, Result,
    store::MemoryStore,
    zarr_core::{
        json::Json,
        source::{ByteRange, RangeCallback, Source},
        store::{Key, ListableStore, Prefix, ReadableStore, Store, WriteableStore, whole},
    },
};
use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, mpsc},
    thread,
    time::Duration,
};

/// A chunk of `/checked` is the chunk of `/numbers`, after all of `/numbers` was read and checked.
struct Checked {
    stored: Arc<MemoryStore>,
    numbers: OnceLock<Array>,
    /// One chunk is checked at a time.
    checking: Mutex<()>,
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

/// A value that does not appear to be in memory, so that reading it needs memory.
struct Elsewhere(Vec<u8>);

impl Source for Elsewhere {
    fn read(&self, ranges: &[ByteRange], each: RangeCallback<'_>) -> Result<()> {
        (&self.0[..]).read(ranges, each)
    }
    fn size(&self) -> Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }
}

const CHUNK: u64 = 2000;
const CHUNKS: u64 = 8;

fn elements() -> Vec<u8> {
    (0..CHUNK * CHUNKS).map(|i| (i / CHUNK + i % 7) as u8).collect()
}

impl Store for Checked {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        Some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        None
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        None
    }
    fn uri(&self, prefix: &Prefix) -> String {
        self.stored.uri(prefix)
    }
}
impl ReadableStore for Checked {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        let number = key.as_str().strip_prefix("checked/c/");
        if let (Some(_), Some(numbers)) = (number, self.numbers.get()) {
            let _alone = self.checking.lock().unwrap();
            if numbers.read::<u8>(..)? != elements() {
                return Err(Error::data("other numbers"));
            }
        }
        let key = number.map(|n| Key::new(format!("numbers/c/{n}"))).transpose()?.unwrap_or_else(|| key.clone());
        let bytes = self.stored.open(&key)?.map(|source| whole(&*source)).transpose()?;
        Ok(bytes.map(|bytes| Box::new(Elsewhere(bytes)) as _))
    }
}

/// Each chunk needs more memory than all threads share, so only one at a time gets it.
#[test]
fn a_store_that_reads_an_array_of_its_context_does_not_deadlock() {
    let stored = Arc::new(MemoryStore::default());
    let plain = Hierarchy::new(stored.clone(), Context::new());
    let codecs = [r#"{"name":"bytes"}"#, r#"{"name":"crc32c"}"#];
    let codecs = codecs.map(|text| Json::parse(text.as_bytes(), &Default::default()).unwrap());
    let new = NewArray::new([CHUNK * CHUNKS], "uint8").chunks([CHUNK]).codecs(codecs);
    plain.create_array("/numbers", &new).unwrap().write(.., &elements()).unwrap();
    plain.create_array("/checked", &new).unwrap();

    let mut context = Context::new();
    context.limits.memory = CHUNK * 2;
    let store = Arc::new(Checked { stored, numbers: OnceLock::new(), checking: Mutex::new(()) });
    let zarr = Hierarchy::new(store.clone(), context);
    store.numbers.set(zarr.array("/numbers").unwrap()).unwrap();
    let checked = zarr.array("/checked").unwrap();
    let (done, all_done) = mpsc::channel();
    for _ in 0..4 {
        let (checked, done) = (checked.clone(), done.clone());
        thread::spawn(move || {
            // One chunk, which this thread reads, and several, which other threads help to read.
            let one = checked.read::<u8>([0..CHUNK]).map_err(|e| e.to_string());
            let all = checked.read::<u8>(..).map_err(|e| e.to_string());
            done.send((one, all)).unwrap();
        });
    }
    drop(done);
    for _ in 0..4 {
        // The threads are not joined: one that waits for ever ends with the process.
        let (one, all) =
            all_done.recv_timeout(Duration::from_secs(120)).expect("threads that do not wait for each other");
        assert_eq!(one.as_deref(), Ok(&elements()[..CHUNK as usize]));
        assert!(all == Ok(elements()));
    }
}
