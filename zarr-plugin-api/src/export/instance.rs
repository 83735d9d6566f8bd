//! An extension that was created for a host, and the functions of `ZP_HEAD`.

use crate::{
    abi::{self, Bytes, Call, Out, Site as FfiCreateContext, Status},
    bridge::{
        call::{ImportedCall, OwnContext},
        out, quietly,
        representation::{Parts, size_from},
        serve,
    },
};
use std::{ffi::c_void, fmt, sync::Arc};
use zarr_core::{
    Error, Result,
    call::CallContext,
    data_type::DataType,
    extension::Extension,
    json::{Json, Object},
    layout::Layout,
    limits::Limits,
    registry::{CreateContext, Instance as Created, Intent, Notes, Registry},
    representation::{Representation, Size},
};

/// The object that `self` of the ABI points to.
pub(crate) struct Instance<D: ?Sized, X> {
    pub(crate) object: Arc<D>,
    configuration: String,
    context: OwnContext,
    /// The data that the functions of the kind need in addition.
    pub(crate) extra: X,
}

impl<D: ?Sized, X> Instance<D, X> {
    pub(crate) fn new(object: Arc<D>, configuration: &Object, limits: &Limits, extra: X) -> Self {
        let configuration = Json::Object(configuration.clone()).to_string();
        Self { object, configuration, context: OwnContext::new(limits), extra }
    }
}

/// A data type of the host. A plugin only sees its layout and its label.
struct HostType {
    label: String,
    layout: Layout,
}
impl fmt::Debug for HostType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}
impl HostType {
    fn unknown(&self) -> Error {
        Error::chain(format!("{} is a data type of the host; a plugin can use only its layout", self.label))
    }
}
impl DataType for HostType {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }
    fn fill_from_json(&self, _: &Json) -> Result<Vec<u8>> {
        Err(self.unknown())
    }
    fn fill_to_json(&self, _: &[u8]) -> Result<Json> {
        Err(self.unknown())
    }
}

