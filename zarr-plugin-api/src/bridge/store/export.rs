//! Exports a store of this side to the other side.

use crate::{
    abi::{self, Bytes, Call, Out, Range, Reader, Status, Store as FfiStore, Str},
    bridge::{out, quietly, serve, source},
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    source::Source,
    store::{Key, Prefix, Store, Update},
};

/// Exports a store that the other side owns until it releases it.
pub(crate) fn into_abi<const PLUGIN: bool>(store: Arc<dyn Store>) -> FfiStore {
    let ability = |has: bool, bit| if has { bit } else { 0 };
    let abilities = ability(store.readable().is_some(), abi::STORE_READ)
        | ability(store.writeable().is_some(), abi::STORE_WRITE)
        | ability(store.listable().is_some(), abi::STORE_LIST);
    FfiStore {
        struct_size: abi::size32::<FfiStore>(),
        abilities,
        this: Box::into_raw(Box::new(store)).cast(),
        release: Some(release),
        uri: Some(uri::<PLUGIN>),
        open: Some(open::<PLUGIN>),
        get: Some(get::<PLUGIN>),
        get_partial_values: Some(get_partial_values::<PLUGIN>),
        set: Some(set::<PLUGIN>),
        set_if_absent: Some(set_if_absent::<PLUGIN>),
        set_partial_values: Some(set_partial_values::<PLUGIN>),
        erase: Some(erase::<PLUGIN>),
        erase_values: Some(erase_values::<PLUGIN>),
        erase_prefix: Some(erase_prefix::<PLUGIN>),
        list_dir: Some(list_dir::<PLUGIN>),
        list_prefix: Some(list_prefix::<PLUGIN>),
        list: Some(list::<PLUGIN>),
        update: Some(update::<PLUGIN>),
    }
}

unsafe extern "C" fn release(ffi: *mut FfiStore) {
    // SAFETY: `into_abi` created it, and it is released once.
    let drop_it = || unsafe { drop(Box::from_raw((*ffi).this.cast::<Arc<dyn Store>>())) };
    quietly(drop_it);
}

/// # Safety
/// `ffi` is a copy of a store that `into_abi` created, and has not been released. The functions below receive their
/// other arguments from the other side; their own sections on safety only state what they need of those.
unsafe fn store<'a>(ffi: *const FfiStore) -> &'a dyn Store {
    // SAFETY: the caller's promise.
    unsafe { &**(*ffi).this.cast::<Arc<dyn Store>>() }
}

/// # Safety
/// As for [`abi::text`].
unsafe fn key(p: *const Str) -> Result<Key> {
    // SAFETY: the caller's promise.
    Key::new(unsafe { abi::text(p) }.ok_or_else(|| Error::name("a key is not valid UTF-8"))?)
}

/// # Safety
/// As for [`abi::text`].
unsafe fn prefix(p: *const Str) -> Result<Prefix> {
    // SAFETY: the caller's promise.
    Prefix::new(unsafe { abi::text(p) }.ok_or_else(|| Error::name("a prefix is not valid UTF-8"))?)
}

/// # Safety
/// `p` points to `n` texts.
unsafe fn keys(p: *const Str, n: usize) -> Result<Vec<Key>> {
    // SAFETY: the caller's promise.
    unsafe { abi::slice(p, n).iter().map(|k| key(k)).collect() }
}

/// # Safety
/// `p` points to bytes.
unsafe fn bytes<'a>(p: *const Bytes) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { abi::bytes(p).unwrap_or_default() }
}

/// # Safety
/// `found` may be called with `context` now.
unsafe fn deliver(
    found: abi::Found,
    context: *mut c_void,
    i: usize,
    is_prefix: bool,
    bytes: Option<&[u8]>,
) -> Result<()> {
    let Some(found) = found else { return Err(ErrorKind::Contract("a function pointer is null").into()) };
    let (ptr, len) = bytes.map_or((std::ptr::null(), 0), |b| (b.as_ptr(), b.len()));
    // SAFETY: the caller's promise; the bytes live until it returns.
    crate::bridge::error::check(unsafe { found(context, i, u32::from(is_prefix), ptr, len) })
}

/// Passes names to a function of the other side, each with whether it is a prefix.
///
/// # Safety
/// As for `deliver`.
unsafe fn deliver_all<'n>(
    found: abi::Found,
    context: *mut c_void,
    names: impl Iterator<Item = (bool, &'n str)>,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let one = |(i, (is_prefix, name)): (usize, (bool, &str))| unsafe {
        deliver(found, context, i, is_prefix, Some(name.as_bytes()))
    };
    names.enumerate().try_for_each(one)
}

/// A change whose function is on the other side.
struct Foreign<const PLUGIN: bool> {
    change: abi::Change,
    context: *mut c_void,
    call: *const Call,
}

