//! Retries operations that failed only because of what others did at the same time.

use std::io::{self, ErrorKind};

/// The number of attempts when other writers remove or fill a directory during an operation.
pub(super) const ATTEMPTS: usize = 64;

/// Errors after which an operation is repeated. `AlreadyExists`: a directory was removed between being found and
/// examined.
pub(super) const PASSING: [ErrorKind; 3] =
    [ErrorKind::NotFound, ErrorKind::AlreadyExists, ErrorKind::StaleNetworkFileHandle];

/// Repeats `f` while it fails with one of these errors.
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
