//! Imports a store of the other side.

use crate::{
    abi::{self, Bytes, Call, Range, Status, Store as FfiStore, Str},
    bridge::{
        call, callback, error,
        guard::{Answer, Guard},
        out, source,
    },
};
use std::{any::Any, collections::BTreeSet, ffi::c_void, fmt, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    limits::Limits,
    source::{ByteRange, Source},
    store::{Key, ListableStore, Listing, Prefix, ReadableStore, Store, Update, WriteableStore},
};

/// A store of the other side.
pub(crate) struct ImportedStore {
    ffi: FfiStore,
    name: String,
    guard: Option<Arc<dyn Guard>>,
    limits: Limits,
    // The data that the store's functions need; dropped after the store is released.
    _owner: Box<dyn Any + Send + Sync>,
}
// SAFETY: the ABI allows use of a store from any number of threads at once.
unsafe impl Send for ImportedStore {}
// SAFETY: as above.
unsafe impl Sync for ImportedStore {}

impl fmt::Debug for ImportedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Drop for ImportedStore {
    fn drop(&mut self) {
        let Some(release) = self.ffi.release else { return };
        // SAFETY: the other side passed its ownership to this side, and it is released once.
        let mut end = || unsafe { release(&raw mut self.ffi) };
        match &self.guard {
            Some(guard) => guard.end(&mut end),
            None => end(),
        }
    }
}

impl ImportedStore {
    /// # Safety
    /// The other side filled it, or passed its ownership to this side, and it has not been released.
    pub(crate) unsafe fn new(
        ffi: FfiStore,
        name: &str,
        guard: Option<Arc<dyn Guard>>,
        limits: &Limits,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Self {
        Self { ffi, name: name.to_owned(), guard, limits: limits.clone(), _owner: owner }
    }
    fn call(&self, f: &mut dyn FnMut(*const FfiStore, *const Call) -> Result<Answer>) -> Result<()> {
        let mut failed = None;
        let mut run =
            || call::to_abi_plain(&self.limits, |call| error::set_aside(f(&raw const self.ffi, call), &mut failed));
        let done = call::outcome(self.guard.as_deref(), &mut run);
        failed.map_or(done, Err)
    }
    fn status(&self, f: impl Fn(*const FfiStore, *const Call) -> Status) -> Result<()> {
        self.call(&mut |store, call| Ok((f(store, call), None)))
    }
    fn has(&self, ability: u32) -> bool {
        self.ffi.abilities & ability != 0
    }
    fn listed(
        &self,
        mut each: impl FnMut(bool, &str) -> Result<()>,
        f: impl Fn(*const FfiStore, *const Call, abi::Found, *mut c_void) -> Status,
    ) -> Result<()> {
        with_found(
            &mut |_, is_prefix, bytes| {
                let text = bytes.and_then(|b| std::str::from_utf8(b).ok());
                each(is_prefix, text.ok_or_else(|| Error::name("a key is not valid UTF-8"))?)
            },
            |found, context| self.status(|store, call| f(store, call, found, context)),
        )
    }
}

const LACKS: ErrorKind = ErrorKind::Unsupported("this operation");

/// Returns a function of the other side, or fails if it is null.
macro_rules! function {
    ($store:ident.$name:ident) => {
        $store.ffi.$name.ok_or(LACKS)?
    };
}

type OnFound<'f> = &'f mut dyn FnMut(usize, bool, Option<&[u8]>) -> Result<()>;

/// Exports a Rust function as a `zp_found`, and returns its error, if it has one.
fn with_found(each: OnFound<'_>, f: impl FnOnce(abi::Found, *mut c_void) -> Result<()>) -> Result<()> {
    unsafe extern "C" fn run(context: *mut c_void, i: usize, is_prefix: u32, ptr: *const u8, len: usize) -> Status {
        // SAFETY: the context is valid until the call that passes this function returns, the bytes until this one does.
        unsafe {
            callback::Callback::<OnFound<'_>>::run(context, |each| {
                each(i, is_prefix != 0, (!ptr.is_null()).then(|| abi::slice(ptr, len)))
            })
        }
    }
    let mut context = callback::Callback::new(each);
    let done = f(Some(run), (&raw mut context).cast());
    context.end(done)
}

fn texts<'k>(keys: impl Iterator<Item = &'k Key>) -> Vec<Str> {
    keys.map(|k| Str::new(k.as_str())).collect()
}

