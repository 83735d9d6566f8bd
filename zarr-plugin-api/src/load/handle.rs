//! An instance of a plugin's extension, and calls of its functions.

use super::{guard::PluginGuard, host};
use crate::{
    abi::{self, Bytes, Status, Str},
    bridge::{
        call,
        float_env::Environment,
        guard::{Answer, Ended},
        out,
        representation::{FfiRepresentation, size_to},
    },
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    call::{CallContext, Options},
    extension::Extension,
    json::{Json, Object},
    limits::Limits,
    registry::{CreateContext, Intent},
};

/// Returns the error for a required function that is null. Reading the vtable excludes that. The error is only
/// constructed where it is returned: constructing one costs as much as a call.
#[cold]
pub(super) fn missing() -> Error {
    ErrorKind::Contract("a required function is null").into()
}

/// An instance of an extension. It is destroyed when the last reference to it is dropped.
#[derive(Debug)]
pub(super) struct Handle {
    guard: Arc<PluginGuard>,
    destroy: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    this: *mut c_void,
}
// SAFETY: the ABI allows calls of an instance's functions from any number of threads at once.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let (Ok(()), Some(destroy)) = (self.guard.usable(), self.destroy) else { return };
        let before = Environment::now();
        // SAFETY: `create` created it, and it is destroyed once.
        let status = unsafe { destroy(self.this) };
        if before.restore() || status != abi::OK {
            self.guard.quarantine("it failed to destroy an instance");
        }
    }
}

impl Handle {
    /// Creates an instance, and returns it with its configuration.
    pub(super) fn create(
        guard: &Arc<PluginGuard>,
        head: &abi::Head,
        extension: &Extension,
        cx: &CreateContext<'_>,
    ) -> Result<(Self, Object)> {
        let name = Str::new(extension.name());
        let json = Json::Object(extension.configuration().cloned().unwrap_or_default()).to_string();
        let json = Bytes::new(json.as_bytes());
        let representation = cx.representation.map(FfiRepresentation::new);
        let size = size_to(cx.size);
        let ffi = abi::Site {
            struct_size: abi::size32::<abi::Site>(),
            intent: if cx.intent == Intent::Create { abi::INTENT_CREATE } else { abi::INTENT_OPEN },
            depth: cx.depth,
            reserved0: 0,
            name: &raw const name,
            configuration: &raw const json,
            representation: representation.as_ref().map_or(std::ptr::null(), |r| std::ptr::from_ref(r.get())),
            size: &raw const size,
        };
        let roots: Vec<Str> = cx.options.roots.iter().map(|r| Str::new(r)).collect();
        let (mut this, mut handle) = (std::ptr::null_mut(), None);
        guard.watched(|| {
            let ended = call::plain(cx.limits, cx.options, |call| {
                call::to_abi(call, &roots, |call| {
                    let status = head.create.map_or(abi::E_INTERNAL, |create| {
                        // SAFETY: everything that is borrowed lives until `create` returns.
                        host::with_host(|host| unsafe { create(host, call, &raw const ffi, &raw mut this) })
                    });
                    (status, None)
                })
            });
            // An instance that was created is destroyed even if the call violated the contract.
            let made = ended.status == abi::OK;
            handle = made.then(|| Self { guard: guard.clone(), destroy: head.destroy, this });
            ended
        })?;
        let handle = handle.ok_or(ErrorKind::Contract("a constructor returned no instance"))?;
        let configuration = handle.text(cx.limits, |this, call, out| {
            // SAFETY: as above.
            head.configuration.map_or(abi::E_INTERNAL, |f| unsafe { f(this, call, out) })
        })?;
        match Json::parse(&configuration, cx.limits) {
            Ok(Json::Object(members)) => Ok((handle, members)),
            _ => Err(guard.quarantine("it returned a configuration that is not a JSON object").into()),
        }
    }
    /// Returns a handle of another object of the same plugin that lives as long as this one, and this handle to keep it
    /// alive. The part is not destroyed on its own.
    pub(super) fn part(self: &Arc<Self>, this: *const c_void) -> (Self, Arc<Self>) {
        (Self { guard: self.guard.clone(), destroy: None, this: this.cast_mut() }, self.clone())
    }
    pub(super) fn guard(&self) -> &Arc<PluginGuard> {
        &self.guard
    }
    /// Runs a call in which files below `roots` may be opened.
    pub(super) fn with_roots(
        &self,
        limits: &Limits,
        options: &Options,
        roots: &[Str],
        f: impl FnOnce(*const c_void, *const abi::Call) -> Status,
    ) -> Result<()> {
        let to_abi = |call: &CallContext<'_>| call::to_abi(call, roots, |call| (f(self.this, call), None));
        self.guard.watched(|| call::plain(limits, options, to_abi))
    }
    /// Runs a call whose arguments can fail to be prepared, or whose result is checked at once. All arguments are valid
    /// until it returns.
    #[inline(always)]
    pub(super) fn checked(
        &self,
        call: &CallContext<'_>,
        f: impl FnOnce(*const c_void, *const abi::Call) -> Result<Answer>,
    ) -> Result<()> {
        let mut failed = None;
        self.guard.watched(|| {
            call::to_abi(call, &[], |call| {
                f(self.this, call).unwrap_or_else(|e| {
                    failed = Some(e);
                    (abi::OK, None)
                })
            })
        })?;
        failed.map_or(Ok(()), Err)
    }
    /// As [`checked`](Self::checked), where the host has no call context.
    pub(super) fn plain(
        &self,
        limits: &Limits,
        f: impl FnOnce(*const c_void, *const abi::Call) -> Result<Answer>,
    ) -> Result<()> {
        call::plain(limits, const { &Options::DEFAULT }, |call| self.checked(call, f))
    }
    /// Runs a function that has no call parameter, and therefore cannot report an error message.
    #[inline]
    pub(super) fn without_call(&self, f: impl FnOnce(*const c_void) -> Status) -> Result<()> {
        self.guard.watched(|| Ended { status: f(self.this), wrong: None })
    }
    /// Returns the abilities of the instance: all bits, if the plugin has no function for them.
    pub(super) fn abilities(&self, head: &abi::Head) -> Result<u64> {
        let mut abilities = u64::MAX;
        if let Some(f) = head.abilities {
            // SAFETY: the instance is alive.
            self.without_call(|this| unsafe { f(this, &raw mut abilities) })?;
        }
        Ok(abilities)
    }
    /// Returns the text that a function writes, of at most `limits.metadata_bytes` bytes.
    pub(super) fn text(
        &self,
        limits: &Limits,
        f: impl FnOnce(*const c_void, *const abi::Call, *mut abi::Out) -> Status,
    ) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        self.plain(limits, |this, call| {
            let got = out::collected(limits.metadata_bytes, |out| f(this, call, out))?;
            text = got.2;
            Ok((got.0, got.1))
        })?;
        Ok(text)
    }
    /// Puts the plugin in quarantine for a result that no correct plugin returns, and returns the error for that.
    pub(super) fn fault(&self, what: &str) -> Error {
        self.guard.quarantine(what).into()
    }
}
