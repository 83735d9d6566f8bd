//! The results of calls to the other side, and the trait that monitors them.

use crate::abi::Status;
use zarr_core::{Error, Result};

/// A result that no correct callee returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) &'static str);

/// The status that a function returned, and the fault if no correct callee returns this result.
pub(crate) type Answer = (Status, Option<Fault>);

/// The result of an exported call. It is two words, so that it is returned in registers: there is almost never an
/// error.
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) wrong: Option<Box<Wrong>>,
}

/// The error of a call, whatever its status is.
pub(crate) enum Wrong {
    /// A result that no correct callee returns. It takes precedence over an error that was reported with it.
    Contract(Fault),
    /// The error that the other side reported.
    Reported(Error),
}

/// Monitors calls to a side that is not trusted.
pub(crate) trait Guard: Send + Sync {
    /// Runs a call and returns its result, or an error if the other side may no longer be called.
    fn run(&self, call: &mut dyn FnMut() -> Ended) -> Result<()>;
    /// Runs a function that only releases something, unless the other side may no longer be called.
    fn end(&self, end: &mut dyn FnMut());
}
