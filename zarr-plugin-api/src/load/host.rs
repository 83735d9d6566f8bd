//! The description of the host that plugins receive, and the call of a plugin's entry function.

use super::Reason;
use crate::{
    abi,
    bridge::{call, float_env::Environment, guard::Wrong},
};
use zarr_core::limits::Limits;

/// Calls the entry function and returns a copy of the descriptor.
pub(super) fn enter(entry: abi::Entry) -> Result<abi::Plugin, Reason> {
    let mut found = std::ptr::null();
    let before = Environment::now();
    let ended = call::to_abi_plain(&Limits::default(), |call| {
        // SAFETY: the ABI defines the type of the entry function; host and call live until it returns.
        found = with_host(|host| unsafe { entry(host, call) });
        (abi::OK, None)
    });
    before.restore();
    if found.is_null() {
        return Err(Reason::Refused(match ended.wrong.as_deref() {
            Some(Wrong::Reported(e)) => e.to_string(),
            _ => "no message".to_owned(),
        }));
    }
    // SAFETY: the descriptor is static, and begins with its size.
    unsafe { abi::copied(found) }.ok_or(Reason::Descriptor("its size is missing"))
}

/// Exports the description of this host for the duration of `f`.
pub(super) fn with_host<R>(f: impl FnOnce(*const abi::Host) -> R) -> R {
    let (name, version) = (abi::Str::new("ozarr"), abi::Str::new(env!("CARGO_PKG_VERSION")));
    f(&abi::Host {
        struct_size: abi::size32::<abi::Host>(),
        abi_minor: abi::MINOR,
        name: &raw const name,
        version: &raw const version,
    })
}