/// Implements `create`: creates the extension with `make`, and the additional data of its functions with `extra`.
///
/// # Safety
/// The pointers are those that the host passed to `create`.
pub(crate) unsafe fn create<D: ?Sized, X>(
    call: *const Call,
    cx: *const FfiCreateContext,
    this: *mut *mut c_void,
    make: impl FnOnce(&Extension, &CreateContext<'_>) -> Result<Created<D>>,
    extra: impl FnOnce(&Arc<D>, &CreateContext<'_>) -> Result<X>,
) -> Status {
    let run = || {
        // SAFETY: the host's call and site are valid until `create` returns.
        let (imported, ffi) = unsafe { (ImportedCall::new(call), abi::copied(cx)) };
        let ffi = ffi.ok_or_else(|| Error::argument("the pointer to a create context is null"))?;
        // SAFETY: as above.
        let name = unsafe { abi::text(ffi.name) }.ok_or_else(|| Error::argument("an extension has no valid name"))?;
        // SAFETY: as above.
        let json = unsafe { abi::bytes(ffi.configuration) };
        let configuration = match json.map(|json| Json::parse(json, imported.limits())).transpose()? {
            Some(Json::Object(members)) => members,
            None => Object::new(),
            Some(other) => return Err(Error::configuration(format!("expected an object, found {}", other.kind()))),
        };
        // SAFETY: as above.
        let parts =
            (!ffi.representation.is_null()).then(|| unsafe { Parts::new(ffi.representation, u32::MAX) }).transpose()?;
        let representation = parts.map(|p| {
            let host = HostType { label: p.label.clone(), layout: p.layout.clone() };
            p.with(Arc::new(host))
        });
        let (registry, notes) = (Registry::builtin(), Notes::default());
        let cx = CreateContext {
            name,
            representation: representation.as_ref(),
            // SAFETY: as above.
            size: unsafe { ffi.size.as_ref() }.map_or(Size::Unknown, size_from),
            registry: &registry,
            limits: imported.limits(),
            options: imported.options(),
            depth: ffi.depth,
            intent: if ffi.intent == abi::INTENT_CREATE { Intent::Create } else { Intent::Open },
            notes: &notes,
        };
        let made = make(&Extension::new(name, configuration), &cx)?;
        let configuration = made.configuration()?;
        let extra = extra(&made.object, &cx)?;
        let instance = Box::new(Instance::new(made.object, &configuration, imported.limits(), extra));
        // SAFETY: it is the host's own variable.
        unsafe { *this = Box::into_raw(instance).cast() };
        Ok(())
    };
    // SAFETY: the host passes a call that is being served.
    unsafe { serve::<true>(call, run) }
}

/// Returns a copy of the representation that the extension is created for.
pub(crate) fn representation(cx: &CreateContext<'_>) -> Result<Representation> {
    cx.representation().cloned()
}

/// Implements `destroy`.
pub(crate) unsafe extern "C" fn destroy<D: ?Sized, X>(this: *mut c_void) -> Status {
    // SAFETY: `create` of the same kind created it, and the host destroys it once.
    let drop_it = || unsafe { drop(Box::from_raw(this.cast::<Instance<D, X>>())) };
    if quietly(drop_it).is_some() { abi::OK } else { abi::E_PANIC }
}

/// Returns the instance that `self` points to.
///
/// # Safety
/// `this` comes from `create` of the same kind and has not been destroyed.
pub(crate) unsafe fn this<'a, D: ?Sized, X>(this: *const c_void) -> &'a Instance<D, X> {
    // SAFETY: the caller's promise.
    unsafe { &*this.cast::<Instance<D, X>>() }
}

/// Implements `configuration`.
pub(crate) unsafe extern "C" fn configuration<D: ?Sized, X>(
    instance: *const c_void,
    call: *const Call,
    json: *mut Out,
) -> Status {
    let run = || {
        // SAFETY: the host passes the instance that `create` returned; every other pointer is valid until this function
        // returns.
        unsafe { out::from_abi(json, call, None, |out| out.extend(this::<D, X>(instance).configuration.as_bytes())) }
    };
    // SAFETY: as above.
    unsafe { serve::<true>(call, run) }
}

/// Runs a function of an instance with the host's call.
///
/// # Safety
/// `instance` comes from `create` of the same kind and has not been destroyed; `call` is being served.
#[inline(always)]
pub(crate) unsafe fn run<'a, D: ?Sized + 'a, X: 'a>(
    instance: *const c_void,
    call: *const Call,
    f: impl FnOnce(&'a Instance<D, X>, &CallContext<'_>) -> Result<()>,
) -> Status {
    let run = || {
        // SAFETY: the caller's promise.
        let instance = unsafe { this::<D, X>(instance) };
        // SAFETY: as above.
        unsafe { instance.context.with(call, |call| f(instance, call)) }
    };
    // SAFETY: the caller's promise.
    unsafe { serve::<true>(call, run) }
}

/// Runs a function of an instance that has no call parameter.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(crate) unsafe fn run_without_call<'a, D: ?Sized + 'a, X: 'a>(
    instance: *const c_void,
    f: impl FnOnce(&'a Instance<D, X>) -> Result<()>,
) -> Status {
    // SAFETY: the caller's promise.
    unsafe { serve::<true>(std::ptr::null(), || f(this::<D, X>(instance))) }
}

/// Returns the bytes that the host passes; none for null.
///
/// # Safety
/// `p` is null or points to a `zp_bytes` that is borrowed for `'a`.
pub(crate) unsafe fn bytes<'a>(p: *const Bytes) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { abi::bytes(p).unwrap_or_default() }
}

/// Expands to the functions of `ZP_HEAD` of a kind.
macro_rules! head {
    ($vtable:ty, $create:expr, $abilities:expr) => {
        $crate::abi::Head {
            struct_size: $crate::abi::size32::<$vtable>(),
            reserved0: 0,
            create: Some($create),
            destroy: Some($crate::export::instance::destroy::<Kind, Extra>),
            configuration: Some($crate::export::instance::configuration::<Kind, Extra>),
            abilities: $abilities,
        }
    };
}
pub(crate) use head;

/// Defines `create` of a kind: `create_fn!(Codec, codec::BytesToBytes, extra)`.
macro_rules! create_fn {
    ($point:ident, $bound:path, $extra:expr) => {
        unsafe extern "C" fn create<T: zarr_core::registry::ExtensionType + $bound>(
            _: *const $crate::abi::Host,
            call: *const $crate::abi::Call,
            cx: *const $crate::abi::Site,
            this: *mut *mut std::ffi::c_void,
        ) -> $crate::abi::Status {
            let make = |extension: &zarr_core::extension::Extension, cx: &zarr_core::registry::CreateContext<'_>| {
                let point = zarr_core::extension::ExtensionPoint::$point;
                zarr_core::registry::Registration::make::<T, Kind>(extension, cx, |object| object, point)
            };
            // SAFETY: the host passes the pointers that the ABI prescribes for `create`.
            unsafe { $crate::export::instance::create(call, cx, this, make, $extra) }
        }
    };
}
pub(crate) use create_fn;