impl Store for ImportedStore {
    fn readable(&self) -> Option<&dyn ReadableStore> {
        self.has(abi::STORE_READ).then_some(self)
    }
    fn writeable(&self) -> Option<&dyn WriteableStore> {
        self.has(abi::STORE_WRITE).then_some(self)
    }
    fn listable(&self) -> Option<&dyn ListableStore> {
        self.has(abi::STORE_LIST).then_some(self)
    }
    fn uri(&self, prefix: &Prefix) -> String {
        let prefix = Str::new(prefix.as_str());
        let mut text = Vec::new();
        let done = self.ffi.uri.map(|uri| {
            self.call(&mut |store, call| {
                // SAFETY: the store is not released, and everything that is borrowed lives until it returns.
                let got = out::collected(1 << 16, |out| unsafe { uri(store, call, &raw const prefix, out) })?;
                text = got.2;
                Ok((got.0, got.1))
            })
        });
        match (done, String::from_utf8(text)) {
            (Some(Ok(())), Ok(text)) => text,
            // A name that no other store has.
            _ => format!("plugin:{:p}", self.ffi.this),
        }
    }
}

// SAFETY of the blocks below: the store is not released before it is dropped, and everything that is borrowed lives
// until the function returns.

impl ReadableStore for ImportedStore {
    fn open<'s>(&'s self, key: &Key) -> Result<Option<Box<dyn Source + 's>>> {
        let (open, key) = (function!(self.open), Str::new(key.as_str()));
        let mut found = 0;
        let mut reader: abi::Reader = abi::blank();
        let at = &raw mut reader;
        let found_at = &raw mut found;
        let mut filled = false;
        let done = self.call(&mut |store, call| {
            // SAFETY: see above.
            let status = unsafe { open(store, call, &raw const key, at, found_at) };
            filled = status == abi::OK;
            Ok((status, None))
        });
        // SAFETY: the reader was filled if the key was found. This side must release it even if the call violated the
        // contract.
        let source = (filled && found != 0)
            .then(|| unsafe { source::ImportedSource::owned(reader, self.guard.clone(), &self.limits) });
        done?;
        Ok(source.map(|source| Box::new(source) as Box<dyn Source>))
    }
    fn get(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        let (get, key) = (function!(self.get), Str::new(key.as_str()));
        let (mut found, mut value) = (0, Vec::new());
        let found_at = &raw mut found;
        self.call(&mut |store, call| {
            // SAFETY: see above.
            let got = out::collected(u64::MAX, |out| unsafe { get(store, call, &raw const key, out, found_at) })?;
            value = got.2;
            Ok((got.0, got.1))
        })?;
        Ok((found != 0).then_some(value))
    }
    fn get_partial_values(&self, ranges: &[(Key, ByteRange)]) -> Result<Vec<Option<Vec<u8>>>> {
        let get = function!(self.get_partial_values);
        let (keys, n) = (texts(ranges.iter().map(|r| &r.0)), ranges.len());
        let ffi: Vec<Range> = ranges.iter().map(|r| source::range_to(r.1)).collect();
        let mut values: Vec<Option<Option<Vec<u8>>>> = vec![None; n];
        let mut each = |i: usize, _: bool, bytes: Option<&[u8]>| {
            let wanted = match ranges.get(i).map(|r| r.1) {
                Some(ByteRange::Slice { len, .. } | ByteRange::Suffix(len)) => Some(len),
                Some(_) => None,
                None => return Err(Error::argument("a store returned an unrequested value")),
            };
            if bytes.zip(wanted).is_some_and(|(bytes, wanted)| bytes.len() as u64 != wanted) {
                return Err(Error::data("a store did not return the requested number of bytes"));
            }
            values[i] = Some(bytes.map(<[u8]>::to_vec));
            Ok(())
        };
        with_found(&mut each, |found, context| {
            // SAFETY: see above.
            self.status(|store, call| unsafe { get(store, call, keys.as_ptr(), ffi.as_ptr(), n, found, context) })
        })?;
        let unanswered = || ErrorKind::Contract("a store did not return every requested range").into();
        values.into_iter().map(|v| v.ok_or_else(unanswered)).collect()
    }
}

