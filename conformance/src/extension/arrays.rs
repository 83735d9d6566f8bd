//! The property that an extension works in arrays: of any shape, with any other extensions of the registry, written in
//! any order and in parts.

use super::{
    Sample, Samples, Subject, storage_transformer,
    trial::Typed,
    value::{self, Elements},
};
use crate::{
    check::{Check, Finding, Settings, Verdict, broken, ensure, unsupported},
    elements::{read_region, write_region},
};
use ozarr::{
    Array, Context, Error, Hierarchy, Result,
    store::MemoryStore,
    zarr_core::{
        data_type::DataType,
        extension::{Extension, ExtensionPoint},
        json::{Json, Object},
        layout::Layout,
        metadata::ArrayMetadata,
        registry::{Constructor, Registration},
        representation::Representation,
        store::Store,
        view::Region,
    },
};
use proptest::{collection::vec, prelude::*, sample::Index};
use std::{cell::Cell, sync::Arc};

pub(super) const CHECKS: &[Check<Subject>] = &[Check { id: "arrays", clause: "contract/in-arrays", run: arrays }];

/// The parts of an array that the extension under test does not determine.
#[derive(Debug, Clone)]
struct Plan {
    sample: Index,
    /// The lengths of the array and of its chunks.
    axes: Vec<(u64, u64)>,
    data_type: Index,
    big: bool,
    transposed: bool,
    /// The bytes -> bytes codecs.
    behind: Vec<Index>,
    v2: bool,
    fill: u64,
    /// The regions to write, one after another, with the seed of their elements.
    writes: Vec<(Vec<(Index, Index)>, u64)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let axes = vec((0u64..8, 1u64..5), 0..4);
    let write = (vec((any::<Index>(), any::<Index>()), 5), any::<u64>());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let parts =
        (any::<Index>(), axes, any::<Index>(), flags, vec(any::<Index>(), 0..3), any::<u64>(), vec(write, 1..4));
    parts.prop_map(|(sample, axes, data_type, (big, transposed, v2), behind, fill, writes)| Plan {
        sample,
        axes,
        data_type,
        big,
        transposed,
        behind,
        v2,
        fill,
        writes,
    })
}

fn object(name: &str, member: &str, value: impl Into<Json>) -> Json {
    let configuration: Object = [(member, value.into())].into_iter().collect();
    Extension::new(name, configuration).to_json().clone()
}

/// The parts from which arrays can be built.
struct Parts {
    types: Vec<Typed>,
    behind: Vec<Json>,
}

fn parts(subject: &Subject) -> Result<Parts> {
    let samples = Samples::embedded()?;
    let own = |(_, extension): (&Sample, Extension)| {
        let data_type = subject.registry.data_type(&extension, &subject.limits).ok()?.object;
        Some(Typed { extension, data_type, fill: Vec::new() })
    };
    let types = match subject.point {
        ExtensionPoint::DataType => subject.extensions()?.into_iter().filter_map(own).collect(),
        _ => subject.types()?.to_vec(),
    };
    let mut behind = Vec::new();
    for name in samples.names("codec") {
        let found = subject.registry.find(ExtensionPoint::Codec, name);
        let bytes = matches!(found.map(Registration::constructor), Some(Constructor::BytesToBytes(_)));
        for sample in samples.of("codec", name).iter().filter(|s| bytes && s.multiple.is_none()) {
            let json = sample.extension()?.to_json().clone();
            if !behind.contains(&json) {
                behind.push(json);
            }
        }
    }
    Ok(Parts { types, behind })
}

