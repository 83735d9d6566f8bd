//! Reads every refusal below a folder and its twin, and prints a line for each: `RULE CLAUSE REFUSE ACCEPT`, where the
//! last two are `accepted`, `refused` or `panicked`.

use std::{
    env,
    error::Error,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    thread,
};
use zarr_codecs as _;
use zarr_core::{
    limits::Limits,
    metadata::{NodeMetadata, ResolvedArray},
    registry::Registry,
};

/// Enough for a document that a limit on depth would have refused.
const STACK: usize = 1 << 30;

fn read(document: &[u8], registry: &Arc<Registry>) -> &'static str {
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let limits = Limits::default();
        match NodeMetadata::parse(document, &limits)? {
            NodeMetadata::Array(m) => ResolvedArray::open(&m, registry, &limits, &Default::default()).map(|_| ()),
            NodeMetadata::Group(_) => Ok(()),
        }
    }));
    match opened {
        Ok(Ok(())) => "accepted",
        Ok(Err(_)) => "refused",
        Err(_) => "panicked",
    }
}

/// The clause of a rule, which a changed reader must not be asked for.
fn clause(about: &str) -> Result<&str, Box<dyn Error>> {
    let after = about.split_once("\"clause\": \"").ok_or("a rule has no clause")?.1;
    Ok(after.split_once('"').ok_or("a rule has no clause")?.0)
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let registry = Arc::new(Registry::builtin()?);
    let mut rules: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    rules.sort_by_key(fs::DirEntry::file_name);
    for rule in rules {
        let (name, path) = (rule.file_name(), rule.path());
        let about = fs::read_to_string(path.join("rule.json"))?;
        let [refuse, accept] = [fs::read(path.join("refuse.json"))?, fs::read(path.join("accept.json"))?];
        let (refuse, accept) = (read(&refuse, &registry), read(&accept, &registry));
        println!("{} {} {refuse} {accept}", name.to_string_lossy(), clause(&about)?);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    std::panic::set_hook(Box::new(|_| {}));
    let folder = env::args().nth(1).ok_or("which folder?")?;
    let reader =
        thread::Builder::new().stack_size(STACK).spawn(move || run(Path::new(&folder)).map_err(|e| e.to_string()))?;
    match reader.join() {
        Ok(done) => Ok(done?),
        Err(_) => Err("the reader panicked".into()),
    }
}
