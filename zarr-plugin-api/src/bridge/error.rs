//! Converts errors to statuses and texts, and back.

use super::{call::CallState, guard::Answer};
use crate::abi::{self, Status, Str};
use std::io;
use zarr_core::{Error, ErrorKind};

/// A status for which the other side has already recorded the error.
#[derive(Debug, thiserror::Error)]
#[error("status {0} of the plugin interface")]
struct Relayed(Status);

/// An error of the other side for which zarr-core has no kind.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Reported {
    status: Status,
    message: String,
}

/// Returns the status for an error.
pub(crate) fn status_of(e: &Error) -> Status {
    match e.kind() {
        ErrorKind::Configuration(_) | ErrorKind::Metadata(_) | ErrorKind::Json { .. } => abi::E_CONFIGURATION,
        ErrorKind::InvalidCodecChain(_) | ErrorKind::UnknownExtension { .. } => abi::E_UNSUPPORTED,
        ErrorKind::Data(_) => abi::E_DATA,
        ErrorKind::Limit { .. } | ErrorKind::Budget { .. } | ErrorKind::Memory(_) => abi::E_LIMIT,
        ErrorKind::Suspended => abi::E_SUSPENDED,
        ErrorKind::KeyNotFound => abi::E_MISSING,
        ErrorKind::FillValue(_) => abi::E_FILL_VALUE,
        ErrorKind::Argument(_) | ErrorKind::Name(_) => abi::E_ARGUMENT,
        ErrorKind::Io(_) => abi::E_IO,
        ErrorKind::Unsupported(_) => abi::E_ABILITY,
        ErrorKind::Plugin(e) => match (e.downcast_ref::<Relayed>(), e.downcast_ref::<Reported>()) {
            (Some(Relayed(status)), _) => *status,
            (_, Some(reported)) => reported.status,
            _ => abi::E_INTERNAL,
        },
        _ => abi::E_INTERNAL,
    }
}

/// Creates an error from a status and the texts that were reported with it.
pub(crate) fn rebuilt(status: Status, message: &str, hint: Option<&str>) -> Error {
    let (text, path) = split(message);
    let text = text.to_owned();
    let status = if (abi::E_CONFIGURATION..=abi::E_PANIC).contains(&status) { status } else { abi::E_INTERNAL };
    let kind = match status {
        abi::E_CONFIGURATION => ErrorKind::Configuration(text),
        abi::E_UNSUPPORTED => ErrorKind::InvalidCodecChain(text),
        abi::E_DATA => ErrorKind::Data(text),
        abi::E_SUSPENDED => ErrorKind::Suspended,
        abi::E_FILL_VALUE => ErrorKind::FillValue(text),
        abi::E_ARGUMENT => ErrorKind::Argument(text),
        abi::E_IO => ErrorKind::Io(io::Error::other(text)),
        _ => ErrorKind::Plugin(Box::new(Reported { status, message: text })),
    };
    let e = match path {
        Some(path) => Error::new(kind).within(path),
        None => kind.into(),
    };
    match hint {
        Some(hint) => e.with_hint(hint),
        None => e,
    }
}

/// Splits a message that ends with ` (at configuration.some[1].member)`: the host prepends the extension's own path to
/// the path.
fn split(message: &str) -> (&str, Option<&str>) {
    let place = message.strip_suffix(')').and_then(|m| m.rsplit_once(" (at "));
    let is_path = |p: &str| p.starts_with("configuration") && !p.contains(char::is_whitespace);
    match place {
        Some((text, path)) if is_path(path) => (text, Some(path)),
        _ => (message, None),
    }
}

/// Returns whether the other side reported that nothing is stored.
pub(crate) fn is_missing(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::Plugin(e) if e.downcast_ref::<Reported>().is_some_and(|r| r.status == abi::E_MISSING))
}

/// Returns the message of an error without the prefix that `rebuilt` adds again.
fn message_of(e: &Error) -> String {
    let text = match e.kind() {
        ErrorKind::Configuration(s)
        | ErrorKind::InvalidCodecChain(s)
        | ErrorKind::Data(s)
        | ErrorKind::FillValue(s)
        | ErrorKind::Argument(s) => s.clone(),
        other => other.to_string(),
    };
    match e.json_path() {
        Some(path) => format!("{text} (at {path})"),
        None => text,
    }
}

/// Creates the error for a status that a function of the other side returned. The other side has recorded the cause
/// with the call.
pub(crate) fn relayed(status: Status) -> Error {
    match status {
        abi::E_SUSPENDED => ErrorKind::Suspended.into(),
        abi::E_MISSING => ErrorKind::KeyNotFound.into(),
        status => ErrorKind::Plugin(Box::new(Relayed(status))).into(),
    }
}

/// As [`relayed`], but [`abi::OK`] is success.
pub(crate) fn check(status: Status) -> zarr_core::Result<()> {
    if status == abi::OK { Ok(()) } else { Err(relayed(status)) }
}

/// Stores an error of this side, and returns only its status for the other side.
pub(crate) fn set_aside(answer: zarr_core::Result<Answer>, failed: &mut Option<Error>) -> Answer {
    answer.unwrap_or_else(|e| {
        let status = status_of(&e);
        *failed = Some(e);
        (status, None)
    })
}

/// Reports an error to the caller, and returns the status for it.
///
/// # Safety
/// `call` is null or points to a `zp_call` that is being served.
pub(crate) unsafe fn report(call: *const abi::Call, e: Error) -> Status {
    let status = status_of(&e);
    if matches!(e.kind(), ErrorKind::Plugin(p) if p.is::<Relayed>()) {
        return status;
    }
    // SAFETY: the caller's promise.
    if let Some(state) = unsafe { CallState::of(call) } {
        state.record(e);
        return status;
    }
    if status != abi::E_SUSPENDED {
        // SAFETY: as above.
        unsafe { set_error(call, status, &message_of(&e), e.hint()) };
    }
    status
}

/// Calls `set_error`.
///
/// # Safety
/// As [`report`].
pub(crate) unsafe fn set_error(call: *const abi::Call, status: Status, message: &str, hint: Option<&str>) {
    let Some(Some(set_error)) = abi::member!(call, Call.set_error) else { return };
    let (message, hint) = (Str::new(message), hint.map(Str::new));
    // SAFETY: the texts and the call live until it returns.
    unsafe { set_error(call, status, &raw const message, hint.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)) };
}
