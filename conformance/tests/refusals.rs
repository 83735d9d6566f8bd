//! One invalid document for each rule, which a reader must refuse, and its valid counterpart, which it must accept.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Context, ErrorKind, Hierarchy, Result,
    store::MemoryStore,
    zarr_core::{
        json::Json,
        metadata::{NodeMetadata, ResolvedArray},
        store::{Key, Store},
    },
};
use std::sync::Arc;
use zarr_conformance::cases::{Cases, Refusal};

/// The minimum number of rules.
const RULES: usize = 438;

/// Parses a document, and creates the extensions that it names.
fn resolve(document: &[u8], context: &Context) -> Result<&'static str> {
    Ok(match NodeMetadata::parse(document, &context.limits)? {
        NodeMetadata::Array(m) => {
            ResolvedArray::open(&m, &context.registry, &context.limits, &context.options).map(|_| "array")?
        }
        NodeMetadata::Group(_) => "group",
    })
}

/// Returns a hierarchy of two nodes below a root.
fn hierarchy(refuse: &[u8], accept: &[u8], context: &Context) -> Hierarchy {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let root = br#"{"zarr_format":3,"node_type":"group"}"#;
    for (key, document) in [("zarr.json", &root[..]), ("accept/zarr.json", accept), ("refuse/zarr.json", refuse)] {
        store.writer().unwrap().set(&Key::new(key).unwrap(), document).unwrap();
    }
    Hierarchy::new(store, context.clone())
}

/// Returns whether an error of this kind can be caused by a document alone.
fn is_about_the_document(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Json { .. }
            | ErrorKind::Metadata(_)
            | ErrorKind::Name(_)
            | ErrorKind::UnknownExtension { .. }
            | ErrorKind::Configuration(_)
            | ErrorKind::InvalidCodecChain(_)
            | ErrorKind::FillValue(_)
            | ErrorKind::Limit { .. }
    )
}

fn check(case: &Refusal, context: &Context) -> std::result::Result<(), String> {
    let both = hierarchy(&case.refuse, &case.accept, context);
    let listed: Vec<bool> = both.group("/").unwrap().children().unwrap().map(|c| c.node.is_ok()).collect();
    match resolve(&case.accept, context) {
        Ok(node) if node == case.node => {}
        other => return Err(format!("its counterpart: {other:?}, not {}", case.node)),
    }
    both.node("/accept").map_err(|e| format!("its counterpart is refused when opened: {e}"))?;
    let Err(parsed) = resolve(&case.refuse, context) else { return Err("accepted".into()) };
    let Err(opened) = both.node("/refuse") else { return Err("accepted when opened".into()) };
    for e in [&parsed, &opened] {
        if !is_about_the_document(e.kind()) {
            return Err(format!("refused for another reason: {e}"));
        }
    }
    if listed != [true, false] {
        return Err(format!("listed as {listed:?}"));
    }
    // An accepted document is preserved.
    let (text, metadata) =
        (Json::parse(&case.accept, &context.limits), NodeMetadata::parse(&case.accept, &context.limits));
    let preserved = metadata.is_ok_and(|m| text.is_ok_and(|t| t == Json::Object(m.document().clone())));
    if preserved { Ok(()) } else { Err("its counterpart does not keep its document".into()) }
}

#[test]
fn every_invalid_document_is_refused() {
    let context = Context::new();
    let all = Cases::embedded().refusals().unwrap();
    let failures: Vec<String> =
        all.iter().filter_map(|c| check(c, &context).err().map(|reason| format!("{}: {reason}", c.rule))).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(all.len() >= RULES, "{} refusals, {RULES} are known", all.len());
}
