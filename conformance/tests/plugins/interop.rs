//! Written by a plugin and read by zarr-python with numcodecs, and the other way round.

use super::{context, create};
use ozarr::{
    Context, Hierarchy, NewArray,
    store::OpenMode,
    zarr_core::json::{Json, Object},
};
use std::path::Path;
use zarr_conformance::{
    elements::{read_elements, write_elements},
    peers::{Peer, Reply},
};

pub(super) const PLUGINS: [&str; 7] = [
    "numcodecs-lz4",
    "numcodecs-zlib",
    "numcodecs-shuffle",
    "numcodecs-fletcher32",
    "numcodecs-pcodec",
    "bitround",
    "numpy-datetime",
];

/// Returns elements of this width: a smooth sequence that compresses, with all values that are easily lost.
fn elements(data_type: &str, width: usize, lossy: bool) -> Vec<Vec<u8>> {
    let special = match data_type {
        // numcodecs rounds some NaNs to infinity.
        "float32" if lossy => vec![0x8000_0000, 1, 0x3f80_0001],
        "float64" if lossy => vec![1 << 63, 1, (0x3ff0 << 48) + 1],
        "float16" => vec![0x7e00, 0x7e01, 0x7c00, 0xfc00, 0x8000, 1],
        "float32" => vec![0x7fc0_0000, 0x7fc0_0001, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 1],
        "float64" => vec![0x7ff8 << 48, 0x7ff8 << 48 | 1, 0x7ff0 << 48, 0xfff0 << 48, 1 << 63, 1],
        _ => vec![0, 1, u64::MAX, 1 << (8 * width - 1), (1 << (8 * width - 1)) - 1],
    };
    let smooth = |i: usize| match data_type {
        "float16" => 0x3c00 + (i % 512) as u64,
        "float32" => u64::from((i as f32 * 0.25).to_bits()),
        "float64" => (i as f64 * 0.25).to_bits(),
        _ => (i * i / 7) as u64,
    };
    let value = |i: usize| if i % 11 == 5 { special[i / 11 % special.len()] } else { smooth(i) };
    (0..230).map(|i| value(i).to_le_bytes()[..width].to_vec()).collect()
}

struct Case {
    data_type: Json,
    width: usize,
    codecs: Vec<Json>,
    sharded: bool,
}

