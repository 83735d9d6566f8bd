//! A program that has searched for plugins continues to work when they are upgraded before it uses them.

use super::{
    User,
    add::{Codec, XZ, folder},
    list, run, text,
};
use ozarr::{
    Context, Error, ErrorKind, Hierarchy, NewArray, Result,
    plugins::{Candidate, Places, PluginError, Policy, Reason, Search},
    store::MemoryStore,
    zarr_core::{json::Json, registry::Registry, store::Prefix, store::Store},
};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path, process::Command, sync::Arc};

/// Returns a registry with built-in extensions and those that are installed now.
fn search(user: &User, policy: Policy) -> Registry {
    let places = Places { folders: vec![folder(user)], warnings: Vec::new() };
    let mut registry = Registry::builtin();
    Search { places, policy }.find().register(&mut registry).unwrap();
    registry
}

/// Writes and reads an array of 4 x 5 numbers in chunks of 2 x 3, and returns the first stored byte, which encodes a 1.
fn first_byte(registry: &Registry, codecs: &str) -> Result<u8> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let hierarchy = Hierarchy::new(store.clone(), Context::with_registry(registry.clone()));
    let codecs = Json::parse(codecs.as_bytes(), &Default::default())?.as_array().unwrap().to_vec();
    let array = hierarchy.create_array("/", NewArray::new([4, 5], "uint8").chunks([2, 3]).codecs(codecs))?;
    let data: Vec<u8> = (1..21).collect();
    array.write(.., &data)?;
    assert_eq!(array.read::<u8>(..)?, data);
    let keys = store.lister()?.list_prefix(&Prefix::new("c/")?)?;
    assert_eq!(keys.len(), 4);
    Ok(store.reader()?.get(keys.first().unwrap())?.unwrap()[0])
}

const CHAIN: &str = r#"["bytes", "acme.xz"]"#;

fn reason(e: &Error) -> &Reason {
    match e.kind() {
        ErrorKind::Plugin(e) => e.downcast_ref::<PluginError>().unwrap().reason(),
        _ => panic!("{e}"),
    }
}

/// Returns the first version, which is installed, and a second one.
fn versions(user: &User) -> [String; 2] {
    let libraries = [("1.2.0", 1), ("1.3.0", 2)]
        .map(|(version, mask)| Codec { version, mask, ..XZ }.build(user, &format!("{version}.so"), &[]));
    user.ok(&["plugin", "add", &libraries[0]]);
    libraries
}

