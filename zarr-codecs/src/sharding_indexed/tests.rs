//! The fast ways to write a shard give what the slow ones give.

use crate::testing::{array_codec, with_call};
use zarr_core::{
    call::{Call, Executor, Out},
    codec::{ArrayToBytes, Encoded},
    view::{Region, View, ViewMut},
};

const SHAPE: [u64; 3] = [160, 96, 128];
const JSON: &str = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[16,16,16],"codecs":[
    {"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}],
    "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"end"}}"#;

/// Threads that run in the other order, which nobody may notice.
struct Several;
impl Executor for Several {
    fn join(&self, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        b();
        a();
    }
    fn threads(&self) -> usize {
        3
    }
}

/// 480 inner chunks, more than a wave; some inner chunks hold nothing.
fn elements() -> Vec<u8> {
    let n = SHAPE.iter().product::<u64>();
    let empty = |i: u64| (i / (128 * 96 * 16)).is_multiple_of(3) && i % 128 < 40;
    (0..n).flat_map(|i| (if empty(i) { 0 } else { (i * i / 977) as u16 }).to_ne_bytes()).collect()
}

fn encoded(codec: &dyn ArrayToBytes, elements: &[u8], call: &Call<'_>) -> Vec<u8> {
    Out::collect(|out| codec.encode(call, &View::new(elements, &SHAPE, 2)?, out)).unwrap().1
}

fn decoded(codec: &dyn ArrayToBytes, shard: &[u8]) -> Vec<u8> {
    let mut elements = vec![0xAA; SHAPE.iter().product::<u64>() as usize * 2];
    with_call(|call| codec.decode(call, shard, ViewMut::new(&mut elements, &SHAPE, 2)?)).unwrap();
    elements
}

#[test]
fn several_threads_write_what_one_writes() {
    let (codec, elements) = (array_codec(JSON, "uint16", &SHAPE).unwrap(), elements());
    let one = with_call(|call| encoded(&*codec, &elements, call));
    let several = with_call(|call| encoded(&*codec, &elements, &Call { executor: &Several, ..*call }));
    assert!(one == several && decoded(&*codec, &one) == elements);
    // After what is there already.
    let after = with_call(|call| {
        let call = &Call { executor: &Several, ..*call };
        let both = Out::collect(|out| {
            out.extend(b"before")?;
            codec.encode(call, &View::new(&elements, &SHAPE, 2)?, out)
        });
        both.unwrap().1
    });
    assert!(after.strip_prefix(b"before") == Some(&one));
}

#[test]
fn an_update_copies_what_it_does_not_touch() {
    let (codec, mut elements) = (array_codec(JSON, "uint16", &SHAPE).unwrap(), elements());
    let old = with_call(|call| encoded(&*codec, &elements, call));
    let region = Region { start: [20, 5, 60][..].into(), len: [30, 40, 9][..].into() };
    let new: Vec<u8> = (0..region.len.iter().product::<u64>()).flat_map(|i| (i as u16 | 1).to_ne_bytes()).collect();
    let updated = with_call(|call| {
        Out::collect(|out| {
            let new = View::new(&new, &region.len, 2)?;
            codec.update().unwrap().update(call, Some(&&old[..]), &region, &new, out)
        })
    });
    let (outcome, updated) = updated.unwrap();
    assert_eq!(outcome, Encoded::Bytes);
    let mut all = ViewMut::new(&mut elements, &SHAPE, 2).unwrap();
    all.reborrow().region(&region).unwrap().copy_from(&View::new(&new, &region.len, 2).unwrap(), 1).unwrap();
    assert!(decoded(&*codec, &updated) == elements, "decoded, overlaid and encoded");
    assert!(updated == with_call(|call| encoded(&*codec, &elements, call)), "the same bytes: gzip tells no time");
}
