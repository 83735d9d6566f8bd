//! The descriptor that the entry function gives: read with care, copied, compared with the manifest.

use super::{
    Kind, Manifest, Offered, Plugin, PluginError, Reason, array_to_array, array_to_bytes, bytes_to_bytes, chunk_grid,
    chunk_key_encoding, data_type, plugin, storage_transformer,
};
use crate::abi;
use std::{collections::BTreeSet, path::Path, sync::Arc};
use zarr_core::registry::{Constructor, Registration};

/// An extension of a loaded plugin.
pub(crate) struct Loaded {
    pub(super) kind: Kind,
    pub(super) name: String,
    aliases: Vec<String>,
    caps: u64,
    needs: u64,
    pub(super) table: Result<Table, Reason>,
}

/// A vtable, copied over zeros.
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

/// More extensions than this no plugin has.
const MAX_EXTENSIONS: usize = 4096;

/// Asks the entry function, and checks its answer.
pub(super) fn read(entry: abi::Entry, manifest: &Manifest, embedded: &[u8]) -> Result<Vec<Loaded>, Reason> {
    let descriptor = plugin::enter(entry)?;
    if descriptor.magic != abi::MAGIC {
        return Err(Reason::Magic);
    }
    if (descriptor.struct_size as usize) < size_of::<abi::Plugin>() {
        return Err(Reason::Descriptor("it is shorter than version 1.0 of it"));
    }
    // SAFETY: the plugin says that these point to static texts; what is null or no UTF-8 is found.
    let (id, version) = unsafe { (abi::text(descriptor.id), abi::text(descriptor.version)) };
    if id != Some(&manifest.id) {
        return Err(Reason::Differs("its id"));
    }
    if version != Some(&manifest.version) {
        return Err(Reason::Differs("its version"));
    }
    // SAFETY: as above, for bytes.
    let text = unsafe { descriptor.manifest.as_ref().map(|m| abi::slice(m.ptr, m.len)) };
    if text != Some(embedded) {
        return Err(Reason::Differs("the manifest that it contains"));
    }
    if descriptor.n_extensions > MAX_EXTENSIONS || descriptor.extensions.is_null() {
        return Err(Reason::Descriptor("it has no list of extensions"));
    }
    let mut loaded = Vec::new();
    let mut names = BTreeSet::new();
    // SAFETY: the plugin says that there are so many pointers.
    for &e in unsafe { abi::slice(descriptor.extensions, descriptor.n_extensions) } {
        let e = one(e, descriptor.abi_minor)?;
        for name in std::iter::once(&e.name).chain(&e.aliases) {
            if !names.insert((e.kind.point(), name.clone())) {
                return Err(Reason::Duplicate(name.clone()));
            }
        }
        loaded.push(e);
    }
    compare(&loaded, manifest)?;
    if let Some(Loaded { table: Err(reason @ Reason::NullFunction { .. }), .. }) =
        loaded.iter().find(|e| matches!(e.table, Err(Reason::NullFunction { .. })))
    {
        return Err(reason.clone());
    }
    Ok(loaded)
}

fn one(e: *const abi::Extension, abi_minor: u32) -> Result<Loaded, Reason> {
    // SAFETY: the plugin says that it points to a static extension, which begins with its size.
    let e = unsafe { abi::copied(e) }.ok_or(Reason::Descriptor("an extension is null"))?;
    let kind = Kind::from_abi(e.kind).ok_or(Reason::Descriptor("an extension has an unknown kind"))?;
    let bad_name = Reason::Descriptor("an extension has a name that is no text");
    // SAFETY: as above.
    let name = unsafe { abi::text(e.name) }.ok_or_else(|| bad_name.clone())?.to_owned();
    // SAFETY: as above.
    let aliases = unsafe { abi::slice(e.aliases, e.n_aliases.min(MAX_EXTENSIONS)) };
    // SAFETY: as above.
    let aliases: Option<Vec<String>> = aliases.iter().map(|a| unsafe { abi::text(a) }.map(str::to_owned)).collect();
    let aliases = aliases.ok_or(bad_name)?;
    let needs = |needs: String| Err(Reason::Needs { extension: name.clone(), needs });
    let table = if e.needs != 0 {
        needs(format!("{:#x}", e.needs))
    } else if kind == Kind::StorageTransformer && abi_minor != abi::MINOR {
        Err(Reason::AbiMinor { found: abi_minor, wanted: abi::MINOR })
    } else {
        table(kind, &name, e.vtable)
    };
    Ok(Loaded { kind, name, aliases, caps: e.caps, needs: e.needs, table })
}

fn table(kind: Kind, name: &str, vtable: *const std::ffi::c_void) -> Result<Table, Reason> {
    macro_rules! copy {
        ($kind:ident) => {{
            // SAFETY: the plugin says that it points to the static vtable of the kind, which begins with its size.
            let table = unsafe { abi::copied(vtable.cast::<abi::$kind>()) };
            let table = table.ok_or(Reason::Descriptor("an extension has no functions"))?;
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

/// A host trusts the manifest before it runs the plugin, so the two must say the same.
fn compare(loaded: &[Loaded], manifest: &Manifest) -> Result<(), Reason> {
    if loaded.len() != manifest.extensions.len() {
        return Err(Reason::Differs("the number of extensions"));
    }
    for (e, said) in loaded.iter().zip(&manifest.extensions) {
        if (e.kind, &e.name, &e.aliases) != (said.kind, &said.name, &said.aliases) {
            return Err(Reason::Differs("its extensions"));
        }
        if e.caps & (abi::CAP_STRIDED | abi::CAP_LOSSY) != said.known_caps() {
            return Err(Reason::Differs("what its extensions can do"));
        }
        if (e.needs == 0) != said.needs.is_empty() {
            return Err(Reason::Differs("what its extensions need"));
        }
    }
    Ok(())
}

/// Gives the plugin, loading it if nobody has.
pub(super) type Load = Arc<dyn Fn() -> Result<Arc<Plugin>, PluginError> + Send + Sync>;

/// The registration of an extension whose plugin may not be loaded yet.
pub(super) fn registration(offered: &Offered, manifest: &Manifest, file: &Path, load: Load) -> Registration {
    let (kind, name) = (offered.kind, offered.name.clone());
    let strided = offered.has("strided");
    macro_rules! constructor {
        ($kind:ident, $make:path) => {
            Constructor::$kind(Arc::new(move |extension, site| {
                let plugin = load()?;
                match &plugin.extension(kind, &name)?.table {
                    Ok(Table::$kind(table)) => $make(&plugin, table, strided, extension, site),
                    Ok(_) => Err(plugin.error(Reason::Differs("its extensions")).into()),
                    Err(reason) => Err(plugin.error(reason.clone()).into()),
                }
                .map_err(|e: zarr_core::Error| e.at_extension(kind.point(), extension.name()))
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
