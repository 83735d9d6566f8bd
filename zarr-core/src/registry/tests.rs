//! Tests of names, tiers and suggestions.

use super::*;
use crate::json::Json;
use crate::registration;
use crate::{call::*, codec::BytesToBytes, representation::Size};

macro_rules! codec {
    ($t:ident $name:expr, $aliases:expr) => {
        #[derive(Debug)]
        struct $t;
        impl ExtensionType for $t {
            const NAME: &'static str = $name;
            const ALIASES: &'static [&'static str] = $aliases;
            type Configuration = NoConfiguration;
            fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
                Ok(Self)
            }
            fn configuration(&self) -> NoConfiguration {
                NoConfiguration {}
            }
        }
        impl BytesToBytes for $t {
            fn encoded_size(&self, decoded: Size) -> Size {
                decoded
            }
            fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
                out.extend(decoded)
            }
            fn decode(&self, _: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
                out.extend(encoded)
            }
        }
    };
}
codec!(Same "test.same", &["test.alias"]);
codec!(Other "test.same", &[]);
codec!(Uri "https://codec.example/same", &[]);
codec!(Bad "No/Name", &[]);

#[test]
fn a_name_is_unique_within_a_tier() {
    let mut r = Registry::builtin();
    r.add(registration!(BytesToBytes: Same)).unwrap();
    let twice = r.add(registration!(BytesToBytes: Other)).unwrap_err().to_string();
    assert!(twice.contains("zarr-core and by zarr-core"), "{twice}");
    assert!(r.add(registration!(BytesToBytes: Bad)).is_err());
    r.add(registration!(BytesToBytes: Uri)).unwrap();
    r.insert(Tier::Discovered(0), registration!(BytesToBytes: Other)).unwrap();
    let line = r.explain(ExtensionPoint::Codec, "test.same");
    assert_eq!(line, "`test.same`: added by the application (zarr-core); shadowed: discovered (zarr-core)");
    assert!(r.explain(ExtensionPoint::Codec, "test.alias").ends_with("as `test.same`"));
    let listed: Vec<_> = r.list().filter(|l| l.point == ExtensionPoint::Codec).collect();
    assert_eq!(listed.iter().filter(|l| l.shadowed).count(), 1);
    assert_eq!(listed.iter().find(|l| l.name == "test.alias").unwrap().alias_of, Some("test.same"));
}