impl Plan {
    /// Returns the metadata document, and the data type.
    fn document<'p>(&self, subject: &Subject, parts: &'p Parts) -> Result<(Object, &'p Typed)> {
        let sample = &subject.samples[self.sample.index(subject.samples.len())];
        let own = sample.extension()?.to_json().clone();
        // Some codecs only accept whole groups of bytes.
        let multiple = sample.multiple.unwrap_or(1);
        let fits = |t: &&Typed| {
            multiple == 1 || !t.data_type.layout().is_variable() && t.data_type.layout().size().is_multiple_of(multiple)
        };
        let types: Vec<&Typed> = parts.types.iter().filter(fits).collect();
        let typed =
            *types.get(self.data_type.index(types.len().max(1))).ok_or_else(|| Error::chain("no data type fits"))?;
        let (mut shape, mut chunks): (Vec<u64>, Vec<u64>) = self.axes.iter().copied().unzip();
        if let Some(fixed) = &sample.shape {
            // The shape of chunks, and for grids also of the array.
            chunks.clone_from(fixed);
            let length =
                |(i, n): (usize, &u64)| self.axes.get(i).map_or(*n, |(more, _)| (*n * 2).saturating_sub(*more).max(1));
            shape = fixed.iter().enumerate().map(length).collect();
            if subject.point == ExtensionPoint::ChunkGrid {
                shape.clone_from(fixed);
            }
        }
        let serializer = match typed.data_type.layout() {
            Layout::Variable { text: true } => Json::from("vlen-utf8"),
            Layout::Variable { .. } => Json::from("vlen-bytes"),
            _ => object("bytes", "endian", if self.big { "big" } else { "little" }),
        };
        let mut codecs = Vec::new();
        if self.transposed {
            let order: Vec<u64> = (0..shape.len() as u64).rev().collect();
            codecs.push(object("transpose", "order", order));
        }
        let mut behind: Vec<Json> = Vec::new();
        if !parts.behind.is_empty() {
            behind.extend(self.behind.iter().map(|i| parts.behind[i.index(parts.behind.len())].clone()));
        }
        match (subject.point, subject.constructor()) {
            (ExtensionPoint::Codec, Some(Constructor::ArrayToArray(_))) => {
                codecs.push(own.clone());
                codecs.push(serializer);
            }
            (ExtensionPoint::Codec, Some(Constructor::ArrayToBytes(_))) => {
                // The inner chunks of a shard have an order of their own.
                codecs.clear();
                codecs.push(own.clone());
            }
            (ExtensionPoint::Codec, _) => {
                codecs.push(serializer);
                let at = if multiple > 1 { 0 } else { self.fill as usize % (behind.len() + 1) };
                behind.insert(at, own.clone());
            }
            _ => codecs.push(serializer),
        }
        codecs.extend(behind);
        let fill = element(&*typed.data_type, self.fill);
        let mut document: Object =
            [("zarr_format", Json::from(3u64)), ("node_type", Json::from("array"))].into_iter().collect();
        document.set("shape", shape);
        document.set("data_type", typed.extension.to_json().clone());
        let at = |point, other: Json| if subject.point == point { own.clone() } else { other };
        document.set("chunk_grid", at(ExtensionPoint::ChunkGrid, object("regular", "chunk_shape", chunks)));
        let keys = Json::from(if self.v2 { "v2" } else { "default" });
        document.set("chunk_key_encoding", at(ExtensionPoint::ChunkKeyEncoding, keys));
        document.set("fill_value", typed.data_type.fill_to_json(&fill)?);
        document.set("codecs", Json::Array(codecs));
        if subject.point == ExtensionPoint::StorageTransformer {
            document.set("storage_transformers", Json::Array(vec![own]));
        }
        Ok((document, typed))
    }
}

/// Returns an element that is determined by a number.
fn element(data_type: &dyn DataType, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let made = match data_type.layout() {
        Layout::Variable { text: true } => {
            "añ–𝄞".chars().cycle().skip(1).take(usize::from(random() % 5)).collect::<String>().into_bytes()
        }
        Layout::Variable { .. } => (0..random() % 7).map(|_| random()).collect(),
        fixed => (0..fixed.size()).map(|_| random() & if seed.is_multiple_of(3) { 1 } else { 255 }).collect(),
    };
    if value::is_element(data_type, &made) {
        return made;
    }
    data_type.fill_from_json(&data_type.default_fill()).unwrap_or(made)
}

