//! A plugin's descriptor with untrusted numbers and texts. Its pointers are valid, which no host can check: each points
//! to the number of bytes that it claims, or is null.

use crate::heap::bounded;
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    cell::Cell,
    path::Path,
    ptr,
    sync::OnceLock,
};
use zarr_plugin_api::{
    abi,
    load::{Manifest, read_descriptor},
};

const TEXT: &str = r#"{"manifest":1,"id":"fuzz.one","version":"1.0.0","abi":{"major":1,"min_minor":0},"extensions":[
    {"kind":"bytes_to_bytes","name":"fuzz.a","aliases":["fuzz.b","fuzz.c"]},
    {"kind":"data_type","name":"fuzz.d","caps":["strided"]},
    {"kind":"storage_transformer","name":"fuzz.e"},
    {"kind":"not_known_yet","name":"fuzz.f"}]}"#;

fn manifest() -> &'static Manifest {
    static MANIFEST: OnceLock<Manifest> = OnceLock::new();
    MANIFEST.get_or_init(|| Manifest::parse(TEXT.as_bytes(), Path::new("fuzz")).expect("a manifest"))
}

/// The untrusted bytes. At their end there are only zeros, and a zero selects the correct value.
struct From<'d>(&'d [u8]);

impl From<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }
    fn number(&mut self) -> u64 {
        (0..8).fold(0, |n, _| n << 8 | u64::from(self.byte()))
    }
    /// Returns the correct value, one near it, or any value.
    fn instead_of(&mut self, right: u64) -> u64 {
        match self.byte() {
            0 => right,
            1 => right.wrapping_add(1),
            2 => right.wrapping_sub(1),
            3 => u64::from(self.byte()),
            _ => self.number(),
        }
    }
}

/// Memory of exactly the requested size, so that a sanitizer detects access to the first byte beyond it.
struct Exact(*mut u8, Layout);

impl Exact {
    fn new(bytes: &[u8], len: usize) -> Self {
        let layout = Layout::from_size_align(len.max(1), 8).expect("a small size");
        // SAFETY: the size is not zero.
        let at = unsafe { alloc_zeroed(layout) };
        assert!(!at.is_null(), "no memory");
        // SAFETY: both blocks have at least the smaller of the two sizes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len().min(len)) };
        Self(at, layout)
    }
}
impl Drop for Exact {
    fn drop(&mut self) {
        // SAFETY: `at` was allocated with this layout.
        unsafe { dealloc(self.0, self.1) }
    }
}

/// All memory that a descriptor points to.
#[derive(Default)]
struct Made(Vec<Exact>);

