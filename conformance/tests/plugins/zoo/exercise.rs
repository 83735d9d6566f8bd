//! Calls of everything that an extension has.

use super::Cage;
use crate::call;
use std::sync::Arc;
use zarr_array::{
    Result,
    core::{
        call::Out,
        codec::{ArrayToArray, ArrayToBytes, BytesToBytes, Plan},
        extension::Extension,
        registry::{Constructor, Site},
        representation::Size,
        source::{ByteRange, Source},
        store::{Change, Key, Prefix, Store},
        view::{Region, View, ViewMut},
    },
    store::MemoryStore,
};

/// Calls everything that an extension has. Gives the first error.
pub(super) fn exercise(cage: &Cage, extension: &Extension, data_type: &str) -> Result<()> {
    cage.with_site(data_type, |site| {
        let registration = site.registry.list().find(|l| l.name == extension.name()).unwrap();
        let found = site.registry.find(registration.point, extension.name()).unwrap();
        match found.constructor() {
            Constructor::BytesToBytes(make) => bytes_to_bytes(&*make(extension, site)?.object),
            Constructor::ArrayToBytes(make) => array_to_bytes(&*make(extension, site)?.object, site),
            Constructor::ArrayToArray(make) => array_to_array(&*make(extension, site)?.object),
            Constructor::DataType(make) => {
                let made = make(extension, site)?.object;
                let fill = made.fill_from_json(&made.default_fill())?;
                made.check_elements(&fill)?;
                made.fill_to_json(&fill).map(|_| ())
            }
            Constructor::ChunkGrid(make) => {
                let grid = make(extension, site)?.object;
                grid.grid_shape(&[2, 2])?;
                grid.cell_of(&[2, 2], &[1, 1])?;
                grid.resized(&[2, 2], &[3, 3])?;
                grid.cell(&[2, 2], &[1, 1]).map(|_| ())
            }
            Constructor::ChunkKeyEncoding(make) => {
                let encoding = make(extension, site)?.object;
                let _quarantine_tells = encoding.decode("c/0/0", 2);
                encoding.encode(&[0, 0]).map(|_| ())
            }
            Constructor::StorageTransformer(make) => {
                let below: Arc<dyn Store> = Arc::new(MemoryStore::default());
                store(&make(extension, site)?.object.wrap(below)?)
            }
        }
    })
}

fn bytes_to_bytes(codec: &dyn BytesToBytes) -> Result<()> {
    codec.encoded_size(Size::AtMost(100));
    let (input, mut decoded) = ([1u8, 2, 3, 4], [0; 4]);
    let encoded = call(|call| Out::collect(|out| codec.encode(call, &input, out)))?.1;
    call(|call| codec.decode(call, &encoded, &mut Out::fixed(&mut decoded)))?;
    let source: &[u8] = &encoded;
    if let Some(decoded) = codec.decoded_source(&source) {
        decoded.read(&[ByteRange::Slice { start: 0, len: 4 }], &mut |_, _| Ok(()))?;
    }
    Ok(())
}

fn array_to_bytes(codec: &dyn ArrayToBytes, site: &Site<'_>) -> Result<()> {
    let of = site.representation()?;
    let (region, heap) = (Region::new(&[0, 0], &[1, 2])?, of.new_heap());
    let mut elements = of.fill_element().repeat(4);
    let size = of.element_size();
    let view = View::new(&elements, &[2, 2], size)?.with_heap(heap.as_ref());
    let encoded = call(|call| Out::collect(|out| codec.encode(call, &view, out)))?.1;
    let new = view.region(&region)?;
    if let Some(update) = codec.update() {
        call(|call| Out::collect(|out| update.update(call, None, &region, &new, out)))?;
    }
    let out = ViewMut::new(&mut elements, &[2, 2], size)?.with_heap(heap.as_ref());
    call(|call| codec.decode(call, &encoded, out))?;
    let source: &[u8] = &encoded;
    if let Some(partial) = codec.partial() {
        let mut some = vec![0; 2 * size];
        let out = ViewMut::new(&mut some, &[1, 2], size)?.with_heap(heap.as_ref());
        call(|call| partial.partial_decode(call, &source, &region, out))?;
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
        if codec.plan() == Plan::InPlace {
            codec.decode_in_place(call, ViewMut::new(&mut back, &[2, 2], 1)?)?;
        }
        codec.encoded_region(&Region::whole(&[2, 2]));
        codec.decode(call, &encoded, ViewMut::new(&mut back, &[2, 2], 1)?)
    })
}

/// Removes a value.
struct Gone;
impl Change for Gone {
    fn change(&mut self, _: Option<&dyn Source>) -> Result<Option<&[u8]>> {
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
