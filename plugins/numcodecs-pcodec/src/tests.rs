mod damage;

use half::f16;
use pco::{ChunkConfig, data_types::Number, standalone};
use proptest::prelude::*;
use zarr_plugin_api::{
    ErrorKind, Intent, Result, View, ViewMut,
    testing::{Bench, Codec},
};

const NAME: &str = "numcodecs.pcodec";
const CONFIGURATIONS: [&str; 10] = [
    "{}",
    r#"{"level":0}"#,
    r#"{"level":12,"equal_pages_up_to":300}"#,
    r#"{"level":4,"mode_spec":"classic","delta_spec":"no_op"}"#,
    r#"{"delta_spec":"none","equal_pages_up_to":1}"#,
    r#"{"delta_spec":"try_lookback"}"#,
    r#"{"delta_spec":"try_lookback","mode_spec":"classic","equal_pages_up_to":257}"#,
    r#"{"delta_spec":"try_consecutive","delta_encoding_order":7}"#,
    r#"{"delta_spec":"auto","delta_encoding_order":0}"#,
    r#"{"delta_encoding_order":2,"paging_spec":"equal_pages_up_to","id":"pcodec"}"#,
];

fn make(name: &str, configuration: &str, data_type: &str, shape: &[u64]) -> Result<Codec> {
    let json = format!(r#"{{"name":"{name}","configuration":{configuration}}}"#);
    Bench::new().with_intent(Intent::Create).codec(&json, data_type, shape)
}

fn create(configuration: &str, data_type: &str, shape: &[u64]) -> Codec {
    make(NAME, configuration, data_type, shape).expect("a codec")
}

fn encode(codec: &Codec, decoded: &View<'_>) -> Vec<u8> {
    let encoded = codec.encode_view(decoded).expect("encodes");
    let max = codec.array_to_bytes().encoded_size().max().expect("a bound");
    assert!(encoded.len() as u64 <= max, "{} > {max}", encoded.len());
    encoded
}

/// Decodes into a one-dimensional view whose address is aligned for no number, or for all.
fn decode(codec: &Codec, encoded: &[u8], bytes: usize, element: usize, aligned: bool) -> Result<Vec<u8>> {
    let mut memory = vec![0xAA; bytes + 16];
    let start = (0..16).find(|i| memory[*i..].as_ptr().addr().is_multiple_of(8)).expect("an address");
    let start = if aligned { start } else { start + 1 };
    let out = ViewMut::new(&mut memory[start..start + bytes], &[(bytes / element) as u64], element)?;
    codec.decode_view(encoded, out)?;
    assert!(memory[..start].iter().chain(&memory[start + bytes..]).all(|b| *b == 0xAA), "beyond the destination");
    Ok(memory[start..start + bytes].to_vec())
}

fn bytes_of<T: bytemuck::Pod>(numbers: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(numbers).to_vec()
}

/// Checks round trips, and compatibility with pco's own reader and writer.
fn check<T: Number + bytemuck::Pod>(configuration: &str, data_type: &str, numbers: &[T]) {
    let codec = create(configuration, data_type, &[numbers.len() as u64]);
    let (decoded, element) = (bytes_of(numbers), size_of::<T>());
    let encoded = encode(&codec, &View::new(&decoded, &[numbers.len() as u64], element).expect("a view"));
    for aligned in [true, false] {
        let got = decode(&codec, &encoded, decoded.len(), element, aligned).expect("decodes");
        assert!(got == decoded, "{data_type} {configuration}");
    }
    assert!(bytes_of(&standalone::simple_decompress::<T>(&encoded).expect("a file of pco")) == decoded);
    let theirs = standalone::simple_compress(numbers, &ChunkConfig::default()).expect("compresses");
    assert!(decode(&codec, &theirs, decoded.len(), element, true).expect("decodes") == decoded);
    for n in [decoded.len() + element, decoded.len().saturating_sub(element)] {
        assert!(n == decoded.len() || decode(&codec, &encoded, n, element, true).is_err(), "{n} bytes");
    }
}

/// Returns numbers of the kinds that pco treats differently: noise, few distinct ones, slopes, multiples, repetitions.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let few = prop::collection::vec(any::<u64>(), 1..9);
    prop_oneof![
        prop::collection::vec(any::<u64>(), 0..700),
        (few.clone(), prop::collection::vec(any::<usize>(), 0..1500))
            .prop_map(|(few, at)| at.iter().map(|i| few[i % few.len()]).collect()),
        (few, 0usize..1500).prop_map(|(few, n)| few.iter().copied().cycle().take(n).collect()),
        (any::<u64>(), 0u64..1000, 0u64..2000).prop_map(|(start, step, n)| (0..n)
            .map(|i| start.wrapping_add(i * step).wrapping_add(i * i % 3))
            .collect()),
        (1u64..5000, prop::collection::vec(0u64..50_000, 0..1500))
            .prop_map(|(base, counts)| counts.iter().map(|c| c * base).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn round_trips(numbers in numbers(), at in 0..CONFIGURATIONS.len(), digits in 1f64..1e6) {
        let with = CONFIGURATIONS[at];
        macro_rules! check_all {
            ($($t:ty, $data_type:literal, $make:expr;)*) => { $(
                check::<$t>(with, $data_type, &numbers.iter().map($make).collect::<Vec<$t>>());
            )* };
        }
        check_all! {
            i16, "int16", |n| *n as i16;
            i32, "int32", |n| *n as i32;
            i64, "int64", |n| *n as i64;
            u16, "uint16", |n| *n as u16;
            u32, "uint32", |n| *n as u32;
            u64, "uint64", |n| *n;
            f16, "float16", |n| f16::from_bits(*n as u16);
            f32, "float32", |n| f32::from_bits(*n as u32);
            f64, "float64", |n| f64::from_bits(*n);
            f16, "float16", |n| f16::from_f64((*n % 5000) as f64 / 8.);
            f32, "float32", |n| (*n as u32) as f32 / digits as f32;
            f64, "float64", |n| (*n as u32) as f64 / digits;
        }
    }
}

#[test]
fn many_pages() {
    let numbers: Vec<u32> = (0..5001u32).map(|i| i.wrapping_mul(i) >> 3).collect();
    for configuration in [
        r#"{"equal_pages_up_to":1000}"#,
        r#"{"equal_pages_up_to":5000}"#,
        r#"{"equal_pages_up_to":5001}"#,
        r#"{"equal_pages_up_to":18446744073709551615}"#,
        r#"{"equal_pages_up_to":7}"#,
    ] {
        check(configuration, "uint32", &numbers);
    }
}

#[test]
fn arrays_of_zero_or_one_numbers_round_trip() {
    for configuration in CONFIGURATIONS {
        check::<f64>(configuration, "float64", &[]);
        check(configuration, "float64", &[-f64::NAN]);
        check(configuration, "int16", &[i16::MIN]);
    }
    let codec = create("{}", "float32", &[3, 0]);
    let encoded = encode(&codec, &View::new(&[], &[3, 0], 4).unwrap());
    assert_eq!(encoded[..4], *b"pco!");
    let out = ViewMut::new(&mut [], &[3, 0], 4).unwrap();
    codec.decode_view(&encoded, out).unwrap();
    let scalar = create("{}", "float32", &[]);
    let encoded = encode(&scalar, &View::new(&1f32.to_ne_bytes(), &[], 4).unwrap());
    assert_eq!(decode(&scalar, &encoded, 4, 4, true).unwrap(), 1f32.to_ne_bytes());
}

/// Files of other writers: the oldest and the newest form of a file without numbers.
#[test]
fn golden_bytes() {
    let (none, two) = (create("{}", "uint16", &[0]), create("{}", "uint16", &[2]));
    assert!(decode(&none, b"pco!\0\0", 0, 2, true).is_ok());
    let e = decode(&two, b"pco!\0\0", 4, 2, true).unwrap_err();
    assert!(e.to_string().contains("2 elements are missing"), "{e}");
    let e = decode(&none, b"pco!\0\0\0", 0, 2, true).unwrap_err();
    assert!(e.to_string().contains("1 unexpected bytes after the last element"), "{e}");
    assert!(decode(&none, b"pco?\0\0", 0, 2, true).is_err());
}

#[test]
fn any_strides() {
    let codec = create(r#"{"equal_pages_up_to":5}"#, "int32", &[3, 4]);
    let numbers: Vec<i32> = (0..12).map(|i| i * i - 40).collect();
    let columns: Vec<i32> = (0..12).map(|i| numbers[i % 3 * 4 + i / 3]).collect();
    let (rows, columns) = (bytes_of(&numbers), bytes_of(&columns));
    let encoded = encode(&codec, &View::new(&rows, &[3, 4], 4).unwrap());
    assert_eq!(encode(&codec, &View::strided(&columns, 0, &[3, 4], &[4, 12], 4).unwrap()), encoded);
    let mut memory = vec![0; 48];
    let out = ViewMut::strided(&mut memory, 0, &[3, 4], &[4, 12], 4).unwrap();
    codec.decode_view(&encoded, out).unwrap();
    assert_eq!(memory, columns);
    let mut memory = vec![0xAA; 3 * 40];
    let out = ViewMut::strided(&mut memory, 87, &[3, 4], &[-40, 9], 4).unwrap();
    codec.decode_view(&encoded, out).unwrap();
    let read = View::strided(&memory, 87, &[3, 4], &[-40, 9], 4).unwrap();
    assert_eq!(read.contiguous(&mut Vec::new()).unwrap(), rows);
    assert_eq!(memory.iter().filter(|b| **b == 0xAA).count(), 120 - 48);
}

#[test]
fn configurations() {
    for good in CONFIGURATIONS {
        assert!(make(NAME, good, "float32", &[4]).is_ok(), "{good}");
    }
    for bad in [
        r#"{"level":13}"#,
        r#"{"level":-1}"#,
        r#"{"level":"8"}"#,
        r#"{"mode_spec":"int_mult"}"#,
        r#"{"delta_spec":"consecutive"}"#,
        r#"{"delta_spec":"try_consecutive"}"#,
        r#"{"delta_spec":"no_op","delta_encoding_order":1}"#,
        r#"{"delta_spec":"none","delta_encoding_order":1}"#,
        r#"{"delta_spec":"try_lookback","delta_encoding_order":0}"#,
        r#"{"delta_encoding_order":8}"#,
        r#"{"paging_spec":"exact"}"#,
        r#"{"equal_pages_up_to":0}"#,
        r#"{"pages":1}"#,
    ] {
        let e = make(NAME, bad, "float32", &[4]).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{bad}: {e}");
    }
    let alias = "https://codec.zarrs.dev/array_to_bytes/pcodec";
    let written = make(alias, "{}", "float32", &[4]).unwrap().written;
    let chosen = r#"{"level":8,"mode_spec":"auto","delta_spec":"auto","paging_spec":"equal_pages_up_to","equal_pages_up_to":262144}"#;
    assert_eq!(written.to_json().to_string(), format!(r#"{{"name":"{alias}","configuration":{chosen}}}"#));
}

#[test]
fn unsupported_data_types_are_refused() {
    for data_type in ["bool", "int8", "uint8", "complex64", "complex128", "r16", "string", "bytes"] {
        let e = make(NAME, "{}", data_type, &[4]).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
    }
    let e = make(NAME, "{}", "float32", &[1 << 40]).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::Limit { .. }), "{e}");
    assert!(make(NAME, "{}", "float32", &[u64::MAX, 2]).is_err());
}
