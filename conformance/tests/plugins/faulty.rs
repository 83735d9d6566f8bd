//! Misbehaving plugins are contained: the error names plugin, version and file, the plugin is not called again, and all
//! others keep working.

mod exercise;

use super::{
    call,
    compatibility::{reason, round_trip},
};
use exercise::exercise;
use ozarr::{
    Error, Json,
    plugins::{Plugin, Reason},
    zarr_core::{
        call::OutputBuffer,
        extension::Extension,
        registry::{Constructor, CreateContext, Intent, Registry},
        representation::Size,
        view::{Region, ViewMut},
    },
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};
use zarr_conformance::third_party;
use zarr_plugin_api::testing::Bench;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/c").join(name)
}

/// Builds a plugin in C; under AddressSanitizer, the plugin is built for it.
fn c(name: &str) -> PathBuf {
    let asan = std::env::var_os("FAULTY_UNDER_ASAN").is_some();
    let flags: &[&str] = if asan { &["-fsanitize=address", "-fno-omit-frame-pointer"] } else { &[] };
    third_party::c(&source(name), flags).unwrap()
}

fn panicking() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugins/panicking");
    third_party::rust_from("panicking-plugin", &folder).unwrap()
}

struct Host {
    plugin: Arc<Plugin>,
    registry: Registry,
}

