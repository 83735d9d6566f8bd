//! The extension as programs get it that link this crate.

use template_rust as _;
use zarr_conformance::{
    check::Settings,
    extension::{Samples, Subject},
    report::Outcome,
};
use zarr_plugin_api::{
    CallContext, Extension, Json, OutputBuffer, Representation, View, ViewMut,
    core::{
        call::{Buffers, Options, Sequential},
        limits::Limits,
        registry::*,
    },
};

/// Runs `f` at the place of the extension in an array of `uint8` with two dimensions.
fn with_site<R>(f: impl FnOnce(&Extension, &CreateContext<'_>) -> R) -> R {
    let (registry, limits, notes) = (Registry::builtin().unwrap(), Limits::default(), Notes::default());
    let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap().object;
    let array = Representation::new(uint8, &[3, 4], &[0]);
    let json = Json::parse(br#"{"name":"template.rust"}"#, &limits).unwrap();
    let cx = CreateContext::new(&registry, &limits, &notes, Intent::Create).with(&array);
    f(&Extension::parse(&json).unwrap(), &cx)
}

/// Everything that has to hold for any codec, tried with these configurations. Give it a sample of each sort.
#[test]
fn laws() {
    let samples = Samples::parse(
        r#"
        [[sample]]
        point = "codec"
        name = "template.rust"
        configuration = '{}'
        "#,
    )
    .unwrap();
    for subject in Subject::find(&Registry::builtin().unwrap(), Some("template.rust"), &samples).unwrap() {
        subject.run(&Settings::default(), &mut |record| {
            assert!(!matches!(record.outcome, Outcome::Fail(_)), "{record:?}");
        });
    }
}

/// What is encoded is decoded again.
#[test]
fn round_trip() {
    with_site(|extension, cx| {
        let found = cx.registry.codec(extension).unwrap().unwrap();
        match found.constructor() {
            Constructor::BytesToBytes(make) => {
                let codec = make(extension, cx).unwrap().object;
                let encoded = call(|call| OutputBuffer::collect(|out| codec.encode(call, b"some bytes", out))).unwrap().1;
                let mut decoded = [0; 10];
                let mut out = OutputBuffer::fixed(&mut decoded);
                call(|call| codec.decode(call, &encoded, &mut out)).unwrap();
                match out.alias() {
                    Some(range) => assert_eq!(&encoded[range], b"some bytes"),
                    None => assert_eq!(&decoded, b"some bytes"),
                }
            }
            Constructor::ArrayToBytes(make) => {
                let codec = make(extension, cx).unwrap().object;
                let view = View::new(b"twelve bytes", &[3, 4], 1).unwrap();
                let encoded = call(|call| OutputBuffer::collect(|out| codec.encode(call, &view, out))).unwrap().1;
                let mut decoded = [0; 12];
                call(|call| codec.decode(call, &encoded, ViewMut::new(&mut decoded, &[3, 4], 1).unwrap())).unwrap();
                assert_eq!(&decoded, b"twelve bytes");
            }
            Constructor::ArrayToArray(make) => {
                let codec = make(extension, cx).unwrap().object;
                let of = codec.encoded_representation().clone();
                let (mut encoded, mut decoded) = (vec![0; of.bytes().unwrap() as usize], [0; 12]);
                let view = View::new(b"twelve bytes", &[3, 4], 1).unwrap();
                let to = ViewMut::new(&mut encoded, of.shape(), of.element_size()).unwrap();
                call(|call| codec.encode(call, &view, to)).unwrap();
                let from = View::new(&encoded, of.shape(), of.element_size()).unwrap();
                call(|call| codec.decode(call, &from, ViewMut::new(&mut decoded, &[3, 4], 1).unwrap())).unwrap();
                assert_eq!(&decoded, b"twelve bytes");
            }
            _ => panic!("it is no codec"),
        }
    });
}

fn call<R>(f: impl FnOnce(&CallContext<'_>) -> R) -> R {
    let (limits, options, buffers) = (Limits::default(), Options::default(), Buffers::default());
    f(&CallContext { limits: &limits, options: &options, executor: &Sequential, buffers: &buffers })
}
