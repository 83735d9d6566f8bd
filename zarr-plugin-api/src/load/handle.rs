//! An instance of a plugin's extension, and its calls.

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

/// For a function that was checked when its vtable was read. Made only then: an error costs as much as a call.
#[cold]
pub(super) fn missing() -> Error {
    ErrorKind::Contract("a required function is null").into()
}

/// An instance that is destroyed with its last user.
#[derive(Debug)]
pub(super) struct Handle {
    guard: Arc<PluginGuard>,
    destroy: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    this: *mut c_void,
}
// SAFETY: the ABI says that functions of an instance are called from any threads at once.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let (Ok(()), Some(destroy)) = (self.guard.usable(), self.destroy) else { return };
        let before = Environment::now();
        // SAFETY: `create` made it, and it is destroyed once.
        let status = unsafe { destroy(self.this) };
        if before.restore() || status != abi::OK {
            self.guard.quarantine("it failed to destroy an instance");
        }
    }
}

impl Handle {
    /// Makes an instance; gives it with its configuration.
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
                        // SAFETY: everything that is borrowed lives until it returns.
                        host::with_host(|host| unsafe { create(host, call, &raw const ffi, &raw mut this) })
                    });
                    (status, None)
                })
            });
            // What was made is destroyed also if the call is found to be wrong.
            let made = ended.status == abi::OK;
            handle = made.then(|| Self { guard: guard.clone(), destroy: head.destroy, this });
            ended
        })?;
        let handle = handle.ok_or(ErrorKind::Contract("nothing was made"))?;
        let configuration = handle.text(cx.limits, |this, call, out| {
            // SAFETY: as above.
            head.configuration.map_or(abi::E_INTERNAL, |f| unsafe { f(this, call, out) })
        })?;
        match Json::parse(&configuration, cx.limits) {
            Ok(Json::Object(members)) => Ok((handle, members)),
            _ => Err(guard.quarantine("it gave a configuration that is not a JSON object").into()),
        }
    }
    /// Another object of the same plugin that lives as long as this one, which is kept beside it.
    pub(super) fn part(self: &Arc<Self>, this: *const c_void) -> (Self, Arc<Self>) {
        (Self { guard: self.guard.clone(), destroy: None, this: this.cast_mut() }, self.clone())
    }
    pub(super) fn guard(&self) -> &Arc<PluginGuard> {
        &self.guard
    }
    /// A call in which files may be opened.
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
    /// A call that passes more than can be had without errors of its own, or whose answer is checked at once. What is
    /// passed is valid until it returns.
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
    /// [`checked`](Self::checked) where the host has no call.
    pub(super) fn plain(
        &self,
        limits: &Limits,
        f: impl FnOnce(*const c_void, *const abi::Call) -> Result<Answer>,
    ) -> Result<()> {
        call::plain(limits, const { &Options::DEFAULT }, |call| self.checked(call, f))
    }
    /// A function without a call, which therefore cannot say what went wrong.
    #[inline]
    pub(super) fn without_call(&self, f: impl FnOnce(*const c_void) -> Status) -> Result<()> {
        self.guard.watched(|| Ended { status: f(self.this), wrong: None })
    }
    /// The abilities of the instance: all, if it does not say.
    pub(super) fn abilities(&self, head: &abi::Head) -> Result<u64> {
        let mut abilities = u64::MAX;
        if let Some(f) = head.abilities {
            // SAFETY: the instance is alive.
            self.without_call(|this| unsafe { f(this, &raw mut abilities) })?;
        }
        Ok(abilities)
    }
    /// Text that a function writes.
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
    /// The error for an answer that no correct plugin gives.
    pub(super) fn fault(&self, what: &str) -> Error {
        self.guard.quarantine(what).into()
    }
}
