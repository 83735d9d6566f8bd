//! Reads the descriptor that the entry function returns: checks it, copies it, and compares it with the manifest.

use super::{
    Kind, Manifest, Plugin, PluginError, ProvidedExtension, Reason, array_to_array, array_to_bytes, bytes_to_bytes,
    chunk_grid, chunk_key_encoding, data_type, host, storage_transformer,
};
use crate::abi;
use std::{path::Path, sync::Arc};
use zarr_core::registry::{Constructor, Registration};

/// An extension of a loaded plugin.
pub(crate) struct Loaded {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) strided: bool,
    pub(super) table: Result<Table, Reason>,
}

/// A vtable, copied over zeros, so that members that the plugin does not have are null.
#[derive(Clone, Copy)]
pub(crate) enum Table {
    DataType(abi::DataType),
    ChunkGrid(abi::ChunkGrid),
    ChunkKeyEncoding(abi::ChunkKeyEncoding),
    ArrayToArray(abi::ArrayToArray),
    ArrayToBytes(abi::ArrayToBytes),
    BytesToBytes(abi::BytesToBytes),
    StorageTransformer(abi::StorageTransformer),
}

/// The size in bytes of a descriptor of minor version 0.
const VERSION_1_0: usize = std::mem::offset_of!(abi::Plugin, manifest) + size_of::<usize>();

/// Calls the entry function, and checks the descriptor that it returns.
pub(super) fn read(entry: abi::Entry, manifest: &Manifest, embedded: &[u8]) -> Result<Vec<Loaded>, Reason> {
    let descriptor = host::enter(entry)?;
    if descriptor.magic != abi::MAGIC {
        return Err(Reason::Magic);
    }
    if (descriptor.struct_size as usize) < VERSION_1_0 {
        return Err(Reason::Descriptor("it is shorter than version 1.0 requires"));
    }
    // Lengths are compared first: the length in the manifest is known, so no more than that is read.
    // SAFETY: the plugin promises that these point to static texts of the lengths that it states.
    unsafe {
        if !is_text(descriptor.id, &manifest.id) {
            return Err(Reason::Differs("the id"));
        }
        if !is_text(descriptor.version, &manifest.version) {
            return Err(Reason::Differs("the version"));
        }
        let text = descriptor.manifest.as_ref().filter(|m| m.len == embedded.len()).map(|m| abi::slice(m.ptr, m.len));
        if text != Some(embedded) {
            return Err(Reason::Differs("the embedded manifest"));
        }
    }
    if descriptor.n_extensions != manifest.extensions.len() + manifest.unknown {
        return Err(Reason::Differs("the number of extensions"));
    }
    // SAFETY: the plugin promises that `extensions` points to `n_extensions` pointers.
    let all = unsafe { abi::slice(descriptor.extensions, descriptor.n_extensions) };
    if all.len() != descriptor.n_extensions {
        return Err(Reason::Descriptor("it has no list of extensions"));
    }
    let (mut loaded, mut expected) = (Vec::new(), manifest.extensions.iter());
    for &e in all {
        // SAFETY: the plugin promises that it points to a static extension, which begins with its size.
        let e = unsafe { abi::copied(e) }.ok_or(Reason::Descriptor("an extension is null"))?;
        // The kind is from a later minor version. Such extensions are left out of the manifest's list too.
        let Some(kind) = Kind::from_abi(e.kind) else { continue };
        let expected = expected.next().ok_or(Reason::Differs("the extensions"))?;
        loaded.push(one(kind, &e, expected, descriptor.abi_minor)?);
    }
    if expected.next().is_some() {
        return Err(Reason::Differs("the extensions"));
    }
    if let Some(Loaded { table: Err(reason @ Reason::NullFunction { .. }), .. }) =
        loaded.iter().find(|e| matches!(e.table, Err(Reason::NullFunction { .. })))
    {
        return Err(reason.clone());
    }
    Ok(loaded)
}

/// Returns whether a text of the plugin equals `text`.
///
/// # Safety
/// `p` is null or points to a static text of the length that it states.
unsafe fn is_text(p: *const abi::Str, text: &str) -> bool {
    // SAFETY: the caller's promise.
    unsafe { p.as_ref().is_some_and(|s| s.len == text.len() && abi::text(p) == Some(text)) }
}