fn region(shape: &[u64], choice: &[(Index, Index)]) -> Region {
    let axis = |(n, (start, len)): (&u64, &(Index, Index))| {
        let start = start.index(*n as usize + 1) as u64;
        (start, len.index((n - start) as usize + 1) as u64)
    };
    let (start, len): (Vec<u64>, Vec<u64>) = shape.iter().zip(choice).map(axis).unzip();
    Region { start: start.into(), len: len.into() }
}

/// Checks that all of the array, and a region of it, have the expected elements.
fn reads(array: &Array, wanted: &Elements, part: &Region, when: &str) -> Verdict {
    let whole = read_region(array, &Region::whole(&wanted.shape))?;
    ensure(whole == wanted.each, || format!("{when}, the array is {whole:x?}, not {:x?}", wanted.each))?;
    let got = read_region(array, part)?;
    let wanted = wanted.part(part).each;
    ensure(got == wanted, || format!("{when}, the part {part:?} is {got:x?}, not {wanted:x?}"))
}

fn write_and_read(plan: &Plan, store: &Arc<dyn Store>, context: &Context, array: &Array, typed: &Typed) -> Verdict {
    let of: &Representation = array.representation();
    let shape = array.shape().to_vec();
    let n = shape.iter().product::<u64>() as usize;
    let mut wanted = Elements { shape: shape.clone(), each: vec![of.fill().to_vec(); n] };
    let mut last = Region::whole(&shape);
    reads(array, &wanted, &last, "before anything is written")?;
    for (choice, seed) in &plan.writes {
        last = region(&shape, choice);
        let count = last.len.iter().product::<u64>();
        let each: Vec<Vec<u8>> = (0..count).map(|i| element(&*typed.data_type, seed.wrapping_add(i / 2))).collect();
        write_region(array, &last, &each)?;
        wanted = wanted.with(&last, &Elements { shape: last.len.to_vec(), each });
    }
    reads(array, &wanted, &last, "after it was written")?;
    let again = Hierarchy::new(store.clone(), context.clone()).array("/")?;
    reads(&again, &wanted, &last, "opened again")
}

fn arrays(subject: &Subject, settings: &Settings) -> Verdict {
    let lossy = subject.registry.find(subject.point, &subject.name).is_some_and(Registration::is_lossy);
    if lossy {
        return unsupported("it returns other elements than it encoded");
    }
    if subject.point == ExtensionPoint::StorageTransformer {
        storage_transformer::ensure_writes(subject)?;
    }
    let (parts, mut context) = (parts(subject)?, Context::with_registry(subject.registry.clone()));
    context.options = subject.options.clone();
    if parts.types.is_empty() {
        return unsupported("there is no data type to check it with");
    }
    let (made, first) = (Cell::new(0u32), Cell::new(None));
    let many = Settings { cases: settings.cases.saturating_mul(4), ..settings.clone() };
    many.each(&format!("{} arrays", subject.id()), plans(), |plan| {
        let (document, typed) = match plan.document(subject, &parts) {
            Ok(made) => made,
            Err(e) => {
                first.set(Some(e.to_string()));
                return Ok(());
            }
        };
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let text = Json::Object(document.clone()).to_string();
        let array = ArrayMetadata::from_object(document, &subject.limits)
            .and_then(|m| Hierarchy::new(store.clone(), context.clone()).create_array_from("/", m, false));
        match array {
            // Not all parts can be combined.
            Err(e) => first.set(Some(e.to_string())),
            Ok(array) => {
                made.set(made.get() + 1);
                write_and_read(&plan, &store, &context, &array, typed).map_err(|e| match e {
                    Finding::Broken(what) => Finding::Broken(format!("{what} ({text})")),
                    other => other,
                })?;
            }
        }
        Ok(())
    })?;
    match (made.get(), first.take()) {
        (0, Some(why)) => unsupported(format!("no array could be created with it: {why}")),
        (0, None) => broken("nothing was tried"),
        _ => Ok(()),
    }
}
