//! The header `include/zarr_plugin.h` in Rust: the same structs, with `zp_bytes_to_bytes` named [`BytesToBytes`], and
//! so on.
//!
//! The contract is in the header; nothing here adds to it.

mod vtables;

pub use vtables::*;

use std::ffi::c_void;

/// The result of a function. Only [`OK`] is success.
pub type Status = i32;

/// The text of the header, for programs that hand it to authors of plugins.
pub const HEADER: &str = include_str!("../../include/zarr_plugin.h");

#[cfg(feature = "load")]
pub(crate) const MAJOR: u32 = 1;
pub(crate) const MINOR: u32 = 0;
/// The bytes `ZARRPLG1`.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"ZARRPLG1");
/// The name of the only function that a plugin exports.
#[cfg(feature = "load")]
pub const ENTRY: &str = "zarr_plugin_entry_v1";

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident = $value:literal $ty:ty;)*) => { $( $(#[$doc])* #[allow(missing_docs)] pub const $name: $ty = $value; )* };
}
constants! {
    OK = 0 Status;
    E_CONFIGURATION = 1 Status;
    E_UNSUPPORTED = 2 Status;
    E_DATA = 3 Status;
    E_LIMIT = 4 Status;
    E_SUSPENDED = 5 Status;
    E_MISSING = 6 Status;
    E_FILL_VALUE = 7 Status;
    E_ARGUMENT = 8 Status;
    E_IO = 9 Status;
    E_ABILITY = 10 Status;
    E_INTERNAL = 11 Status;
    E_PANIC = 12 Status;
    SIZE_UNKNOWN = 0 u32;
    SIZE_AT_MOST = 1 u32;
    SIZE_EXACT = 2 u32;
    RANGE_SLICE = 0 u32;
    RANGE_FROM = 1 u32;
    RANGE_SUFFIX = 2 u32;
    RANGE_ALL = 3 u32;
    OPTION_STORE_FILL = 1 u32;
    ORDER_ROW_MAJOR = 0 u32;
    ORDER_COLUMN_MAJOR = 1 u32;
    ORDER_MORTON = 2 u32;
    OUT_FIXED = 1 u32;
    OUT_ALIAS = 2 u32;
    KIND_BOOL = 1 u32;
    KIND_INT = 2 u32;
    KIND_UINT = 3 u32;
    KIND_FLOAT = 4 u32;
    KIND_RAW = 5 u32;
    FORM_FIXED = 1 u32;
    FORM_STRUCT = 2 u32;
    FORM_BYTES = 3 u32;
    FORM_TEXT = 4 u32;
    INTENT_OPEN = 0 u32;
    INTENT_CREATE = 1 u32;
    ABILITY_PARTIAL = 1 u64;
    ABILITY_UPDATE = 2 u64;
    ABILITY_DECODED_READ = 4 u64;
    PLAN_COPY = 0 u32;
    PLAN_PERMUTE = 1 u32;
    PLAN_IN_PLACE = 2 u32;
    AXIS_NONE = 0 u32;
    AXIS_REGULAR = 1 u32;
    AXIS_LENGTHS = 2 u32;
    STORE_READ = 1 u32;
    STORE_WRITE = 2 u32;
    STORE_LIST = 4 u32;
    EXTENSION_DATA_TYPE = 1 u32;
    EXTENSION_CHUNK_GRID = 2 u32;
    EXTENSION_CHUNK_KEY_ENCODING = 3 u32;
    EXTENSION_ARRAY_TO_ARRAY = 4 u32;
    EXTENSION_ARRAY_TO_BYTES = 5 u32;
    EXTENSION_BYTES_TO_BYTES = 6 u32;
    EXTENSION_STORAGE_TRANSFORMER = 7 u32;
    CAP_STRIDED = 1 u64;
    CAP_LOSSY = 2 u64;
}

/// A struct of the ABI: its name in the header, its size, and the offset and size of each member.
#[derive(Debug)]
pub struct Struct {
    /// The name of the struct in C.
    pub name: &'static str,
    /// The size of the struct in bytes.
    pub size: usize,
    /// The name of each member, and its offset and size in bytes.
    pub members: &'static [(&'static str, usize, usize)],
}

/// A struct that states its own size.
///
/// # Safety
/// The struct is `repr(C)`, its first member is `struct_size: u32`, and all zeros are a valid value.
pub(crate) unsafe trait Sized32: Copy {}