/// Compares an extension of the descriptor with the manifest: the host decided by the manifest whether to run the
/// plugin, so both must agree.
fn one(kind: Kind, e: &abi::Extension, expected: &ProvidedExtension, abi_minor: u32) -> Result<Loaded, Reason> {
    let differs = Err(Reason::Differs("the extensions"));
    // SAFETY: the plugin promises that the name points to a static text.
    if kind != expected.kind || unsafe { !is_text(e.name, &expected.name) } || e.n_aliases != expected.aliases.len() {
        return differs;
    }
    // SAFETY: the plugin promises that `aliases` points to `n_aliases` static texts.
    let aliases = unsafe { abi::slice(e.aliases, e.n_aliases) };
    // SAFETY: as above.
    if aliases.len() != e.n_aliases || aliases.iter().zip(&expected.aliases).any(|(a, s)| unsafe { !is_text(a, s) }) {
        return differs;
    }
    if e.caps & (abi::CAP_STRIDED | abi::CAP_LOSSY) != expected.known_caps() {
        return Err(Reason::Differs("the capabilities of the extensions"));
    }
    if (e.needs == 0) != expected.needs.is_empty() {
        return Err(Reason::Differs("the needs of the extensions"));
    }
    let name = expected.name.clone();
    let table = if e.needs != 0 {
        Err(Reason::Needs { extension: name.clone(), needs: expected.needs.join(", ") })
    } else if kind == Kind::StorageTransformer && abi_minor != abi::MINOR {
        Err(Reason::AbiMinor { found: abi_minor, wanted: abi::MINOR })
    } else {
        table(kind, &name, e.vtable)
    };
    Ok(Loaded { kind, name, strided: expected.has("strided"), table })
}

fn table(kind: Kind, name: &str, vtable: *const std::ffi::c_void) -> Result<Table, Reason> {
    macro_rules! copy {
        ($kind:ident) => {{
            // SAFETY: the plugin promises that it points to the static vtable of this kind, which begins with its size.
            let table = unsafe { abi::copied(vtable.cast::<abi::$kind>()) };
            let table = table.ok_or(Reason::Descriptor("an extension has no function table"))?;
            match table.lacks() {
                Some(function) => Err(Reason::NullFunction { extension: name.to_owned(), function }),
                None => Ok(Table::$kind(table)),
            }
        }};
    }
    match kind {
        Kind::DataType => copy!(DataType),
        Kind::ChunkGrid => copy!(ChunkGrid),
        Kind::ChunkKeyEncoding => copy!(ChunkKeyEncoding),
        Kind::ArrayToArray => copy!(ArrayToArray),
        Kind::ArrayToBytes => copy!(ArrayToBytes),
        Kind::BytesToBytes => copy!(BytesToBytes),
        Kind::StorageTransformer => copy!(StorageTransformer),
    }
}

/// Returns the plugin, and loads it first if it is not loaded yet.
pub(super) type Load = Arc<dyn Fn() -> Result<Arc<Plugin>, PluginError> + Send + Sync>;

/// Creates the registration of an extension whose plugin may not be loaded yet.
pub(super) fn registration(offered: &ProvidedExtension, manifest: &Manifest, file: &Path, load: Load) -> Registration {
    let (kind, name) = (offered.kind, offered.name.clone());
    macro_rules! constructor {
        ($kind:ident, $make:path) => {
            Constructor::$kind(Arc::new(move |extension, cx| {
                let make = || {
                    let plugin = load()?;
                    // Looked up in the loaded plugin, which may be a later version than the one that the search found.
                    let loaded = plugin.extension(kind, &name)?;
                    match &loaded.table {
                        Ok(Table::$kind(table)) => $make(plugin.guard(), table, loaded.strided, extension, cx),
                        Ok(_) => Err(plugin.guard().error(Reason::Differs("the extensions")).into()),
                        Err(reason) => Err(plugin.guard().error(reason.clone()).into()),
                    }
                };
                make().map_err(|e: zarr_core::Error| e.at_extension(kind.point(), extension.name()))
            }))
        };
    }
    let constructor = match kind {
        Kind::DataType => constructor!(DataType, data_type::make),
        Kind::ChunkGrid => constructor!(ChunkGrid, chunk_grid::make),
        Kind::ChunkKeyEncoding => constructor!(ChunkKeyEncoding, chunk_key_encoding::make),
        Kind::ArrayToArray => constructor!(ArrayToArray, array_to_array::make),
        Kind::ArrayToBytes => constructor!(ArrayToBytes, array_to_bytes::make),
        Kind::BytesToBytes => constructor!(BytesToBytes, bytes_to_bytes::make),
        Kind::StorageTransformer => constructor!(StorageTransformer, storage_transformer::make),
    };
    let origin = format!("plugin {} {}, {}", manifest.id, manifest.version, file.display());
    let registration = Registration::new(&offered.name, origin, constructor).with_provider(&manifest.id);
    let registration = offered.aliases.iter().fold(registration, Registration::with_alias);
    registration.with_lossy(offered.has("lossy"))
}