impl Made {
    fn keep<T>(&mut self, bytes: &[u8], len: usize) -> *const T {
        self.0.push(Exact::new(bytes, len));
        self.0.last().expect("one").0.cast_const().cast()
    }
    fn list<T: Copy>(&mut self, all: &[T]) -> *const T {
        self.keep(bytes_of(all), size_of_val(all))
    }
    /// Returns a struct that begins with its size, which may be smaller or larger than the true size.
    fn sized<T: Copy>(&mut self, from: &mut From<'_>, whole: T) -> *const T {
        if from.byte() == 255 {
            return ptr::null();
        }
        let size = from.instead_of(size_of::<T>() as u64) as u16 % 1024;
        let at: *const T = self.keep(bytes_of(&[whole]), usize::from(size).max(4));
        // SAFETY: there are at least four aligned bytes, and nothing else refers to them.
        unsafe { at.cast::<u32>().cast_mut().write(size.into()) };
        at
    }
    /// Returns a text, another one, or none. Another one may claim the length of the correct text.
    fn text(&mut self, from: &mut From<'_>, right: &[u8]) -> abi::Str {
        let mut text = right.to_vec();
        if from.byte() > 127 {
            text.iter_mut().for_each(|b| *b ^= from.byte());
        }
        let len = from.instead_of(right.len() as u64) as usize;
        let ptr = if from.byte() == 255 { ptr::null() } else { self.keep(&text, text.len()) };
        abi::Str { ptr, len }
    }
    fn at_text(&mut self, from: &mut From<'_>, right: &[u8]) -> *const abi::Str {
        let text = self.text(from, right);
        if from.byte() == 255 { ptr::null() } else { self.list(&[text]) }
    }
    /// Returns a table of functions that are never called: only whether they are null matters.
    fn vtable(&mut self, from: &mut From<'_>, kind: u32) -> *const std::ffi::c_void {
        let size = match kind {
            abi::EXTENSION_DATA_TYPE => size_of::<abi::DataType>(),
            abi::EXTENSION_STORAGE_TRANSFORMER => size_of::<abi::StorageTransformer>(),
            _ => size_of::<abi::BytesToBytes>(),
        };
        let mut table = vec![1_u8; size];
        if from.byte() > 127 {
            let lacking = usize::from(from.byte()) * 8 % size;
            table[lacking..lacking + 8].fill(0);
        }
        let stated = from.instead_of(size as u64) as u16 % 1024;
        table[..4].copy_from_slice(&u32::from(stated).to_ne_bytes());
        if from.byte() == 255 { ptr::null() } else { self.keep(&table, usize::from(stated).max(4)) }
    }
    fn extension(
        &mut self,
        from: &mut From<'_>,
        kind: u32,
        name: &str,
        aliases: &[&str],
        caps: u64,
    ) -> *const abi::Extension {
        let texts: Vec<abi::Str> = aliases.iter().map(|a| self.text(from, a.as_bytes())).collect();
        let whole = abi::Extension {
            struct_size: 0,
            kind: from.instead_of(kind.into()) as u32,
            caps: from.instead_of(caps),
            needs: from.instead_of(0),
            name: self.at_text(from, name.as_bytes()),
            aliases: if from.byte() == 255 { ptr::null() } else { self.list(&texts) },
            n_aliases: from.instead_of(aliases.len() as u64) as usize,
            vtable: self.vtable(from, kind),
        };
        self.sized(from, whole)
    }
    fn plugin(&mut self, from: &mut From<'_>) -> *const abi::Plugin {
        let extensions = [
            self.extension(from, abi::EXTENSION_BYTES_TO_BYTES, "fuzz.a", &["fuzz.b", "fuzz.c"], 0),
            self.extension(from, abi::EXTENSION_DATA_TYPE, "fuzz.d", &[], abi::CAP_STRIDED),
            self.extension(from, abi::EXTENSION_STORAGE_TRANSFORMER, "fuzz.e", &[], 0),
            self.extension(from, 1000, "fuzz.f", &[], 0),
        ];
        let whole = abi::Plugin {
            struct_size: 0,
            abi_minor: from.instead_of(0) as u32,
            magic: from.instead_of(u64::from_le_bytes(*b"ZARRPLG1")),
            id: self.at_text(from, manifest().id.as_bytes()),
            version: self.at_text(from, manifest().version.as_bytes()),
            extensions: if from.byte() == 255 { ptr::null() } else { self.list(&extensions) },
            n_extensions: from.instead_of(extensions.len() as u64) as usize,
            manifest: self.at_text(from, TEXT.as_bytes()).cast(),
        };
        self.sized(from, whole)
    }
}

fn bytes_of<T: Copy>(all: &[T]) -> &[u8] {
    // SAFETY: structs of the interface have no padding, which tests of the interface check; their bytes may be read.
    unsafe { std::slice::from_raw_parts(all.as_ptr().cast(), size_of_val(all)) }
}

thread_local! {
    static ANSWER: Cell<*const abi::Plugin> = const { Cell::new(ptr::null()) };
    static MESSAGE: Cell<abi::Str> = const { Cell::new(abi::Str { ptr: ptr::null(), len: 0 }) };
}

/// Returns the descriptor, or an error with any text.
unsafe extern "C" fn entry(_: *const abi::Host, call: *const abi::Call) -> *const abi::Plugin {
    let (answer, message) = (ANSWER.get(), MESSAGE.get());
    if answer.is_null() {
        // SAFETY: the host's call is alive; its function accepts any text with a correct length.
        unsafe {
            if let Some(set_error) = (*call).set_error {
                set_error(call, message.len as i32, &raw const message, ptr::null());
            }
        }
    }
    answer
}

/// Reads the result of an entry function, or refuses it.
pub fn descriptor(data: &[u8]) {
    bounded(|| {
        let mut made = Made::default();
        ANSWER.set(made.plugin(&mut From(data)));
        MESSAGE.set(abi::Str { ptr: data.as_ptr(), len: data.len() });
        let read = read_descriptor(entry, manifest(), TEXT.as_bytes());
        assert!(!data.iter().all(|b| *b == 0) || matches!(read, Ok(3)), "the right descriptor: {read:?}");
        assert!(read.is_ok() || read.is_err_and(|reason| !reason.to_string().is_empty()));
    });
}
