//! Waiting for processes.

use ozarr::Result;
use std::{
    process::{Child, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// Waits for a process to end; returns `None` if it makes no progress for the duration `patience`.
///
/// # Errors
/// If the system cannot report the state of the process.
pub(crate) fn wait(
    child: &mut Child,
    patience: Duration,
    mut progress: impl FnMut() -> Result<u64>,
) -> Result<Option<ExitStatus>> {
    let (mut at, mut since) = (progress()?, Instant::now());
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let now = progress()?;
        if now != at {
            (at, since) = (now, Instant::now());
        }
        if since.elapsed() > patience {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
