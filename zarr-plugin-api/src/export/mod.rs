//! The plugin's side: [`export_plugin!`](crate::export_plugin), and the items that it expands to.
//!
//! All extensions of one kind share the functions of their vtables, except for `create`, which depends on the type.

mod array_to_array;
mod array_to_bytes;
mod bytes_to_bytes;
mod chunk_grid;
mod chunk_key_encoding;
mod data_type;
mod instance;
mod manifest;
mod storage_transformer;

pub use array_to_array::ArrayToArray;
pub use array_to_bytes::ArrayToBytes;
pub use bytes_to_bytes::BytesToBytes;
pub use chunk_grid::ChunkGrid;
pub use chunk_key_encoding::ChunkKeyEncoding;
pub use data_type::DataType;
pub use manifest::{Embedded, Info, ProvidedExtension};
pub use storage_transformer::StorageTransformer;

use crate::abi::Str;

/// The maximum number of aliases of an extension.
pub(crate) const MAX_ALIASES: usize = 8;

/// Returns the aliases of an extension in the form of the ABI.
pub(crate) const fn aliases(of: &[&str]) -> [Str; MAX_ALIASES] {
    assert!(of.len() <= MAX_ALIASES, "an extension has at most 8 aliases");
    let mut aliases = [const { Str::new("") }; MAX_ALIASES];
    let mut i = 0;
    while i < of.len() {
        aliases[i] = Str::new(of[i]);
        i += 1;
    }
    aliases
}

/// Declares the type that `export_plugin!` uses for a kind of extension.
macro_rules! kind {
    ($(#[$doc:meta])* $name:ident, $word:literal, $bound:path, $kind:expr, $caps:expr) => {
        $(#[$doc])*
        pub struct $name<T>(std::marker::PhantomData<T>);

        impl<T: zarr_core::registry::ExtensionType + $bound> $name<T> {
            const ALIASES: [$crate::abi::Str; $crate::export::MAX_ALIASES] = {
                assert!(!T::FAMILY, "a plugin cannot provide a family of names");
                $crate::export::aliases(T::ALIASES)
            };
            /// The extension in the plugin's descriptor.
            pub const EXTENSION: &'static $crate::abi::Extension = &$crate::abi::Extension {
                struct_size: $crate::abi::size32::<$crate::abi::Extension>(),
                kind: $kind,
                caps: $caps | if T::LOSSY { $crate::abi::CAP_LOSSY } else { 0 },
                needs: 0,
                name: &const { $crate::abi::Str::new(T::NAME) },
                aliases: (&raw const *&Self::ALIASES).cast(),
                n_aliases: T::ALIASES.len(),
                vtable: (&raw const *Self::VTABLE).cast(),
            };
            /// The extension in the plugin's manifest.
            pub const OFFERED: $crate::export::ProvidedExtension = $crate::export::ProvidedExtension {
                kind: $word,
                name: T::NAME,
                aliases: T::ALIASES,
                strided: $caps & $crate::abi::CAP_STRIDED != 0,
                lossy: T::LOSSY,
            };
        }
    };
}
pub(crate) use kind;

/// Exports extensions as a plugin: `export_plugin! { id: "org.example.mine", BytesToBytes: [Mine], DataType: [A, B] }`.
///
/// A kind is the name of the trait that the types implement. A crate can use the macro once.
///
/// Programs that link the crate statically also get the extensions, as with [`register!`](zarr_core::register). If the
/// crate's own cargo feature `plugin` is enabled, its `cdylib` exports the entry function and contains the manifest, so
/// that any host of the ABI can load it.
#[macro_export]
macro_rules! export_plugin {
    (id: $id:literal, $($kind:ident: [$($type:ty),+ $(,)?]),+ $(,)?) => {
        $($($crate::zarr_core::register!($kind: $type);)+)+

        #[cfg(feature = "plugin")]
        const _: () = {
            #[cfg(panic = "abort")]
            compile_error!("a plugin must not be built with `panic = \"abort\"`: its panics would abort the program");

            const INFO: $crate::export::Info = $crate::export::Info {
                id: $id,
                version: env!("CARGO_PKG_VERSION"),
                license: env!("CARGO_PKG_LICENSE"),
                offered: &[$($($crate::export::$kind::<$type>::OFFERED,)+)+],
            };
            #[used]
            static MANIFEST: $crate::export::Embedded<{ INFO.len() }> = $crate::export::Embedded::new(&INFO);
            static EXTENSIONS: $crate::export::Extensions<{ INFO.offered.len() }> =
                $crate::export::Extensions([$($($crate::export::$kind::<$type>::EXTENSION,)+)+]);
            static TEXT: $crate::abi::Bytes = $crate::abi::Bytes::new(&MANIFEST.text);
            static ID: $crate::abi::Str = $crate::abi::Str::new(INFO.id);
            static VERSION: $crate::abi::Str = $crate::abi::Str::new(INFO.version);
            static PLUGIN: $crate::abi::Plugin = $crate::export::plugin(&ID, &VERSION, &EXTENSIONS.0, &TEXT);

            #[unsafe(no_mangle)]
            extern "C" fn zarr_plugin_entry_v1(
                _: *const $crate::abi::Host,
                _: *const $crate::abi::Call,
            ) -> *const $crate::abi::Plugin {
                &raw const PLUGIN
            }
        };
    };
}

/// The extensions in the descriptor of a plugin.
pub struct Extensions<const N: usize>(#[doc(hidden)] pub [*const crate::abi::Extension; N]);
// SAFETY: it contains pointers to static data that is never written.
unsafe impl<const N: usize> Sync for Extensions<N> {}

/// Builds the descriptor of a plugin.
#[doc(hidden)]
pub const fn plugin(
    id: &'static Str,
    version: &'static Str,
    extensions: &'static [*const crate::abi::Extension],
    manifest: &'static crate::abi::Bytes,
) -> crate::abi::Plugin {
    crate::abi::Plugin {
        struct_size: crate::abi::size32::<crate::abi::Plugin>(),
        abi_minor: crate::abi::MINOR,
        magic: crate::abi::MAGIC,
        id,
        version,
        extensions: extensions.as_ptr(),
        n_extensions: extensions.len(),
        manifest,
    }
}
