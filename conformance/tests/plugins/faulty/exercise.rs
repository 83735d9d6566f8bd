//! Calls every function of an extension.

use super::Host;
use crate::call;
use ozarr::{
    Result,
    store::MemoryStore,
    zarr_core::{
        call::OutputBuffer,
        codec::{ArrayToArray, ArrayToBytes, BytesToBytes, DecodeStrategy},
        extension::Extension,
        registry::{Constructor, CreateContext},
        representation::Size,
        source::{ByteRange, Source},
        store::{Key, Prefix, Store, Update},
        view::{Region, View, ViewMut},
    },
};
use std::sync::Arc;

/// Calls every function of an extension, and returns the first error.
pub(super) fn exercise(host: &Host, extension: &Extension, data_type: &str) -> Result<()> {
    host.with_site(data_type, |cx| {
        let registration = cx.registry.list().find(|l| l.name == extension.name()).unwrap();
        let found = cx.registry.find(registration.point, extension.name()).unwrap();
        match found.constructor() {
            Constructor::BytesToBytes(make) => bytes_to_bytes(&*make(extension, cx)?.object),
            Constructor::ArrayToBytes(make) => array_to_bytes(&*make(extension, cx)?.object, cx),
            Constructor::ArrayToArray(make) => array_to_array(&*make(extension, cx)?.object),
            Constructor::DataType(make) => {
                let made = make(extension, cx)?.object;
                let fill = made.fill_from_json(&made.default_fill())?;
                made.check_elements(&fill)?;
                made.fill_to_json(&fill).map(|_| ())
            }
            Constructor::ChunkGrid(make) => {
                let grid = make(extension, cx)?.object;
                grid.grid_shape(&[2, 2])?;
                grid.chunk_index_of(&[2, 2], &[1, 1])?;
                grid.resized(&[2, 2], &[3, 3])?;
                grid.chunk_region(&[2, 2], &[1, 1]).map(|_| ())
            }
            Constructor::ChunkKeyEncoding(make) => {
                let encoding = make(extension, cx)?.object;
                let _quarantined = encoding.decode("c/0/0", 2);
                encoding.encode(&[0, 0]).map(|_| ())
            }
            Constructor::StorageTransformer(make) => {
                let below: Arc<dyn Store> = Arc::new(MemoryStore::default());
                store(&make(extension, cx)?.object.wrap(below)?)
            }
        }
    })
}

fn bytes_to_bytes(codec: &dyn BytesToBytes) -> Result<()> {
    codec.encoded_size(Size::AtMost(100));
    let (input, mut decoded) = ([1u8, 2, 3, 4], [0; 4]);
    let encoded = call(|call| OutputBuffer::collect(|out| codec.encode(call, &input, out)))?.1;
    call(|call| codec.decode(call, &encoded, &mut OutputBuffer::fixed(&mut decoded)))?;
    let source: &[u8] = &encoded;
    if let Some(decoded) = codec.decoded_source(&source) {
        decoded.read(&[ByteRange::Slice { start: 0, len: 4 }], &mut |_, _| Ok(()))?;
    }
    Ok(())
}

fn array_to_bytes(codec: &dyn ArrayToBytes, cx: &CreateContext<'_>) -> Result<()> {
    let of = cx.representation()?;
    let (region, heap) = (Region::new(&[0, 0], &[1, 2])?, of.new_heap());
    let mut elements = of.fill_element().repeat(4);
    let size = of.element_size();
    let view = View::new(&elements, &[2, 2], size)?.with_heap(heap.as_ref());
    let encoded = call(|call| OutputBuffer::collect(|out| codec.encode(call, &view, out)))?.1;
    let new = view.region(&region)?;
    if let Some(update) = codec.partial_encode() {
        call(|call| OutputBuffer::collect(|out| update.update_region(call, None, &region, &new, out)))?;
    }
    let out = ViewMut::new(&mut elements, &[2, 2], size)?.with_heap(heap.as_ref());
    call(|call| codec.decode(call, &encoded, out))?;
    let source: &[u8] = &encoded;
    if let Some(partial) = codec.partial_decode() {
        let mut some = vec![0; 2 * size];
        let out = ViewMut::new(&mut some, &[1, 2], size)?.with_heap(heap.as_ref());
        call(|call| partial.decode_region(call, &source, &region, out))?;
    }
    Ok(())
}

fn array_to_array(codec: &dyn ArrayToArray) -> Result<()> {
    let of = codec.encoded_representation().clone();
    let (from, mut to) = ([1u8, 2, 3, 4], vec![0; of.bytes()? as usize]);
    let mut back = [0; 4];
    call(|call| {
        codec.encode(call, &View::new(&from, &[2, 2], 1)?, ViewMut::new(&mut to, of.shape(), of.element_size())?)?;
        let encoded = View::new(&to, of.shape(), of.element_size())?;
        if codec.decode_strategy() == DecodeStrategy::InPlace {
            codec.decode_in_place(call, ViewMut::new(&mut back, &[2, 2], 1)?)?;
        }
        codec.encoded_region(&Region::whole(&[2, 2]));
        codec.decode(call, &encoded, ViewMut::new(&mut back, &[2, 2], 1)?)
    })
}

/// A change that removes the value.
struct Gone;
impl Update for Gone {
    fn apply(&mut self, _: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        Ok(None)
    }
}

fn store(store: &Arc<dyn Store>) -> Result<()> {
    let (key, all) = (Key::new("a/b")?, Prefix::ROOT);
    store.uri(&all);
    store.writer()?.set(&key, b"value")?;
    store.writer()?.set_if_absent(&key, b"value")?;
    store.writer()?.update(&key, &mut Gone)?;
    store.writer()?.set_partial_values(&[(key.clone(), 1, b"x")])?;
    let source = store.reader()?.open(&key)?.unwrap();
    source.read(&[ByteRange::All], &mut |_, _| Ok(()))?;
    drop(source);
    store.reader()?.get(&key)?;
    store.reader()?.get_partial_values(&[(key.clone(), ByteRange::All)])?;
    store.lister()?.list_dir(&all)?;
    store.lister()?.list_prefix(&all)?;
    store.lister()?.list()?;
    store.writer()?.erase_values(std::slice::from_ref(&key))?;
    store.writer()?.erase(&key)?;
    store.writer()?.erase_prefix(&all)
}