impl Case {
    fn name(&self) -> &str {
        self.data_type.as_str().unwrap_or("int64")
    }
    fn new_array(&self) -> NewArray {
        let new = NewArray::new([23, 10], self.data_type.clone()).chunks([5, 10]).codecs(self.codecs.clone());
        let new = if self.data_type.as_str().is_some() { new.fill_value(0) } else { new.fill_value("NaT") };
        if self.sharded { new.shards([10, 10]) } else { new }
    }
    fn request(&self, path: &Path, data: &Path) -> Object {
        let mut request: Object = [("op", "write"), ("path", &path.to_string_lossy())].into_iter().collect();
        request.set("shape", &[23u64, 10][..]);
        request.set("chunk_shape", &[5u64, 10][..]);
        request.set("shard_shape", if self.sharded { Json::from(&[10u64, 10][..]) } else { Json::Null });
        request.set("data_type", self.data_type.clone());
        request.set("fill_value", if self.data_type.as_str().is_some() { Json::from(0) } else { Json::from("NaT") });
        request.set("codecs", Json::Array(self.codecs.clone()));
        request.set("key_encoding", r#"{"name":"default","configuration":{"separator":"/"}}"#.parse::<Json>().unwrap());
        request.set("store_fill", true);
        request.set("data", data.to_string_lossy().as_ref());
        request
    }
    fn check(&self, peer: &mut Peer, context: &Context) -> Result<(), String> {
        let dir = tempfile::tempdir().unwrap();
        let (ours, theirs, file) = (dir.path().join("ours"), dir.path().join("theirs"), dir.path().join("elements"));
        let lossy = self.codecs.iter().any(|c| c.to_string().contains("bitround"));
        let elements = elements(self.name(), self.width, lossy);
        let array = create(&ours, context).create_array("/", self.new_array()).map_err(|e| format!("create: {e}"))?;
        write_elements(&array, &elements).map_err(|e| format!("we cannot write: {e}"))?;
        let stored = read_elements(&array).map_err(|e| format!("we cannot read our own: {e}"))?;
        if (stored == elements) == lossy {
            return Err("it is lossy where it must not be, or the other way round".into());
        }
        let mut request: Object = [("op", "read"), ("path", &ours.to_string_lossy())].into_iter().collect();
        request.set("out", file.to_string_lossy().as_ref());
        match peer.ask(&request).unwrap() {
            Reply::Done if std::fs::read(&file).unwrap() == stored.concat() => {}
            Reply::Done => return Err("the peer reads other data".into()),
            other => return Err(format!("the peer cannot read: {other:?}")),
        }
        std::fs::write(&file, elements.concat()).unwrap();
        match peer.ask(&self.request(&theirs, &file)).unwrap() {
            Reply::Done => {}
            other => return Err(format!("the peer cannot write: {other:?}")),
        }
        let opened = Hierarchy::options().mode(OpenMode::ReadOnly).context(context.clone()).open(theirs);
        let got = opened.and_then(|h| h.array("/")).and_then(|a| read_elements(&a));
        let got = got.map_err(|e| format!("we cannot read: {e}"))?;
        if got == stored { Ok(()) } else { Err("we read other data".into()) }
    }
}

fn cases() -> Vec<Case> {
    let bytes = || r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap();
    let numbers = [("int16", 2), ("uint16", 2), ("int32", 4), ("uint32", 4), ("float32", 4), ("int64", 8)];
    let more = [("uint64", 8), ("float64", 8), ("float16", 2)];
    let mut cases = Vec::new();
    for (data_type, width) in numbers.into_iter().chain(more) {
        let shuffle = format!(r#"{{"name":"numcodecs.shuffle","configuration":{{"elementsize":{width}}}}}"#);
        let mut chains = vec![
            vec![bytes(), r#"{"name":"numcodecs.lz4","configuration":{"acceleration":1}}"#.parse::<Json>().unwrap()],
            vec![bytes(), r#"{"name":"numcodecs.zlib","configuration":{"level":1}}"#.parse::<Json>().unwrap()],
            vec![bytes(), r#"{"name":"numcodecs.fletcher32","configuration":{}}"#.parse::<Json>().unwrap()],
            vec![bytes(), shuffle.parse::<Json>().unwrap()],
            vec![
                bytes(),
                shuffle.parse::<Json>().unwrap(),
                r#"{"name":"numcodecs.zlib","configuration":{"level":9}}"#.parse::<Json>().unwrap(),
                r#"{"name":"numcodecs.fletcher32","configuration":{}}"#.parse::<Json>().unwrap(),
            ],
            vec![r#"{"name":"numcodecs.pcodec","configuration":{"level":8,"mode_spec":"auto"}}"#.parse::<Json>().unwrap()],
            vec![r#"{"name":"numcodecs.pcodec","configuration":{"level":3,"mode_spec":"classic","delta_spec":"try_consecutive","delta_encoding_order":2,"equal_pages_up_to":17}}"#.parse::<Json>().unwrap()],
        ];
        if matches!(data_type, "float32" | "float64") {
            chains.push(vec![
                r#"{"name":"numcodecs.bitround","configuration":{"keepbits":3}}"#.parse::<Json>().unwrap(),
                bytes(),
            ]);
        }
        for codecs in chains {
            for sharded in [false, true] {
                cases.push(Case { data_type: Json::from(data_type), width, codecs: codecs.clone(), sharded });
            }
        }
    }
    for name in ["numpy.datetime64", "numpy.timedelta64"] {
        let data_type = format!(r#"{{"name":"{name}","configuration":{{"unit":"ms","scale_factor":10}}}}"#)
            .parse::<Json>()
            .unwrap();
        let codecs =
            vec![bytes(), r#"{"name":"numcodecs.lz4","configuration":{"acceleration":1}}"#.parse::<Json>().unwrap()];
        cases.push(Case { data_type, width: 8, codecs, sharded: true });
    }
    cases
}

#[test]
fn zarr_python_and_plugins_read_the_same() {
    let (mut peer, context) = (Peer::start("zarr-python").unwrap(), context(&PLUGINS));
    let mut failures = Vec::new();
    for case in cases() {
        if let Err(e) = case.check(&mut peer, &context) {
            let codecs: Vec<String> = case.codecs.iter().map(ToString::to_string).collect();
            failures.push(format!("{} {} sharded {}: {e}", case.data_type, codecs.join(" "), case.sharded));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