macro_rules! declare {
    ($table:ident: $($(#[$marker:ident])? $cname:literal $name:ident { $($field:ident: $ty:ty,)* })*) => {
        $(
            #[doc = concat!("`", $cname, "`")]
            #[repr(C)]
            #[derive(Debug, Clone, Copy)]
            #[allow(missing_docs)]
            pub struct $name { $(pub $field: $ty,)* }
            $($crate::abi::declare!(@$marker $name);)?
        )*
        pub(crate) const $table: &[$crate::abi::Struct] = &[$($crate::abi::Struct {
            name: $cname,
            size: size_of::<$name>(),
            members: &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$ty>()),)*],
        },)*];
    };
    (@sized $name:ident) => {
        // SAFETY: the first member is `struct_size: u32`; the others are integers, pointers and optional functions.
        unsafe impl $crate::abi::Sized32 for $name {}
    };
}
pub(crate) use declare;

declare! { VALUES:
    "zp_str" Str { ptr: *const u8, len: usize, }
    "zp_bytes" Bytes { ptr: *const u8, len: usize, }
    "zp_size" Size { kind: u32, reserved0: u32, bytes: u64, }
    "zp_range" Range { kind: u32, reserved0: u32, start: u64, len: u64, }
    #[sized] "zp_options" Options {
        struct_size: u32, flags: u32, inner_chunk_order: u32, reserved0: u32, roots: *const Str, n_roots: usize,
    }
    #[sized] "zp_call" Call {
        struct_size: u32, max_threads: u32, chunk_limit: u64, options: *const Options, host: *mut c_void,
        set_error: Option<unsafe extern "C" fn(*const Call, Status, *const Str, *const Str)>,
        scratch: Option<unsafe extern "C" fn(*const Call, usize) -> *mut c_void>,
        join: Option<unsafe extern "C" fn(*const Call, Run, *mut c_void, *mut c_void)>,
    }
    #[sized] "zp_out" Out {
        struct_size: u32, flags: u32, data: *mut u8, len: usize, cap: usize, max_len: u64, host: *mut c_void,
        reserve: Option<unsafe extern "C" fn(*mut Out, *const Call, usize, usize) -> Status>,
    }
    #[sized] "zp_reader" Reader {
        struct_size: u32, flags: u32, gap: u64, size: u64, host: *mut c_void,
        read: Option<unsafe extern "C" fn(*const Reader, *const Call, *const Range, usize, Each, *mut c_void) -> Status>,
        read_into: Option<unsafe extern "C" fn(*const Reader, *const Call, *const Range, *mut u8, usize) -> Status>,
        in_memory: Option<unsafe extern "C" fn(*const Reader, *mut usize) -> *const u8>,
        memo: Option<MemoFn>,
        release: Option<unsafe extern "C" fn(*mut Reader)>,
    }
    #[sized] "zp_field" Field { struct_size: u32, kind: u32, width: u32, components: u32, name: *const Str, }
    #[sized] "zp_layout" Layout {
        struct_size: u32, form: u32, kind: u32, width: u32, components: u32, reserved0: u32,
        fields: *const *const Field, n_fields: usize,
    }
    #[sized] "zp_representation" Representation {
        struct_size: u32, rank: u32, layout: *const Layout, label: *const Str, shape: *const u64, fill: *const Bytes,
        data_type_json: *const Bytes, data_type: *const DataType, data_type_self: *const c_void,
    }
    #[sized] "zp_array" Array {
        struct_size: u32, rank: u32, data: *mut u8, shape: *const u64, strides: *const i64, element_size: usize,
        offsets: *const u64, bytes_out: *mut Out, offsets_out: *mut Out,
    }
    #[sized] "zp_host" Host { struct_size: u32, abi_minor: u32, name: *const Str, version: *const Str, }
    #[sized] "zp_site" Site {
        struct_size: u32, intent: u32, depth: u32, reserved0: u32, name: *const Str, configuration: *const Bytes,
        representation: *const Representation, size: *const Size,
    }
    #[sized] "zp_axis" Axis { struct_size: u32, kind: u32, regular: u64, lengths: *const u64, n_lengths: usize, }
    #[sized] "zp_extension" Extension {
        struct_size: u32, kind: u32, caps: u64, needs: u64, name: *const Str, aliases: *const Str, n_aliases: usize,
        vtable: *const c_void,
    }
    #[sized] "zp_plugin" Plugin {
        struct_size: u32, abi_minor: u32, magic: u64, id: *const Str, version: *const Str,
        extensions: *const *const Extension, n_extensions: usize, manifest: *const Bytes,
    }
}