impl WriteableStore for ImportedStore {
    fn set(&self, key: &Key, value: &[u8]) -> Result<()> {
        let (set, key, value) = (function!(self.set), Str::new(key.as_str()), Bytes::new(value));
        // SAFETY: see above.
        self.status(|store, call| unsafe { set(store, call, &raw const key, &raw const value) })
    }
    fn set_if_absent(&self, key: &Key, value: &[u8]) -> Result<bool> {
        let (set, key, value) = (function!(self.set_if_absent), Str::new(key.as_str()), Bytes::new(value));
        let mut stored = 0;
        let at = &raw mut stored;
        // SAFETY: see above.
        self.status(|store, call| unsafe { set(store, call, &raw const key, &raw const value, at) })?;
        Ok(stored != 0)
    }
    fn update(&self, key: &Key, change: &mut dyn Update) -> Result<()> {
        type Run<'c, 'd> = callback::Callback<(&'c mut (dyn Update + 'd), &'c mut bool)>;
        unsafe extern "C" fn run(
            context: *mut c_void,
            call: *const Call,
            old: *const abi::Reader,
            value: *mut Bytes,
            stored: *mut u32,
        ) -> Status {
            // SAFETY: the context is valid until the call that passes this function returns; everything else is valid
            // until this function returns.
            unsafe {
                Run::run(context, |(change, asked)| {
                    **asked = true;
                    let old = source::ImportedSource::borrowed_for_update(old, call);
                    let new = change.apply(old.as_ref().map(|old| old as _))?;
                    *stored = u32::from(new.is_some());
                    *value = Bytes::new(new.unwrap_or_default());
                    Ok(())
                })
            }
        }
        let (update, key) = (function!(self.update), Str::new(key.as_str()));
        let mut asked = false;
        let mut context = Run::new((change, &mut asked));
        let at = (&raw mut context).cast();
        // SAFETY: see above.
        let done = self.status(|store, call| unsafe { update(store, call, &raw const key, Some(run), at) });
        context.end(done)?;
        if !asked {
            return Err(ErrorKind::Contract("a store updated a value without calling the update").into());
        }
        Ok(())
    }
    fn set_partial_values(&self, parts: &[(Key, u64, &[u8])]) -> Result<()> {
        let (set, keys) = (function!(self.set_partial_values), texts(parts.iter().map(|p| &p.0)));
        let starts: Vec<u64> = parts.iter().map(|p| p.1).collect();
        let values: Vec<Bytes> = parts.iter().map(|p| Bytes::new(p.2)).collect();
        self.status(|store, call| {
            // SAFETY: see above.
            unsafe { set(store, call, keys.as_ptr(), starts.as_ptr(), values.as_ptr(), keys.len()) }
        })
    }
    fn erase(&self, key: &Key) -> Result<()> {
        let (erase, key) = (function!(self.erase), Str::new(key.as_str()));
        // SAFETY: see above.
        self.status(|store, call| unsafe { erase(store, call, &raw const key) })
    }
    fn erase_prefix(&self, prefix: &Prefix) -> Result<()> {
        let (erase, prefix) = (function!(self.erase_prefix), Str::new(prefix.as_str()));
        // SAFETY: see above.
        self.status(|store, call| unsafe { erase(store, call, &raw const prefix) })
    }
    fn erase_values(&self, keys: &[Key]) -> Result<()> {
        let (erase, keys) = (function!(self.erase_values), texts(keys.iter()));
        // SAFETY: see above.
        self.status(|store, call| unsafe { erase(store, call, keys.as_ptr(), keys.len()) })
    }
}

impl ListableStore for ImportedStore {
    fn list_dir(&self, prefix: &Prefix) -> Result<Listing> {
        let (list, prefix) = (function!(self.list_dir), Str::new(prefix.as_str()));
        let mut listing = Listing::default();
        let each = |is_prefix: bool, text: &str| {
            if is_prefix {
                listing.prefixes.insert(Prefix::new(text)?);
            } else {
                listing.keys.insert(Key::new(text)?);
            }
            Ok(())
        };
        // SAFETY: see above.
        self.listed(each, |store, call, found, context| unsafe {
            list(store, call, &raw const prefix, found, context)
        })?;
        Ok(listing)
    }
    fn list_prefix(&self, prefix: &Prefix) -> Result<BTreeSet<Key>> {
        let (list, prefix, mut keys) = (function!(self.list_prefix), Str::new(prefix.as_str()), BTreeSet::new());
        let each = |_: bool, text: &str| {
            keys.insert(Key::new(text)?);
            Ok(())
        };
        // SAFETY: see above.
        self.listed(each, |store, call, found, context| unsafe {
            list(store, call, &raw const prefix, found, context)
        })?;
        Ok(keys)
    }
    fn list(&self) -> Result<BTreeSet<Key>> {
        let (list, mut keys) = (function!(self.list), BTreeSet::new());
        let each = |_: bool, text: &str| {
            keys.insert(Key::new(text)?);
            Ok(())
        };
        // SAFETY: see above.
        self.listed(each, |store, call, found, context| unsafe { list(store, call, found, context) })?;
        Ok(keys)
    }
}
