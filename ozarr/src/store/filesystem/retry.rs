//! Repeating what failed only because of something that others did at the same time.

use std::io::{self, ErrorKind};

/// How often an operation is repeated when another one takes a directory away or fills it meanwhile.
pub(super) const ATTEMPTS: usize = 64;

/// Errors after which it is repeated. "Exists": a directory was removed between being found and being looked at.
pub(super) const PASSING: [ErrorKind; 3] =
    [ErrorKind::NotFound, ErrorKind::AlreadyExists, ErrorKind::StaleNetworkFileHandle];

/// Repeats `f` while it fails for one of the reasons that pass.
pub(super) fn retry<T>(passing: &[ErrorKind], mut f: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut left = ATTEMPTS;
    loop {
        match f() {
            Err(e) if passing.contains(&e.kind()) && left > 0 => {
                left -= 1;
                std::thread::yield_now();
            }
            other => return other,
        }
    }
}