impl<const PLUGIN: bool> Update for Foreign<PLUGIN> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let Some(change) = self.change else { return Err(ErrorKind::Contract("a function pointer is null").into()) };
        let (mut value, mut stored) = (Bytes::new(&[]), 0);
        // SAFETY: the function, its context and the call of the other side are valid until `update` returns.
        let mut run = |old| unsafe { change(self.context, self.call, old, &raw mut value, &raw mut stored) };
        crate::bridge::error::check(match old {
            Some(old) => source::to_abi_for_update::<PLUGIN, _>(old, &mut run),
            None => run(std::ptr::null()),
        })?;
        // SAFETY: the bytes live until the next call of the function.
        Ok((stored != 0).then(|| unsafe { bytes(&raw const value) }))
    }
}

/// Defines a function of the vtable. Its body runs with panics caught and errors reported.
macro_rules! served {
    ($($name:ident($store:ident, $call:ident, $($arg:ident: $ty:ty),*) $body:block)*) => { $(
        unsafe extern "C" fn $name<const PLUGIN: bool>(ffi: *const FfiStore, $call: *const Call, $($arg: $ty),*) -> Status {
            // SAFETY: the other side passes the store that it received; every other pointer is valid until this
            // function returns.
            let run = || unsafe {
                let $store = store(ffi);
                $body
            };
            // SAFETY: the other side passes the call that it is serving or has created.
            unsafe { serve::<PLUGIN>($call, run) }
        }
    )* };
}

served! {
    uri(store, call, p: *const Str, out: *mut Out) {
        let text = store.uri(&prefix(p)?);
        out::from_abi(out, call, None, |out| out.extend(text.as_bytes()))
    }
    open(store, call, k: *const Str, reader: *mut Reader, found: *mut u32) {
        let opened = store.reader()?.open(&key(k)?)?;
        *found = u32::from(opened.is_some());
        if let Some(opened) = opened {
            abi::fill(reader, source::into_abi::<PLUGIN>(opened));
        }
        Ok(())
    }
    get(store, call, k: *const Str, value: *mut Out, found: *mut u32) {
        let got = store.reader()?.get(&key(k)?)?;
        *found = u32::from(got.is_some());
        out::from_abi(value, call, None, |out| got.map_or(Ok(()), |v| out.extend(&v)))
    }
    get_partial_values(store, call, k: *const Str, ranges: *const Range, n: usize, found: abi::Found, context: *mut c_void) {
        let ranges = source::ranges_from(ranges, n)?;
        let wanted: Vec<_> = keys(k, n)?.into_iter().zip(ranges).collect();
        let values = store.reader()?.get_partial_values(&wanted)?;
        values.iter().enumerate().try_for_each(|(i, v)| deliver(found, context, i, false, v.as_deref()))
    }
    set(store, call, k: *const Str, value: *const Bytes) {
        store.writer()?.set(&key(k)?, bytes(value))
    }
    set_if_absent(store, call, k: *const Str, value: *const Bytes, stored: *mut u32) {
        *stored = u32::from(store.writer()?.set_if_absent(&key(k)?, bytes(value))?);
        Ok(())
    }
    update(store, call, k: *const Str, change: abi::Change, context: *mut c_void) {
        store.writer()?.update(&key(k)?, &mut Foreign::<PLUGIN> { change, context, call })
    }
    set_partial_values(store, call, k: *const Str, starts: *const u64, values: *const Bytes, n: usize) {
        let (starts, values) = (abi::slice(starts, n), abi::slice(values, n));
        let parts = keys(k, n)?.into_iter().zip(starts).zip(values).map(|((k, s), v)| (k, *s, bytes(v)));
        store.writer()?.set_partial_values(&parts.collect::<Vec<_>>())
    }
    erase(store, call, k: *const Str) {
        store.writer()?.erase(&key(k)?)
    }
    erase_values(store, call, k: *const Str, n: usize) {
        store.writer()?.erase_values(&keys(k, n)?)
    }
    erase_prefix(store, call, p: *const Str) {
        store.writer()?.erase_prefix(&prefix(p)?)
    }
    list_dir(store, call, p: *const Str, found: abi::Found, context: *mut c_void) {
        let listing = store.lister()?.list_dir(&prefix(p)?)?;
        let keys = listing.keys.iter().map(|k| (false, k.as_str()));
        deliver_all(found, context, keys.chain(listing.prefixes.iter().map(|p| (true, p.as_str()))))
    }
    list_prefix(store, call, p: *const Str, found: abi::Found, context: *mut c_void) {
        let all = store.lister()?.list_prefix(&prefix(p)?)?;
        deliver_all(found, context, all.iter().map(|k| (false, k.as_str())))
    }
    list(store, call, found: abi::Found, context: *mut c_void) {
        let all = store.lister()?.list()?;
        deliver_all(found, context, all.iter().map(|k| (false, k.as_str())))
    }
}
