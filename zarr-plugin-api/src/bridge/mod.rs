//! Converts between the types of zarr-core and those of the ABI. The modules have two directions: `to_abi` exports a
//! value of this side to the other side for a call, and `from_abi` imports a value that the other side passes.

pub(crate) mod array;
pub(crate) mod call;
pub(crate) mod callback;
pub(crate) mod error;
#[cfg(feature = "load")]
pub(crate) mod float_env;
pub(crate) mod guard;
pub(crate) mod out;
pub(crate) mod representation;
pub(crate) mod source;
pub(crate) mod store;

use crate::abi::{self, Status};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};
use zarr_core::{ErrorKind, Result};

/// Runs code of this side where a panic cannot be reported to the other side.
pub(crate) fn quietly<R>(f: impl FnOnce() -> R) -> Option<R> {
    // Dropping a panic's payload may panic again, so it is forgotten.
    catch_unwind(AssertUnwindSafe(f)).map_err(std::mem::forget).ok()
}

/// Reports a panic, and returns the status for it.
///
/// # Safety
/// As [`serve`].
#[cold]
unsafe fn panicked<const PLUGIN: bool>(call: *const abi::Call, payload: Box<dyn Any + Send>) -> Status {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked");
    if PLUGIN {
        // SAFETY: the caller's promise.
        unsafe { error::set_error(call, abi::E_PANIC, text, None) };
    }
    // Dropping a panic's payload may panic again, so it is forgotten.
    std::mem::forget(payload);
    if PLUGIN {
        return abi::E_PANIC;
    }
    let e = ErrorKind::Contract("a callback that was passed to an extension panicked");
    // SAFETY: the caller's promise.
    unsafe { error::report(call, e.into()) }
}

/// Runs a function of this side that the other side calls. A panic does not cross: a plugin returns
/// [`E_PANIC`](abi::E_PANIC), a host reports an error of its own.
///
/// # Safety
/// `call` is null or points to a `zp_call` that is being served.
#[inline(always)]
pub(crate) unsafe fn serve<const PLUGIN: bool>(call: *const abi::Call, f: impl FnOnce() -> Result<()>) -> Status {
    // Formatting and dropping an author's error also runs code of the author, so it happens where panics are caught.
    let run = || match f() {
        Ok(()) => abi::OK,
        // SAFETY: the caller's promise.
        Err(e) => unsafe { error::report(call, e) },
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(status) => status,
        // SAFETY: the caller's promise.
        Err(payload) => unsafe { panicked::<PLUGIN>(call, payload) },
    }
}
