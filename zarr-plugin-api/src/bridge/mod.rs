//! Between the types of zarr-core and those of the ABI. Each module has two directions: *lend* gives one of ours to the
//! other side for a call, *take* makes one of ours from what the other side lends.

pub(crate) mod array;
pub(crate) mod call;
pub(crate) mod callback;
pub(crate) mod error;
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

/// An answer that no correct callee gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) &'static str);

/// What a function answered, and what is wrong with that if no correct callee answers so.
pub(crate) type Answer = (Status, Option<Fault>);

/// Watches over the calls of a side that is not trusted.
pub(crate) trait Guard: Send + Sync {
    /// Runs a call, unless the other side is to be called no more; gives what the call means.
    fn run(&self, call: &mut dyn FnMut() -> call::Ended) -> Result<()>;
    /// Runs a function that only gives something back, unless the other side is to be called no more.
    fn end(&self, end: &mut dyn FnMut());
}

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
        unsafe { error::say(call, abi::E_PANIC, text, None) };
    }
    // A payload's own drop may panic again.
    std::mem::forget(payload);
    if PLUGIN {
        return abi::E_PANIC;
    }
    let e = ErrorKind::Contract("a function that was lent to an extension panicked");
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
