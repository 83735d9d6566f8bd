//! What calls of the other side answer, and who watches over them.

use crate::abi::Status;
use zarr_core::{Error, Result};

/// An answer that no correct callee gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) &'static str);

/// What a function answered, and what is wrong with that if no correct callee answers so.
pub(crate) type Answer = (Status, Option<Fault>);

/// What came of an exported call. Two words, which come back in registers: almost always there is nothing to tell.
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) wrong: Option<Box<Wrong>>,
}

/// What went wrong, whatever the status.
pub(crate) enum Wrong {
    /// What no correct callee answers; comes before an error that was reported with it.
    Contract(Fault),
    /// What the other side recorded.
    Reported(Error),
}

/// Watches over the calls of a side that is not trusted.
pub(crate) trait Guard: Send + Sync {
    /// Runs a call, unless the other side is to be called no more; gives what the call means.
    fn run(&self, call: &mut dyn FnMut() -> Ended) -> Result<()>;
    /// Runs a function that only gives something back, unless the other side is to be called no more.
    fn end(&self, end: &mut dyn FnMut());
}
