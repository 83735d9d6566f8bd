//! Between the types of zarr-core and those of the ABI. Each module has two directions: `to_abi` exports one of ours
//! to the other side for a call, `from_abi` imports what the other side passes.

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

/// Runs code of ours where the other side cannot be told of a panic.
pub(crate) fn quietly<R>(f: impl FnOnce() -> R) -> Option<R> {
    // A payload's own drop may panic again.
    catch_unwind(AssertUnwindSafe(f)).map_err(std::mem::forget).ok()
}

/// Tells of a panic, and gives the status to return.
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
    // A payload's own drop may panic again.
    std::mem::forget(payload);
    if PLUGIN {
        return abi::E_PANIC;
    }
    let e = ErrorKind::Contract("a function that was passed to an extension panicked");
    // SAFETY: the caller's promise.
    unsafe { error::report(call, e.into()) }
}

/// Runs one of our functions that the other side calls. A panic does not cross: in a plugin it is answered with
/// [`E_PANIC`](abi::E_PANIC), in a host it is an error of ours.
///
/// # Safety
/// `call` is null or points to a `zp_call` that is being served.
#[inline(always)]
pub(crate) unsafe fn serve<const PLUGIN: bool>(call: *const abi::Call, f: impl FnOnce() -> Result<()>) -> Status {
    // Printing and dropping an author's error runs code of the author too.
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