#[test]
fn a_plugin_upgraded_after_the_search_is_used() {
    let user = User::new();
    let [_, second] = versions(&user);
    let registry = search(&user, Policy::default());
    user.ok(&["plugin", "add", "--replace", &second]);
    // All threads that first use it get the same version.
    let bytes: Vec<u8> = std::thread::scope(|scope| {
        let start = || scope.spawn(|| first_byte(&registry, CHAIN).unwrap());
        let threads: Vec<_> = std::iter::repeat_with(start).take(4).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(bytes, [1 ^ 2; 4]);
    // A loaded plugin stays loaded.
    user.ok(&["plugin", "remove", XZ.id]);
    assert_eq!(first_byte(&registry, CHAIN).unwrap(), 1 ^ 2);
}

#[test]
fn a_plugin_removed_after_the_search_is_an_error_until_reinstalled() {
    let user = User::new();
    let [first, second] = versions(&user);
    let registry = search(&user, Policy::default());
    user.ok(&["plugin", "remove", XZ.id]);
    let e = first_byte(&registry, CHAIN).unwrap_err();
    assert!(matches!(reason(&e), Reason::Removed), "{e}");
    assert!(e.to_string().contains("org.acme.xz 1.2.0") && e.to_string().contains("removed"), "{e}");
    user.ok(&["plugin", "add", &second]);
    assert_eq!(first_byte(&registry, CHAIN).unwrap(), 1 ^ 2);

    // Also if only the library was lost.
    user.ok(&["plugin", "add", "--replace", "--force", &first]);
    let registry = search(&user, Policy::default());
    let plugins = user.json(&["plugin", "list", "--json"]);
    let library = text(list(&plugins, "plugins")[0].as_object().unwrap(), "library").to_owned();
    fs::rename(&library, user.path("away")).unwrap();
    let e = first_byte(&registry, CHAIN).unwrap_err();
    assert!(matches!(reason(&e), Reason::LibraryMissing(p) if *p == Path::new(&library)), "{e}");
    fs::rename(user.path("away"), &library).unwrap();
    assert_eq!(first_byte(&registry, CHAIN).unwrap(), 1 ^ 1);
}

#[test]
fn an_upgrade_under_the_same_file_names_is_used() {
    let user = User::new();
    let [_, second] = versions(&user);
    let registry = search(&user, Policy::default());
    // Package managers do this: the library keeps its file name.
    let manifest = folder(&user).join("org.acme.xz.zarrplugin.json");
    let before = fs::read_to_string(&manifest).unwrap();
    let json = Json::parse(before.as_bytes(), &Default::default()).unwrap();
    let listed = list(json.as_object().unwrap(), "libraries")[0].as_object().unwrap().clone();
    let library = folder(&user).join(text(&listed, "path"));
    let sum = Candidate::hash(Path::new(&second)).unwrap();
    fs::copy(&second, user.path("new")).unwrap();
    fs::rename(user.path("new"), &library).unwrap();
    // Between the two renames the files do not match, and nothing is loaded.
    let e = first_byte(&registry, CHAIN).unwrap_err();
    assert!(matches!(reason(&e), Reason::Hash { found, .. } if *found == sum), "{e}");
    let after = before.replace(text(&listed, "sha256"), &sum).replace("1.2.0", "1.3.0");
    fs::write(&manifest, after).unwrap();
    assert_eq!(first_byte(&registry, CHAIN).unwrap(), 1 ^ 2);
}

#[test]
fn an_upgrade_passes_the_same_checks_as_a_search() {
    for case in ["denied", "writable", "disputed"] {
        let user = User::new();
        let [first, second] = versions(&user);
        let lock = BTreeMap::from([(XZ.id.to_owned(), Candidate::hash(Path::new(&first)).unwrap())]);
        let policy = Policy { lock: (case == "denied").then_some(lock), ..Policy::default() };
        let registry = search(&user, policy);
        let added = user.json(&["plugin", "add", "--json", "--replace", &second]);
        if case == "writable" {
            fs::set_permissions(text(&added, "library"), fs::Permissions::from_mode(0o777)).unwrap();
        }
        if case == "disputed" {
            let other = Codec { id: "org.other", ..XZ }.build(&user, "other.so", &[]);
            user.ok(&["plugin", "add", "--force", &other]);
        }
        let e = first_byte(&registry, CHAIN).unwrap_err();
        let refused = match case {
            "denied" => matches!(reason(&e), Reason::Hash { .. }),
            "writable" => matches!(reason(&e), Reason::Trust(_)),
            _ => matches!(reason(&e), Reason::Conflict { .. }),
        };
        assert!(refused, "{case}: {e}");
    }
}

#[test]
fn an_upgrade_without_the_name_is_an_error() {
    let user = User::new();
    versions(&user);
    let registry = search(&user, Policy::default());
    let renamed = Codec { version: "2.0.0", name: "acme.lzma", ..XZ }.build(&user, "renamed.so", &[]);
    user.ok(&["plugin", "add", "--replace", "--force", &renamed]);
    let e = first_byte(&registry, CHAIN).unwrap_err();
    assert!(matches!(reason(&e), Reason::NotOffered(name) if name == "acme.xz"), "{e}");
    assert!(e.to_string().contains("org.acme.xz 2.0.0"), "{e}");
}

#[test]
fn an_upgrade_receives_arrays_in_the_form_it_supports() {
    let user = User::new();
    user.ok(&["plugin", "new", "acme.raw", "--kind", "array-to-bytes", "--lang", "c"]);
    let folder = user.0.path().join("acme-raw");
    let source = fs::read_to_string(folder.join("plugin.c")).unwrap();
    // The first version declares that it accepts any strides. The second does not, and copies its input as one block.
    let strided =
        source.replace(r#"\"caps\":[]"#, r#"\"caps\":[\"strided\"]"#).replace("0, /* caps */", "ZP_CAP_STRIDED,");
    assert!(strided.contains("ZP_CAP_STRIDED,") && strided.contains(r#"[\"strided\"]"#));
    let build = |source: &str, file: &str| {
        fs::write(folder.join("plugin.c"), source).unwrap();
        let arguments = ["-fPIC", "-shared", "-fvisibility=hidden", "-o", file, "plugin.c"];
        run(Command::new("cc").current_dir(&folder).args(arguments));
        folder.join(file).to_string_lossy().into_owned()
    };
    user.ok(&["plugin", "add", &build(&strided, "1.so")]);
    let registry = search(&user, Policy::default());
    user.ok(&["plugin", "add", "--replace", &build(&source.replace("0.1.0", "0.2.0"), "2.so")]);
    assert_eq!(first_byte(&registry, r#"["acme.raw"]"#).unwrap(), 1);
}
