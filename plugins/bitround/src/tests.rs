use zarr_plugin_api::{
    DecodeStrategy, ErrorKind, Intent, Region, Representation, Result, View, ViewMut,
    testing::{Bench, Codec},
};

const ALIASES: [&str; 2] = ["numcodecs.bitround", "https://codec.zarrs.dev/array_to_bytes/bitround"];

fn make(
    name: &str,
    configuration: &str,
    (data_type, fill): (&str, &str),
    shape: &[u64],
    intent: Intent,
) -> Result<Codec> {
    let bench = Bench::new().with_intent(intent);
    let data_type = bench.data_type(data_type)?;
    let array = Representation::new(data_type.object.clone(), shape, &data_type.fill(fill)?);
    bench.codec_for(&format!(r#"{{"name":"{name}","configuration":{configuration}}}"#), &array)
}

/// Returns a codec for a data type and a fill value.
fn codec(keep: u64, data_type: &str, fill: &str) -> Codec {
    codec_for(keep, (data_type, fill), &[2, 3])
}

fn codec_for(keep: u64, element: (&str, &str), shape: &[u64]) -> Codec {
    make("bitround", &format!(r#"{{"keepbits":{keep}}}"#), element, shape, Intent::Open).expect("a codec")
}

/// Encodes any number of elements.
fn encode(keep: u64, data_type: &str, fill: &str, decoded: &[u8]) -> Vec<u8> {
    let size = codec(keep, data_type, fill).array().element_size();
    codec_for(keep, (data_type, fill), &[(decoded.len() / size) as u64]).encode(decoded).expect("encodes")
}

macro_rules! round {
    ($t:ident $data_type:literal $keep:expr, $values:expr) => {{
        let bytes: Vec<u8> = $values.iter().flat_map(|v: &$t| v.to_ne_bytes()).collect();
        let rounded = encode($keep, $data_type, "0", &bytes);
        rounded.as_chunks().0.iter().map(|b| $t::from_ne_bytes(*b)).collect::<Vec<$t>>()
    }};
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn examples_of_the_registered_specification() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rounded = round!(f32 "float32" 3, [0., 0.1, 1.2, 12.3, 123.4, 1234.5, nan, inf, -inf]);
    assert_eq!(bits(&rounded), bits(&[0., 0.101_562_5, 1.25, 12., 120., 1280., nan, inf, -inf]));
    let rounded = round!(u8 "uint8" 3, [0, 1, 10, 11, 100, 123, 200, 208, 209, 255]);
    assert_eq!(rounded, [0, 1, 10, 12, 96, 128, 192, 192, 224, 224]);
}

fn half_to_f64(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff) / 1024.);
    let size = match exponent {
        0 => mantissa * 2f64.powi(-14),
        31 if mantissa == 0. => f64::INFINITY,
        31 => f64::NAN,
        e => (1. + mantissa) * 2f64.powi(e - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[test]
fn every_float16_is_rounded_by_value() {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for keep in 1..=12 {
        let rounded = round!(u16 "float16" keep, all);
        for (&from, &to) in all.iter().zip(&rounded) {
            let value = half_to_f64(from);
            if !value.is_finite() || keep >= 10 {
                assert_eq!(from, to);
                continue;
            }
            let step = 2f64.powi(i32::from((from >> 10 & 31).max(1)) - 15 - keep as i32);
            let want = (value / step).round_ties_even() * step;
            let want = if want.abs() >= 65536. { want.signum() * f64::INFINITY } else { want };
            assert_eq!(half_to_f64(to).to_bits(), want.to_bits(), "{from:#x} keeps {keep}");
        }
    }
}

#[test]
fn wider_floats() {
    assert_eq!(round!(f64 "float64" 1, [1.25, 1.75, -1.25, 1.3, 5e-324, -0.0]), [1., 2., -1., 1.5, 0., 0.]);
    assert_eq!(round!(f32 "float32" 2, [f32::MAX, f32::MIN, 1.99]), [f32::INFINITY, -f32::INFINITY, 2.]);
    assert_eq!(round!(f32 "float32" 22, [1. + f32::EPSILON]), [1.]);
    for keep in [23, 24, 1 << 40] {
        assert_eq!(round!(f32 "float32" keep, [1. + f32::EPSILON]), [1. + f32::EPSILON]);
    }
    // Without a mantissa only powers of two remain. NaNs and infinities are unchanged.
    assert_eq!(round!(f32 "float32" 0, [1.2, 1.6, 3.1]), [1., 2., 4.]);
    for keep in [0, 1, 3, 22] {
        let special = [0x7fff_ffff, 0xffff_ffff, 0x7f80_0001, 0x7fc0_0000, 0xff80_0000, 0x7f80_0000u32];
        assert_eq!(round!(u32 "float32" keep, special), special);
    }
    let special = [0x7fff_ffff_ffff_ffff, 0xfff0_0000_0000_0001u64];
    assert_eq!(round!(u64 "float64" 7, special), special);
}

#[test]
fn integers() {
    assert_eq!(round!(u64 "uint64" 2, [0, 7, 9, 10, 11, u64::MAX, 1 << 40 | 1]), [0, 8, 8, 8, 12, 3 << 62, 1 << 40]);
    assert_eq!(round!(u16 "uint16" 16, [0xffff, 0x1235]), [0xffff, 0x1235]);
    assert_eq!(round!(i8 "int8" 3, [127, 100, 10, 11, 0, -1, -128, -100]), [112, 96, 10, 12, 0, -32, -128, -96]);
    assert_eq!(round!(i32 "int32" 31, [i32::MAX, i32::MIN, -1]), [i32::MAX, i32::MIN, -2]);
    assert_eq!(round!(i64 "int64" 1, [i64::MAX, 5, 6, 7]), [1 << 62, 4, 8, 8]);
    let all: Vec<i8> = (i8::MIN..=i8::MAX).collect();
    for keep in 1..10 {
        for (from, to) in all.iter().zip(round!(i8 "int8" keep, all)) {
            assert_eq!(*from >= 0, to >= 0, "{from} keeps {keep}: {to}");
        }
        assert!(round!(u8 "uint8" keep, [u8::MAX])[0] >= 128);
    }
    assert_eq!(round!(u8 "uint8" 0, [5, 4, 3, 0, u8::MAX]), [8, 0, 4, 0, 0]);
    assert_eq!(round!(u64 "uint64" 0, [u64::MAX]), [0]);
    assert_eq!(round!(i64 "int64" 0, [i64::MAX, -1, 5]), [0, 0, 8]);
}

#[test]
fn rounding_is_idempotent() {
    let noise: Vec<u8> = (0..48_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for data_type in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] {
        for keep in [1, 2, 5, 7] {
            let once = encode(keep, data_type, "0", &noise);
            assert_eq!(encode(keep, data_type, "0", &once), once, "{data_type} keeps {keep}");
        }
    }
    for data_type in ["float16", "float32", "float64"] {
        let once = encode(4, data_type, "0", &noise);
        assert_eq!(encode(4, data_type, "0", &once), once, "{data_type}");
    }
}

#[test]
fn components_and_the_fill_value() {
    let complex = codec(3, "complex64", r#"[0.1, "NaN"]"#);
    let complex = complex.array_to_array();
    assert_eq!(complex.encoded_representation().fill(), [0.101_562_5f32, f32::NAN].map(f32::to_ne_bytes).concat());
    assert_eq!(complex.encoded_representation().shape(), [2, 3]);
    let decoded = [1.2f64, -12.3].map(f64::to_ne_bytes).concat();
    let encoded = encode(3, "complex128", "[0, 0]", &decoded);
    assert_eq!(encoded, [1.25f64, -12.].map(f64::to_ne_bytes).concat());
    assert_eq!(codec(2, "uint8", "11").array_to_array().encoded_representation().fill(), [12]);
    assert_eq!(codec(8, "uint8", "11").array_to_array().encoded_representation().fill(), [11]);
}

#[test]
fn any_strides() {
    let bench = codec(2, "uint8", "0");
    let (codec, call) = (bench.array_to_array(), &bench.bench().call());
    let decoded = [9, 10, 11, 12, 13, 14];
    let (want, transposed) = ([8, 8, 12, 12, 12, 16], [8, 12, 8, 12, 12, 16]);
    let view = View::new(&decoded, &[2, 3], 1).unwrap();
    let mut memory = [0xAA; 6];
    let columns = ViewMut::strided(&mut memory, 0, &[2, 3], &[1, 2], 1).unwrap();
    codec.encode(call, &view, columns).unwrap();
    assert_eq!(memory, transposed);
    let mut encoded = [0; 6];
    let columns = View::strided(&decoded, 0, &[3, 2], &[1, 3], 1).unwrap();
    codec.encode(call, &columns, ViewMut::new(&mut encoded, &[3, 2], 1).unwrap()).unwrap();
    assert_eq!(encoded, transposed);
    let mut gaps = [0xAA; 12];
    let view = View::strided(&memory, 0, &[2, 3], &[1, 2], 1).unwrap();
    codec.decode(call, &view, ViewMut::strided(&mut gaps, 1, &[2, 3], &[6, 2], 1).unwrap()).unwrap();
    assert_eq!(gaps.map(|b| b == 0xAA), [true, false].repeat(6)[..]);
    assert_eq!(gaps.as_chunks::<2>().0.iter().map(|c| c[1]).collect::<Vec<u8>>(), want);
    codec.decode_in_place(call, ViewMut::new(&mut gaps, &[12], 1).unwrap()).unwrap();
    assert_eq!(gaps[11], 16);
    let wrong = codec.encode(call, &view, ViewMut::new(&mut encoded, &[6], 1).unwrap());
    assert!(wrong.is_err(), "another shape");
    let region = Region::new(&[1, 0], &[1, 2]).unwrap();
    assert_eq!((codec.decode_strategy(), codec.encoded_region(&region)), (DecodeStrategy::InPlace, Some(region)));
}

#[test]
fn configurations() {
    let create = |name, configuration, intent| make(name, configuration, ("float32", "0.0"), &[2, 3], intent);
    for name in ["bitround", ALIASES[0], ALIASES[1]] {
        let written = create(name, r#"{"keepbits":3}"#, Intent::Create).unwrap();
        assert_eq!(
            written.written.to_json().to_string(),
            format!(r#"{{"name":"{name}","configuration":{{"keepbits":3}}}}"#)
        );
        assert!(create(name, r#"{"keepbits":0}"#, Intent::Open).is_ok());
        for bad in
            ["{}", r#"{"keepbits":-1}"#, r#"{"keepbits":1.0}"#, r#"{"keepbits":"3"}"#, r#"{"keepbits":3,"digits":1}"#]
        {
            let e = create(name, bad, Intent::Open).unwrap_err();
            assert!(matches!(e.kind(), ErrorKind::Configuration(_)), "{e}");
        }
        let e = create(name, r#"{"keepbits":0}"#, Intent::Create).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::Configuration(_)) && e.hint().is_some(), "{e}");
        let id = create(name, r#"{"keepbits":3,"id":"bitround"}"#, Intent::Open);
        assert_eq!(id.is_ok(), name == ALIASES[0]);
        let bench = Bench::new();
        assert!(bench.registry().codec(&bench.extension(name).unwrap()).unwrap().unwrap().is_lossy());
    }
    for (data_type, fill) in [("bool", "false"), ("r16", "[0,0]"), ("string", "\"\""), ("bytes", "\"\"")] {
        let e = make("bitround", r#"{"keepbits":3}"#, (data_type, fill), &[2, 3], Intent::Open).unwrap_err();
        assert!(matches!(e.kind(), ErrorKind::InvalidCodecChain(_)) && e.hint().is_some(), "{e}");
    }
}
