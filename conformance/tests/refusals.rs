//! One document for each rule that makes a reader refuse, and its twin that it accepts.

use std::sync::Arc;
use zarr_array::{
    Context, Hierarchy,
    core::store::{Key, Store},
    store::MemoryStore,
};
use zarr_conformance::cases::Refusal;

#[test]
fn every_rule() {
    let (mut failures, context) = (Vec::new(), Context::new().unwrap());
    let open = |document: &[u8]| {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        store.writer().unwrap().set(&Key::new("zarr.json").unwrap(), document).unwrap();
        Hierarchy::new(store, context.clone()).node("/").map(|_| ())
    };
    let all = Refusal::all().unwrap();
    for case in &all {
        if open(&case.refuse).is_ok() {
            failures.push(format!("{}: accepted", case.rule));
        }
        if let Err(e) = open(&case.accept) {
            failures.push(format!("{}: its twin is refused: {e}", case.rule));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(all.len() > 120, "{}", all.len());
}