#[test]
fn a_name_registered_by_two_crates_is_ambiguous() {
    let mut r = Registry::empty();
    for registration in [registration!(BytesToBytes: Same), registration!(BytesToBytes: Other)] {
        r.insert_linked(registration);
    }
    r.insert_linked(registration!(BytesToBytes: Other));
    r.insert_linked(registration!(BytesToBytes: Bad));
    r.insert_linked(registration!(BytesToBytes: Uri));
    let codec = |r: &Registry, json: &str| {
        let extension = Extension::parse(&Json::parse(json.as_bytes(), &Limits::default()).unwrap()).unwrap();
        r.codec(&extension).map(|found| found.is_some()).map_err(|e| e.to_string())
    };
    for json in [r#""test.same""#, r#"{"name": "test.same", "must_understand": false}"#] {
        assert!(codec(&r, json).unwrap_err().contains("`test.same` is built in twice: by zarr-core and by zarr-core"));
    }
    assert!(codec(&r, r#""No/Name""#).is_err());
    assert_eq!(codec(&r, r#""test.alias""#), Ok(true), "the first has it to itself");
    assert_eq!(codec(&r, r#""https://codec.example/same""#), Ok(true));
    r.add(registration!(BytesToBytes: Other)).unwrap();
    assert_eq!(codec(&r, r#""test.same""#), Ok(true), "the application has decided");
}

#[test]
fn a_name_may_belong_to_two_extension_points() {
    let r = Registry::builtin();
    assert!(r.find(ExtensionPoint::DataType, "bytes").is_some());
    assert!(r.find(ExtensionPoint::Codec, "bytes").is_none(), "the codec lives in another crate");
}

#[test]
fn similar_names_are_suggested() {
    let r = Registry::builtin();
    let e = r.data_type(&Extension::short_hand("unit16"), &Limits::default()).unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::UnknownExtension { .. }) && e.hint().is_some_and(|h| h.contains('`')), "{e}");
    assert!(r.unknown(ExtensionPoint::Codec, "zstd").hint().is_some_and(|hint| hint.contains("with_plugins")));
}

#[test]
fn written_extensions_keep_name_and_flag() {
    let (r, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
    let cx = CreateContext::new(&r, &limits, &notes, Intent::Create);
    let json = Json::parse(br#"{"name":"variable_length_bytes","must_understand":true}"#, &limits).unwrap();
    let read = Extension::parse(&json).unwrap();
    let made = r.data_type_at(&read, &cx).unwrap();
    assert_eq!(made.extension(&read).unwrap(), read);
}

#[test]
fn built_in_extensions_are_counted() {
    let r = Registry::builtin();
    let count = |p| r.list().filter(|l| l.point == p && l.alias_of.is_none()).count();
    assert_eq!(count(ExtensionPoint::DataType), 17);
    assert_eq!(count(ExtensionPoint::ChunkGrid), 1);
    assert_eq!(count(ExtensionPoint::ChunkKeyEncoding), 2);
    assert_eq!(count(ExtensionPoint::Codec), 0);
}

/// The functions register the same as the macro, except for the origin: they use the crate of the type.
#[test]
fn functions_and_macros_register_extensions() {
    let (plain, by_macro) = (Registration::bytes_to_bytes::<Same>(), registration!(BytesToBytes: Same));
    assert_eq!((plain.origin(), by_macro.origin()), ("zarr_core", "zarr-core"));
    for r in [plain, by_macro] {
        assert_eq!(r.names().collect::<Vec<_>>(), ["test.same", "test.alias"]);
        assert_eq!((r.point(), r.is_family(), r.is_lossy()), (ExtensionPoint::Codec, false, false));
        let mut registry = Registry::empty();
        registry.add(r).unwrap();
        let found = registry.codec(&Extension::short_hand("test.alias")).unwrap().unwrap();
        assert!(matches!(found.constructor(), Constructor::BytesToBytes(_)));
    }
}

/// A program adds advice for its users; the library names no command.
#[test]
fn advice_follows_the_searched_places() {
    let mut r = Registry::builtin();
    r.searched("/a");
    r.searched("/b (1 refused)");
    let hint = |r: &Registry| r.unknown(ExtensionPoint::Codec, "nothing.like.it").hint().map(str::to_owned);
    assert_eq!(hint(&r).as_deref(), Some("looked for plugins in /a, /b (1 refused)"));
    r.advise("`acme install` installs one");
    assert_eq!(hint(&r).as_deref(), Some("looked for plugins in /a, /b (1 refused); `acme install` installs one"));
}

/// A family of names, and a plugin that provides one of these names.
#[test]
fn a_family_precedes_names_of_later_tiers() {
    let (point, limits) = (ExtensionPoint::DataType, Limits::default());
    let never = || Constructor::DataType(Arc::new(|_, _| Err(Error::configuration("it is the plugin's"))));
    let plugin = || Registration::new("r16", "a plugin", never()).with_provider("org.acme").with_alias("acme.r16");
    let mut r = Registry::builtin();
    r.insert(Tier::Discovered(0), plugin()).unwrap();
    assert_eq!(r.find(point, "r16").unwrap().name(), "r<N>");
    assert!(r.data_type(&Extension::short_hand("r16"), &limits).is_ok());
    let shadowed = |r: &Registry, name| r.list().find(|l| l.name == name).unwrap().shadowed;
    assert!(shadowed(&r, "r16") && !shadowed(&r, "acme.r16") && !shadowed(&r, "r<N>"));
    assert_eq!(r.explain(point, "r16"), "`r16`: built in (zarr-core); shadowed: discovered (a plugin), as `r<N>`");
    assert_eq!(r.explain(point, "r8"), "`r8`: built in (zarr-core), as `r<N>`");
    // Unless the application adds it.
    let mut added = Registry::builtin();
    added.add(plugin()).unwrap();
    assert_eq!(added.find(point, "r16").unwrap().provider(), "org.acme");
    assert!(!shadowed(&added, "r16"));
}

#[test]
fn numpy_data_types_get_a_hint_with_the_zarr_name() {
    let r = Registry::builtin();
    let hint = |point, name| r.unknown(point, name).hint().map(str::to_owned);
    for (name, zarr) in
        [("f4", "float32"), ("<f8", "float64"), ("float", "float64"), ("U10", "string"), ("i8", "int64")]
    {
        let e = r.data_type(&Extension::short_hand(name), &Limits::default()).unwrap_err();
        assert_eq!(e.hint(), Some(format!("did you mean `{zarr}`?").as_str()), "{name}");
    }
    assert_eq!(hint(ExtensionPoint::DataType, "flaot32").as_deref(), Some("did you mean `float32`?"));
    assert!(!hint(ExtensionPoint::Codec, "f4").unwrap().contains("did you mean"));
}