/// The function that `zp_call.join` runs.
pub type Run = Option<unsafe extern "C" fn(*mut c_void)>;
/// `zp_each`: receives the bytes of one range.
pub type Each = Option<unsafe extern "C" fn(*mut c_void, usize, *const u8, usize) -> Status>;
/// `zp_make`: creates a value to be cached.
pub type MakeMemo = Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> Status>;
/// `zp_change`: computes the new value of a key.
pub type Change = Option<unsafe extern "C" fn(*mut c_void, *const Call, *const Reader, *mut Bytes, *mut u32) -> Status>;
/// `zp_found`: receives one value, key or prefix.
pub type Found = Option<unsafe extern "C" fn(*mut c_void, usize, u32, *const u8, usize) -> Status>;
/// The type of `zp_reader.memo`.
pub type MemoFn = unsafe extern "C" fn(
    *const Reader,
    *const Call,
    *const c_void,
    u64,
    MakeMemo,
    *mut c_void,
    Option<unsafe extern "C" fn(*mut c_void)>,
    *mut *mut c_void,
) -> Status;
/// The type of `zarr_plugin_entry_v1`.
pub type Entry = unsafe extern "C" fn(*const Host, *const Call) -> *const Plugin;

// SAFETY: everything that static descriptors point to is static and never written.
unsafe impl Sync for Str {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Extension {}
// SAFETY: as above.
unsafe impl Sync for Plugin {}

/// Returns a description of every struct of the ABI.
pub fn structs() -> impl Iterator<Item = &'static Struct> {
    VALUES.iter().chain(TABLES).chain(STORES)
}

impl Str {
    /// Describes a text, which must outlive the call that it is passed to.
    pub const fn new(text: &str) -> Self {
        Self { ptr: text.as_ptr(), len: text.len() }
    }
}
impl Bytes {
    /// Describes bytes, which must outlive the call that they are passed to.
    pub const fn new(bytes: &[u8]) -> Self {
        Self { ptr: bytes.as_ptr(), len: bytes.len() }
    }
}

/// Returns the size of a struct as its `struct_size` states it.
pub(crate) const fn size32<T>() -> u32 {
    size_of::<T>() as u32
}

/// Copies a struct over zeros. The other side may have built it shorter or longer: members that it lacks are null.
///
/// # Safety
/// `p` is null or points to a struct that begins with its true `struct_size`.
pub(crate) unsafe fn copied<T: Sized32>(p: *const T) -> Option<T> {
    if p.is_null() {
        return None;
    }
    // SAFETY: it is not null, so at least `struct_size` is there; the read does not assume an alignment.
    let stated = unsafe { p.cast::<u32>().read_unaligned() } as usize;
    if stated < size_of::<u32>() {
        return None;
    }
    let mut copy = std::mem::MaybeUninit::<T>::zeroed();
    // A member that is only partly there counts as absent, because half of a pointer cannot be used.
    let whole = if stated < size_of::<T>() { stated & !(size_of::<u64>() - 1) } else { size_of::<T>() };
    let known = whole.max(size_of::<u32>());
    // SAFETY: both have at least `known` bytes; all zeros, and any prefix copied over them, are a `T`, see `Sized32`.
    unsafe {
        std::ptr::copy_nonoverlapping(p.cast::<u8>(), copy.as_mut_ptr().cast::<u8>(), known);
        copy.as_mut_ptr().cast::<u32>().write(known as u32);
        Some(copy.assume_init())
    }
}

/// Returns a struct of zeros for the other side to fill, with the size that this side knows.
pub(crate) fn blank<T: Sized32>() -> T {
    let mut blank = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: all zeros are a `T`, and it begins with its size, see `Sized32`.
    unsafe {
        blank.as_mut_ptr().cast::<u32>().write(size32::<T>());
        blank.assume_init()
    }
}

