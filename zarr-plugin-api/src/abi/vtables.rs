//! The vtables. Each begins with the members of `ZP_HEAD`.

use super::{
    Array, Axis, Bytes, Call, Change, Each, Found, Host, Layout, Out, Range, Reader, Representation, Site, Size,
    Sized32, Status, Str, Struct,
};
use std::ffi::c_void;

type Slf = *const c_void;

/// `ZP_HEAD`: the first members of every vtable.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Head {
    pub struct_size: u32,
    pub reserved0: u32,
    pub create: Option<unsafe extern "C" fn(*const Host, *const Call, *const Site, *mut *mut c_void) -> Status>,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub configuration: Option<unsafe extern "C" fn(Slf, *const Call, *mut Out) -> Status>,
    pub abilities: Option<unsafe extern "C" fn(Slf, *mut u64) -> Status>,
}

macro_rules! vtables {
    ($($cname:literal $name:ident { $($need:ident $field:ident: fn($($arg:ty),*) -> $ret:ty;)* })*) => {
        $(
            #[doc = concat!("`", $cname, "`")]
            #[repr(C)]
            #[derive(Debug, Clone, Copy)]
            #[allow(missing_docs)]
            pub struct $name { pub head: Head, $(pub $field: Option<unsafe extern "C" fn($($arg),*) -> $ret>,)* }
            // SAFETY: `head` begins with `struct_size: u32`; the others are integers and optional functions.
            unsafe impl Sized32 for $name {}
            #[cfg(feature = "load")]
            impl $name {
                /// Returns the name of a required function that is null, if there is one.
                pub(crate) fn lacks(&self) -> Option<&'static str> {
                    let head = [
                        ("create", self.head.create.is_none()),
                        ("destroy", self.head.destroy.is_none()),
                        ("configuration", self.head.configuration.is_none()),
                    ];
                    let own = [$((stringify!($field), stringify!($need) == "required" && self.$field.is_none()),)*];
                    head.into_iter().chain(own).find(|(_, lacks)| *lacks).map(|(name, _)| name)
                }
            }
        )*
        pub(crate) const TABLES: &[Struct] = &[$(Struct {
            name: $cname,
            size: size_of::<$name>(),
            members: &[
                ("struct_size", std::mem::offset_of!($name, head.struct_size), 4),
                ("reserved0", std::mem::offset_of!($name, head.reserved0), 4),
                ("create", std::mem::offset_of!($name, head.create), size_of::<usize>()),
                ("destroy", std::mem::offset_of!($name, head.destroy), size_of::<usize>()),
                ("configuration", std::mem::offset_of!($name, head.configuration), size_of::<usize>()),
                ("abilities", std::mem::offset_of!($name, head.abilities), size_of::<usize>()),
                $((stringify!($field), std::mem::offset_of!($name, $field), size_of::<usize>()),)*
            ],
        },)*];
    };
}

vtables! {
    "zp_bytes_to_bytes" BytesToBytes {
        required encoded_size: fn(Slf, *const Size, *mut Size) -> Status;
        required encode: fn(Slf, *const Call, *const Bytes, *mut Out) -> Status;
        required decode: fn(Slf, *const Call, *const Bytes, *mut Out) -> Status;
        optional decoded_read: fn(Slf, *const Call, *const Reader, *const Range, usize, Each, *mut c_void) -> Status;
    }
    "zp_array_to_bytes" ArrayToBytes {
        required encoded_size: fn(Slf, *mut Size) -> Status;
        required encode: fn(Slf, *const Call, *const Array, *mut Out) -> Status;
        required decode: fn(Slf, *const Call, *const Bytes, *const Array) -> Status;
        optional partial_decode: fn(Slf, *const Call, *const Reader, *const u64, *const u64, *const Array) -> Status;
        optional update: fn(Slf, *const Call, *const Reader, *const u64, *const u64, *const Array, *mut Out, *mut u32) -> Status;
        optional raw: fn(Slf, *mut u64) -> Status;
        optional inner_chunk_shape: fn(Slf, *mut *const u64) -> Status;
    }
    "zp_array_to_array" ArrayToArray {
        required encoded_representation: fn(Slf, *const Call, *mut Representation) -> Status;
        required encode: fn(Slf, *const Call, *const Array, *const Array) -> Status;
        required decode: fn(Slf, *const Call, *const Array, *const Array) -> Status;
        optional plan: fn(Slf, *mut u32, *mut *const u64) -> Status;
        optional decode_in_place: fn(Slf, *const Call, *const Array) -> Status;
        optional encoded_region: fn(Slf, *const u64, *const u64, *mut u64, *mut u64, *mut u32) -> Status;
    }
    "zp_data_type" DataType {
        required layout: fn(Slf, *mut Layout) -> Status;
        required fill_from_json: fn(Slf, *const Call, *const Bytes, *mut Out) -> Status;
        required fill_to_json: fn(Slf, *const Call, *const Bytes, *mut Out) -> Status;
        optional default_fill: fn(Slf, *const Call, *mut Out) -> Status;
        optional check_elements: fn(Slf, *const Call, *const Bytes) -> Status;
    }
    "zp_chunk_grid" ChunkGrid {
        required grid_shape: fn(Slf, *const Call, *const u64, u32, *mut u64) -> Status;
        required cell: fn(Slf, *const Call, *const u64, u32, *const u64, *mut u64, *mut u64) -> Status;
        required cell_of: fn(Slf, *const Call, *const u64, u32, *const u64, *mut u64) -> Status;
        optional axis: fn(Slf, u32, *mut Axis) -> Status;
        optional resized: fn(Slf, *const Call, *const u64, *const u64, u32, *mut Out) -> Status;
    }
    "zp_chunk_key_encoding" ChunkKeyEncoding {
        required encode: fn(Slf, *const Call, *const u64, u32, *mut Out) -> Status;
        required decode: fn(Slf, *const Call, *const Str, u32, *mut u64, *mut u32) -> Status;
    }
    "zp_storage_transformer" StorageTransformer {
        required wrap: fn(Slf, *const Call, *const Store, *mut Store) -> Status;
    }
}

super::declare! { STORES:
    #[sized] "zp_store" Store {
        struct_size: u32, abilities: u32, this: *mut c_void,
        release: Option<unsafe extern "C" fn(*mut Store)>,
        uri: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *mut Out) -> Status>,
        open: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *mut Reader, *mut u32) -> Status>,
        get: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *mut Out, *mut u32) -> Status>,
        get_partial_values: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *const Range, usize, Found, *mut c_void) -> Status>,
        set: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *const Bytes) -> Status>,
        set_if_absent: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *const Bytes, *mut u32) -> Status>,
        set_partial_values: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, *const u64, *const Bytes, usize) -> Status>,
        erase: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str) -> Status>,
        erase_values: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, usize) -> Status>,
        erase_prefix: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str) -> Status>,
        list_dir: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, Found, *mut c_void) -> Status>,
        list_prefix: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, Found, *mut c_void) -> Status>,
        list: Option<unsafe extern "C" fn(*const Store, *const Call, Found, *mut c_void) -> Status>,
        update: Option<unsafe extern "C" fn(*const Store, *const Call, *const Str, Change, *mut c_void) -> Status>,
    }
}