impl Host {
    fn new(library: &Path) -> Self {
        let plugin = Plugin::open(library).unwrap();
        let mut registry = Registry::builtin();
        plugin.add_to(&mut registry).unwrap();
        Plugin::open(&c("frozen.c")).unwrap().add_to(&mut registry).unwrap();
        Self { plugin, registry }
    }
    fn with_site<R>(&self, data_type: &str, f: impl FnOnce(&CreateContext<'_>) -> R) -> R {
        let bench = Bench::of(self.registry.clone()).with_intent(Intent::Create);
        let array = bench.array(data_type, &[2, 2]).unwrap();
        let size = array.bytes().map_or(Size::Unknown, Size::Exact);
        f(&CreateContext { size, ..bench.create_context().with(&array) })
    }
    /// Checks that the plugin is in quarantine for this reason, is named in its error and is not called again, and that
    /// others work.
    fn check_quarantine(&self, why: &str, what: &str) {
        let found = self.plugin.quarantined().unwrap_or_else(|| panic!("{what}: not in quarantine"));
        assert!(found.contains(why), "{what}: {found}");
        let offered = &self.plugin.manifest().extensions[0];
        let e = round_trip(self.registry.clone(), &format!(r#""{}""#, offered.name)).unwrap_err();
        assert!(matches!(reason(&e), Reason::Quarantined(_)), "{what}: {e}");
        let text = e.to_string();
        for part in [self.plugin.id(), self.plugin.version(), &self.plugin.file().display().to_string()] {
            assert!(text.contains(part), "{what}: {text} does not name {part}");
        }
        round_trip(self.registry.clone(), r#""test.frozen""#).unwrap();
        round_trip(self.registry.clone(), r#""crc32c""#).unwrap();
    }
}

fn named(name: &str, at: Option<&str>) -> Extension {
    let text = match at {
        Some(at) => format!(r#"{{"name":"{name}","configuration":{{"at":"{at}"}}}}"#),
        None => format!(r#""{name}""#),
    };
    Extension::parse(&text.parse::<Json>().unwrap()).unwrap()
}

const HEAD: [&str; 4] = ["create", "configuration", "drop", "payload in create"];
const PANICS: [(&str, &[&str]); 7] = [
    (
        "panicking.bytes-to-bytes",
        &[
            "encoded_size",
            "encode",
            "threads",
            "decode",
            "decoded_source",
            "read",
            "each",
            "payload in encode",
            "display of an error",
        ],
    ),
    (
        "panicking.array-to-bytes",
        &[
            "encoded_size",
            "encode",
            "decode",
            "partial_decode",
            "partial_encode",
            "raw",
            "inner_chunk_shape",
            "decode_region",
            "cached",
            "each",
            "update_region",
        ],
    ),
    (
        "panicking.array-to-array",
        &["encoded_representation", "encode", "decode", "decode_strategy", "decode_in_place", "encoded_region"],
    ),
    ("panicking.data-type", &["layout", "fill_from_json", "fill_to_json", "default_fill", "check_elements"]),
    ("panicking.chunk-grid", &["grid_shape", "chunk_region", "chunk_index_of", "resized", "axis"]),
    ("panicking.chunk-key-encoding", &["encode", "decode"]),
    (
        "panicking.storage-transformer",
        &[
            "wrap",
            "uri",
            "open",
            "read",
            "get",
            "get_partial_values",
            "set",
            "set_if_absent",
            "store update",
            "set_partial_values",
            "erase",
            "erase_values",
            "erase_prefix",
            "list_dir",
            "list_prefix",
            "list",
        ],
    ),
];

/// Functions without a call, which can only report that they panicked.
const WITHOUT_CALL: [&str; 9] = [
    "encoded_size",
    "partial_decode",
    "partial_encode",
    "raw",
    "inner_chunk_shape",
    "decode_strategy",
    "encoded_region",
    "layout",
    "axis",
];

#[test]
fn panics_in_any_function_do_not_cross_the_boundary() {
    let library = panicking();
    let mut done = 0;
    for (name, functions) in PANICS {
        for at in HEAD.iter().chain(functions) {
            let what = format!("{name} in {at}");
            let host = Host::new(&library);
            let outcome = exercise(&host, &named(name, Some(at)), "uint8");
            if let Err(e) = &outcome {
                assert!(matches!(reason(e), Reason::Quarantined(_)), "{what}: {e}");
            }
            let why = match *at {
                "drop" => "it failed to destroy an instance",
                at if at.starts_with("payload") => "it panicked",
                at if WITHOUT_CALL.contains(&at) => "it panicked",
                at => &format!("in {at}"),
            };
            host.check_quarantine(why, &what);
            done += 1;
        }
    }
    assert_eq!(done, 28 + 9 + 11 + 6 + 5 + 5 + 2 + 16);
    // With the name of an unknown function, no extension panics.
    for (name, _) in PANICS {
        let host = Host::new(&library);
        exercise(&host, &named(name, Some("nowhere")), "uint8").unwrap();
        assert_eq!(host.plugin.quarantined(), None, "{name}");
    }
}

/// A plugin in safe Rust cannot make the generated code write, or let others read, out of bounds.
#[test]
fn results_of_the_wrong_rank_are_errors() {
    for (name, at) in [
        ("panicking.array-to-bytes", "wrong rank"),
        ("panicking.array-to-array", "short order"),
        ("panicking.array-to-array", "long region"),
    ] {
        let host = Host::new(&panicking());
        let outcome = exercise(&host, &named(name, Some(at)), "uint8");
        // Without the region, the whole array is decoded.
        assert_eq!(outcome.is_ok(), at == "long region", "{at}: {outcome:?}");
        assert_eq!(host.plugin.quarantined(), None, "{at}");
    }
}

#[test]
fn readers_that_return_other_ranges_are_quarantined() {
    for at in ["silence", "another number"] {
        let host = Host::new(&panicking());
        let e = exercise(&host, &named("panicking.storage-transformer", Some(at)), "uint8").unwrap_err();
        assert!(matches!(reason(&e), Reason::Quarantined(_)), "{at}: {e}");
        host.check_quarantine("not return exactly the requested bytes", at);
    }
}

#[test]
fn panics_in_drop_do_not_unwind_into_the_host() {
    for at in ["drop of the store", "drop of the reader"] {
        exercise(&Host::new(&panicking()), &named("panicking.storage-transformer", Some(at)), "uint8").unwrap();
    }
}

/// The fault of each extension in C, a data type that shows it, and the reason for the quarantine.
const FAULTS: [(&str, &str, &str); 39] = [
    ("too-long", "uint8", "beyond the end of the output"),
    ("moved-output", "uint8", "outside the input"),
    ("aliases-in-encode", "uint8", "outside the input"),
    ("aliases-too-much", "uint8", "outside the input"),
    ("larger-output", "uint8", "beyond the end of the output"),
    ("garbage-status", "uint8", "999, which is not a status"),
    ("negative-status", "uint8", "-5, which is not a status"),
    ("false-size", "uint8", "not the size that it returned"),
    ("false-bound", "uint8", "not the size that it returned"),
    ("false-array-size", "uint8", "not the size that it returned"),
    ("reads-nothing", "uint8", "not return exactly the requested bytes"),
    ("reads-another-range", "uint8", "not return exactly the requested bytes"),
    ("reads-too-little", "uint8", "not return exactly the requested bytes"),
    ("no-json", "uint8", "not a JSON object"),
    ("no-object", "uint8", "not a JSON object"),
    ("fails-to-destroy", "uint8", "failed to destroy"),
    ("long-offsets", "string", "invalid offsets"),
    ("backward-offsets", "string", "invalid offsets"),
    ("few-offsets", "string", "invalid offsets"),
    ("false-raw", "uint8", "does not match the array"),
    ("empty-inner", "uint8", "without elements"),
    ("invalid-permutation", "uint8", "not a permutation"),
    ("in-place", "uint8", "plan to decode in place"),
    ("unknown-plan", "uint8", "unknown plan"),
    ("other-layout", "uint8", "data type differ"),
    ("no-layout", "uint8", "no layout of its elements"),
    ("wrong-fill", "uint8", "not an element"),
    ("no-json-fill", "uint8", "not valid JSON"),
    ("too-many-chunks", "uint8", "impossible number of chunks"),
    ("chunk-at-the-end", "uint8", "contradicts"),
    ("overlapping-chunks", "uint8", "contradicts"),
    ("empty-chunk", "uint8", "contradicts"),
    ("axis-of-nothing", "uint8", "unknown kind of axis"),
    ("axis-with-a-hole", "uint8", "empty chunks"),
    ("axis-too-long", "uint8", "beyond 2^64"),
    ("axis-unknown", "uint8", "unknown kind of axis"),
    ("axis-endless", "uint8", "unknown kind of axis"),
    ("key-with-parent", "uint8", "invalid store key"),
    ("overwrites", "uint8", "invalid store key"),
];

/// Faults that are errors and leave the plugin usable.
const ERRORS: [(&str, &str, &str); 11] = [
    ("swallows-errors", "uint8", "scratch memory"),
    ("error-without-message", "uint8", "failed without a message"),
    ("garbled-message", "uint8", "not valid UTF-8"),
    // The stored bytes may be the cause.
    ("no-text", "string", "not valid UTF-8"),
    ("blind-reader", "uint8", "out of bounds"),
    ("short-fill", "uint8", "does not match the layout"),
    ("many-dimensions", "uint8", "dimensions"),
    ("empty-element", "uint8", "invalid layout"),
    ("huge-element", "uint8", "invalid layout"),
    ("unknown-form", "uint8", "unknown layout form"),
    ("fieldless", "uint8", "no fields"),
];

#[test]
fn invalid_results_are_errors_or_quarantine() {
    let library = c("faulty.c");
    for (fault, data_type, why) in FAULTS {
        let host = Host::new(&library);
        let outcome = exercise(&host, &named(&format!("test.{fault}"), None), data_type);
        if fault != "fails-to-destroy" {
            let e = outcome.expect_err(fault);
            assert!(matches!(reason(&e), Reason::Quarantined(_)), "{fault}: {e}");
        }
        host.check_quarantine(why, fault);
    }
    for fault in ["garbled-key", "null-in-key", "empty-key"] {
        let host = Host::new(&library);
        exercise(&host, &named(&format!("test.{fault}"), None), "uint8").expect_err(fault);
        host.check_quarantine("invalid store key", fault);
    }
    for (fault, data_type, why) in ERRORS {
        let host = Host::new(&library);
        let e: Error = exercise(&host, &named(&format!("test.{fault}"), None), data_type).expect_err(fault);
        assert!(e.to_string().contains(why), "{fault}: {e}");
        assert_eq!(host.plugin.quarantined(), None, "{fault}");
    }
    let host = Host::new(&library);
    let e = round_trip(host.registry.clone(), r#""test.too-short""#).unwrap_err();
    assert!(e.to_string().contains("found 3"), "a length that is not the chunk's: {e}");
    // The codec plans a permutation but leaves the order null, which is not a permutation of the dimensions.
    exercise(&host, &named("test.permutes-nothing", None), "uint8")
        .expect_err("an order of zeros is not a permutation");
}

#[test]
fn every_function_of_a_call_can_be_used() {
    exercise(&Host::new(&c("faulty.c")), &named("test.correct", None), "uint8").unwrap();
}

/// A codec that does not check lengths: the host knows the size to which it always encodes.
#[test]
fn stored_bytes_of_the_wrong_size_are_an_error() {
    let host = Host::new(&c("faulty.c"));
    host.with_site("uint8", |cx| {
        let name = named("test.unchecked-length", None);
        let Constructor::ArrayToBytes(make) = cx.registry.codec(&name).unwrap().unwrap().constructor() else {
            panic!("it is not such a codec");
        };
        let codec = make(&name, cx).unwrap().object;
        let region = Region::whole(&[2, 2]);
        for (stored, good) in [(&[1u8, 2, 3, 4][..], true), (&[1, 2, 3, 4, 5], false), (&[], false)] {
            let (mut a, mut b) = ([0; 4], [0; 4]);
            let [a, b] = [&mut a, &mut b].map(|out| ViewMut::new(out, &[2, 2], 1).unwrap());
            let whole = call(|call| codec.decode(call, stored, a));
            let part = call(|call| codec.partial_decode().unwrap().decode_region(call, &stored, &region, b));
            for outcome in [whole, part] {
                assert_eq!(outcome.is_ok(), good, "{stored:?}: {outcome:?}");
                assert!(good || outcome.unwrap_err().to_string().contains("expected 4"));
            }
        }
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_floating_point_environment_is_restored() {
    let host = Host::new(&c("faulty.c"));
    let tiny = std::hint::black_box(f32::MIN_POSITIVE) / std::hint::black_box(2.0);
    assert!(tiny > 0.0);
    exercise(&host, &named("test.flushes-to-zero", None), "uint8").unwrap_err();
    let after = std::hint::black_box(f32::MIN_POSITIVE) / std::hint::black_box(2.0);
    assert_eq!(after.to_bits(), tiny.to_bits());
    host.check_quarantine("floating-point environment", "flushes-to-zero");
}

#[test]
fn cpp_exceptions_do_not_cross_the_boundary() {
    let host = Host::new(&c("throws.cpp"));
    let e = exercise(&host, &named("test.throws", None), "uint8").unwrap_err();
    assert!(matches!(reason(&e), Reason::Quarantined(why) if why.contains("an exception was thrown")), "{e}");
    host.check_quarantine("an exception was thrown", "throws");
}

/// A codec that assumes to be called by one thread at a time damages its own data, and nothing else.
#[test]
fn a_data_race_in_one_codec_does_not_affect_others() {
    let host = Host::new(&c("faulty.c"));
    host.with_site("uint8", |cx| {
        let extension = named("test.shared-state", None);
        let make = |name: &Extension| match cx.registry.codec(name).unwrap().unwrap().constructor() {
            Constructor::BytesToBytes(make) => make(name, cx).unwrap().object,
            _ => panic!("it is not such a codec"),
        };
        let (shared, sound) = (make(&extension), make(&named("test.frozen", None)));
        std::thread::scope(|scope| {
            for i in 0..4u8 {
                let (shared, sound) = (&shared, &sound);
                scope.spawn(move || {
                    for n in 1..2000usize {
                        let input = vec![i; n * 7 % 60_000];
                        let _spoilt = call(|call| OutputBuffer::collect(|out| shared.encode(call, &input, out)));
                        let encoded =
                            call(|call| OutputBuffer::collect(|out| sound.encode(call, &input, out))).unwrap().1;
                        assert_eq!(encoded, input);
                    }
                });
            }
        });
    });
}

/// Runs a test of this program as a process of its own under AddressSanitizer.
fn under_asan(test: &str) -> std::process::Output {
    let found = Command::new("cc").arg("-print-file-name=libasan.so").output().unwrap();
    let library = String::from_utf8(found.stdout).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--include-ignored"])
        .env("LD_PRELOAD", library.trim())
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("FAULTY_UNDER_ASAN", "1")
        .output()
        .unwrap()
}

#[test]
fn faulty_plugins_under_address_sanitizer() {
    if std::env::var_os("FAULTY_UNDER_ASAN").is_some() {
        return;
    }
    // Built first, because compilers must not run under the sanitizer.
    panicking();
    for source_name in ["faulty.c", "frozen.c"] {
        third_party::c(&source(source_name), &["-fsanitize=address", "-fno-omit-frame-pointer"]).unwrap();
    }
    for test in [
        "faulty::panics_in_any_function_do_not_cross_the_boundary",
        "faulty::invalid_results_are_errors_or_quarantine",
        "faulty::a_data_race_in_one_codec_does_not_affect_others",
    ] {
        let output = under_asan(test);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !stderr.contains("AddressSanitizer"), "{test}: {stderr}");
    }
    // It detects the use of a pointer after its call.
    let output = under_asan("faulty::uses_a_pointer_after_its_call");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("heap-use-after-free"), "{stderr}");
}

/// Not a test by itself: it uses an extension that the sanitizer must detect.
#[test]
fn uses_a_pointer_after_its_call() {
    if std::env::var_os("FAULTY_UNDER_ASAN").is_none() {
        return;
    }
    let host = Host::new(&c("faulty.c"));
    host.with_site("uint8", |cx| {
        let name = named("test.dangling-pointer", None);
        let Constructor::BytesToBytes(make) = cx.registry.codec(&name).unwrap().unwrap().constructor() else {
            panic!("it is not such a codec");
        };
        let codec = make(&name, cx).unwrap().object;
        for i in 0..2u8 {
            let input = vec![i; 10_000];
            call(|call| OutputBuffer::collect(|out| codec.encode(call, &input, out))).unwrap();
        }
    });
}
