//! Reads every refusal and every damaged array below the directory of cases, each with its counterpart, and prints a
//! line for each: `CASE CLAUSE BAD COUNTERPART`, where the last two are `accepted`, `refused` or `panicked`.

use ozarr::{
    Context, Hierarchy, Result,
    store::MemoryStore,
    zarr_core::{
        layout::Layout,
        limits::Limits,
        metadata::{NodeMetadata, ResolvedArray},
        registry::Registry,
        store::{Key, Store},
    },
};
use std::{
    env,
    error::Error,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

type Failure = Box<dyn Error>;

/// Enough for a document that a limit on depth would have refused.
const STACK: usize = 1 << 30;

fn outcome<T>(read: impl FnOnce() -> Result<T>) -> &'static str {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(_)) => "accepted",
        Ok(Err(_)) => "refused",
        Err(_) => "panicked",
    }
}

fn open(document: &[u8], registry: &Arc<Registry>) -> Result<()> {
    let limits = Limits::default();
    match NodeMetadata::parse(document, &limits)? {
        NodeMetadata::Array(m) => ResolvedArray::open(&m, registry, &limits, &Default::default()).map(|_| ()),
        NodeMetadata::Group(_) => Ok(()),
    }
}

/// Copies all files below a directory into a store.
fn fill(store: &Arc<dyn Store>, folder: &Path, prefix: &str) -> std::result::Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let (path, name) = {
            let entry = entry?;
            (entry.path(), entry.file_name())
        };
        let key = format!("{prefix}{}", name.to_string_lossy());
        if path.is_dir() {
            fill(store, &path, &format!("{key}/"))?;
        } else {
            store.writer()?.set(&Key::new(&key)?, &fs::read(path)?)?;
        }
    }
    Ok(())
}

/// Reads all elements of an array.
fn elements(store: Arc<dyn Store>, context: &Context) -> Result<()> {
    let array = Hierarchy::new(store, context.clone()).array("/")?;
    match array.representation().layout() {
        Layout::Variable { text: true } => array.read::<String>(..).map(|_| ()),
        Layout::Variable { text: false } => array.read::<Vec<u8>>(..).map(|_| ()),
        _ => array.read_bytes(..).map(|_| ()),
    }
}

/// Reads the array of a case.
fn array(case: &Path, context: &Context) -> std::result::Result<&'static str, Failure> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    fill(&store, &case.join("array.zarr"), "")?;
    Ok(outcome(|| elements(store, context)))
}

/// Returns a member of a small document, without using the changed reader.
fn member<'a>(about: &'a str, name: &str) -> std::result::Result<&'a str, Failure> {
    let after = about.split_once(&format!("\"{name}\": \"")).ok_or("a case lacks a member")?.1;
    Ok(after.split_once('"').ok_or("a case lacks a member")?.0)
}

/// Returns the directories of the cases of a kind, by name.
fn cases(folder: &Path) -> std::result::Result<Vec<(String, PathBuf)>, Failure> {
    let entries = fs::read_dir(folder)?.collect::<std::result::Result<Vec<_>, _>>()?;
    let mut found: Vec<_> = entries.iter().map(|e| (e.file_name().to_string_lossy().into_owned(), e.path())).collect();
    found.sort();
    Ok(found)
}

fn run(folder: &Path) -> std::result::Result<(), Failure> {
    let (registry, context) = (Arc::new(Registry::builtin()), Context::new());
    for (name, path) in cases(&folder.join("refusal"))? {
        let about = fs::read_to_string(path.join("rule.json"))?;
        let [refuse, accept] = [fs::read(path.join("refuse.json"))?, fs::read(path.join("accept.json"))?];
        let (refuse, accept) = (outcome(|| open(&refuse, &registry)), outcome(|| open(&accept, &registry)));
        println!("{name} {} {refuse} {accept}", member(&about, "clause")?);
    }
    for (name, path) in cases(&folder.join("damage"))? {
        let about = fs::read_to_string(path.join("case.json"))?;
        let (damaged, counterpart) =
            (array(&path, &context)?, array(&folder.join(member(&about, "counterpart")?), &context)?);
        println!("damage/{name} {} {damaged} {counterpart}", member(&about, "clause")?);
    }
    Ok(())
}

fn main() -> std::result::Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let folder = env::args().nth(1).ok_or("which folder?")?;
    let reader =
        thread::Builder::new().stack_size(STACK).spawn(move || run(Path::new(&folder)).map_err(|e| e.to_string()))?;
    match reader.join() {
        Ok(done) => Ok(done?),
        Err(_) => Err("the reader panicked".into()),
    }
}
