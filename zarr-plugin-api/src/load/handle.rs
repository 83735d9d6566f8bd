//! An instance of a plugin's extension, and its calls.

use super::{Plugin, float::Environment, plugin};
use crate::{
    abi::{self, Bytes, Status, Str},
    bridge::{
        Fault,
        call::{self, Ended},
        out,
        representation::{LentRepresentation, size_to},
    },
};
use std::{ffi::c_void, sync::Arc};
use zarr_core::{
    Error, ErrorKind, Result,
    call::{Call, Options, Pool, Sequential},
    extension::Extension,
    json::{Json, Object},
    limits::Limits,
    registry::{Intent, Site},
};

/// An instance that is destroyed with its last user.
#[derive(Debug)]
pub(super) struct Handle {
    plugin: Arc<Plugin>,
    destroy: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    this: *mut c_void,
}
// SAFETY: the ABI says that functions of an instance are called from any threads at once.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let (Ok(()), Some(destroy)) = (self.plugin.usable(), self.destroy) else { return };
        let before = Environment::now();
        // SAFETY: `create` made it, and it is destroyed once.
        let status = unsafe { destroy(self.this) };
        if before.restore() || status != abi::OK {
            self.plugin.quarantine("it failed to destroy an instance");
        }
    }
}

impl Handle {
    /// Makes an instance; gives it with its configuration.
    pub(super) fn create(
        plugin: &Arc<Plugin>,
        head: &abi::Head,
        extension: &Extension,
        site: &Site<'_>,
    ) -> Result<(Self, Object)> {
        let (name, version) = (Str::new("zarr"), Str::new(env!("CARGO_PKG_VERSION")));
        let host = plugin::host(&name, &version);
        let asked = Str::new(extension.name());
        let json = Json::Object(extension.configuration().cloned().unwrap_or_default()).to_string();
        let json = Bytes::new(json.as_bytes());
        let representation = site.representation.map(LentRepresentation::new);
        let size = size_to(site.size);
        let lent = abi::Site {
            struct_size: abi::size32::<abi::Site>(),
            intent: if site.intent == Intent::Create { abi::INTENT_CREATE } else { abi::INTENT_OPEN },
            depth: site.depth,
            reserved0: 0,
            name: &raw const asked,
            configuration: &raw const json,
            representation: representation.as_ref().map_or(std::ptr::null(), |r| std::ptr::from_ref(r.get())),
            size: &raw const size,
        };
        let roots: Vec<Str> = site.options.roots.iter().map(|r| Str::new(r)).collect();
        let mut this = std::ptr::null_mut();
        plugin.usable()?;
        let before = Environment::now();
        let ended = with_call(site.limits, site.options, |call| {
            call::lend(call, &roots, |call| {
                // SAFETY: the function was checked not to be null; everything that is lent lives until it returns.
                head.create
                    .map_or(abi::E_INTERNAL, |f| unsafe { f(&raw const host, call, &raw const lent, &raw mut this) })
            })
        });
        // What was made is destroyed also if the call is found to be wrong.
        let made = ended.status == abi::OK;
        let handle = made.then(|| Self { plugin: plugin.clone(), destroy: head.destroy, this });
        plugin.judge(before, ended, None)?;
        let handle = handle.ok_or(ErrorKind::Contract("nothing was made"))?;
        let configuration = handle.text(site.limits, |this, call, out| {
            // SAFETY: as above.
            head.configuration.map_or(abi::E_INTERNAL, |f| unsafe { f(this, call, out) })
        })?;
        match Json::parse(&configuration, site.limits) {
            Ok(Json::Object(members)) => Ok((handle, members)),
            _ => Err(plugin.quarantine("it gave a configuration that is no JSON object").into()),
        }
    }
    /// Another object of the same plugin that lives as long as this one, which is kept beside it.
    pub(super) fn part(self: &Arc<Self>, this: *const c_void) -> (Self, Arc<Self>) {
        (Self { plugin: self.plugin.clone(), destroy: None, this: this.cast_mut() }, self.clone())
    }
    pub(super) fn plugin(&self) -> &Arc<Plugin> {
        &self.plugin
    }
    /// A call in which files may be opened.
    pub(super) fn with_roots(
        &self,
        limits: &Limits,
        options: &Options,
        roots: &[Str],
        f: impl FnOnce(*const c_void, *const abi::Call) -> Status,
    ) -> Result<()> {
        self.plugin.usable()?;
        let before = Environment::now();
        let ended = with_call(limits, options, |call| call::lend(call, roots, |call| f(self.this, call)));
        self.plugin.judge(before, ended, None)
    }
    /// A call of a function; what is lent is valid until it returns, and the function is not null.
    #[inline]
    pub(super) fn call(
        &self,
        call: &Call<'_>,
        f: impl FnOnce(*const c_void, *const abi::Call) -> Status,
    ) -> Result<()> {
        self.checked(call, |this, call| Ok((f(this, call), None)))
    }
    /// A call that lends more than can be had without errors of its own, or whose answer is checked at once.
    #[inline(always)]
    pub(super) fn checked(
        &self,
        call: &Call<'_>,
        f: impl FnOnce(*const c_void, *const abi::Call) -> Result<(Status, Option<Fault>)>,
    ) -> Result<()> {
        self.plugin.usable()?;
        let (mut fault, mut failed) = (None, None);
        let before = Environment::now();
        let ended = call::lend(call, &[], |call| match f(self.this, call) {
            Ok((status, found)) => {
                fault = found;
                status
            }
            Err(e) => {
                failed = Some(e);
                abi::OK
            }
        });
        self.plugin.judge(before, ended, fault)?;
        failed.map_or(Ok(()), Err)
    }
    /// A function without a call, which therefore cannot say what went wrong.
    #[inline]
    pub(super) fn ask(&self, f: impl FnOnce(*const c_void) -> Status) -> Result<()> {
        self.plugin.usable()?;
        let before = Environment::now();
        let status = f(self.this);
        self.plugin.judge(before, Ended { status, error: None }, None)
    }
    /// The abilities of the instance: all, if it does not say.
    pub(super) fn abilities(&self, head: &abi::Head) -> Result<u64> {
        let mut abilities = u64::MAX;
        if let Some(f) = head.abilities {
            // SAFETY: the instance is alive.
            self.ask(|this| unsafe { f(this, &raw mut abilities) })?;
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
        plain_call(limits, |call| {
            self.checked(call, |this, call| {
                let got = out::collected(limits.metadata_bytes, |out| f(this, call, out))?;
                text = got.2;
                Ok((got.0, got.1))
            })
        })?;
        Ok(text)
    }
    /// The error for an answer that no correct plugin gives.
    pub(super) fn fault(&self, what: &str) -> Error {
        self.plugin.quarantine(what).into()
    }
}

fn with_call<R>(limits: &Limits, options: &Options, f: impl FnOnce(&Call<'_>) -> R) -> R {
    let buffers = Pool::default();
    f(&Call { limits, options, executor: &Sequential, buffers: &buffers })
}

/// A call where the host has none.
pub(super) fn plain_call<R>(limits: &Limits, f: impl FnOnce(&Call<'_>) -> R) -> R {
    with_call(limits, const { &Options::DEFAULT }, f)
}