/// Fills a struct of the other side, up to the size that the other side knows.
///
/// # Safety
/// `to` points to a struct that begins with its true `struct_size` and that is not accessed elsewhere in the meantime.
pub(crate) unsafe fn fill<T: Sized32>(to: *mut T, mut value: T) {
    // SAFETY: the caller's promise.
    let room = unsafe { to.cast::<u32>().read_unaligned() };
    let known = room.min(size32::<T>());
    // SAFETY: both have at least `known` bytes, and a `T` begins with its size.
    unsafe {
        (&raw mut value).cast::<u32>().write(known);
        std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), to.cast::<u8>(), known as usize);
    }
}

/// Reads a member of a struct of the other side; `None` if the struct is null or ends before the member. Only that
/// member is read: copying a whole struct just after its members were written stalls the processor.
macro_rules! member {
    ($p:expr, $struct:ident.$member:ident) => {{
        let p: *const $crate::abi::$struct = $p;
        let end = std::mem::offset_of!($crate::abi::$struct, $member)
            + $crate::abi::size_of_member(|s: &$crate::abi::$struct| &s.$member);
        // SAFETY: the pointer is not null, so the size can be read; the member is there if it lies within the size.
        if !p.is_null() && unsafe { (*p).struct_size } as usize >= end { Some(unsafe { (*p).$member }) } else { None }
    }};
}
pub(crate) use member;

/// Returns the size of the member that a function selects.
pub(crate) const fn size_of_member<S, M>(_: fn(&S) -> &M) -> usize {
    size_of::<M>()
}

/// Returns false if these cannot be the pointer and length of an array of `T`.
fn is_array<T>(ptr: *const T, len: usize) -> bool {
    let bytes = len.checked_mul(size_of::<T>());
    !ptr.is_null() && ptr.is_aligned() && bytes.is_some_and(|n| n <= isize::MAX as usize)
}

/// Returns the array that the other side passes; an empty one if the pointer and length cannot be those of an array.
///
/// # Safety
/// If `len` is not 0 and `ptr` is not null, `ptr` points to `len` values that are not written during `'a`.
pub(crate) unsafe fn slice<'a, T>(ptr: *const T, len: usize) -> &'a [T] {
    if len == 0 || !is_array(ptr, len) {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(ptr, len) }
}

/// As [`slice`], but writable.
///
/// # Safety
/// As [`slice`], and the values are not read elsewhere during `'a` either.
pub(crate) unsafe fn slice_mut<'a, T>(ptr: *mut T, len: usize) -> &'a mut [T] {
    if len == 0 || !is_array(ptr, len) {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(ptr, len) }
}

/// Returns the bytes that the other side passes; `None` for null.
///
/// # Safety
/// `p` is null or points to a `zp_bytes` whose bytes are not written during `'a`.
pub(crate) unsafe fn bytes<'a>(p: *const Bytes) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { p.as_ref().map(|b| slice(b.ptr, b.len)) }
}

/// Returns the text that the other side passes; `None` if it is null or not UTF-8.
///
/// # Safety
/// `p` is null or points to a `zp_str` whose bytes are not written during `'a`.
pub(crate) unsafe fn text<'a>(p: *const Str) -> Option<&'a str> {
    // SAFETY: the caller's promise.
    let s = unsafe { p.as_ref() }?;
    // SAFETY: as above.
    let bytes = unsafe { slice(s.ptr, s.len) };
    std::str::from_utf8(bytes).ok().filter(|text| text.len() == s.len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fuzzing found that copying a struct which ended within a pointer returned half of the pointer.
    #[test]
    fn partial_members_count_as_absent() {
        let name = Str::new("text");
        let mut whole = Host { struct_size: 0, abi_minor: 7, name: &raw const name, version: &raw const name };
        for stated in 0..2 * size32::<Host>() {
            whole.struct_size = stated;
            // SAFETY: the struct has as many bytes as it states, or more than `copied` reads.
            let copy = unsafe { copied(&raw const whole) };
            assert_eq!(copy.is_some(), stated >= 4);
            let Some(copy) = copy else { continue };
            assert_eq!(copy.abi_minor, if stated >= 8 { 7 } else { 0 });
            assert_eq!(copy.name, if stated >= 16 { whole.name } else { std::ptr::null() });
            assert_eq!(copy.version, if stated >= 24 { whole.version } else { std::ptr::null() });
            assert!(copy.struct_size <= stated && copy.struct_size <= size32::<Host>());
        }
    }
}
