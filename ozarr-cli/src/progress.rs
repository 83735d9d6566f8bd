//! Progress of long work: one line on standard error, if that is a terminal.

use std::{
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Counts what is done of a whole.
pub(crate) struct Progress {
    what: &'static str,
    total: u64,
    done: AtomicU64,
    start: Instant,
    shown: std::sync::Mutex<Option<Instant>>,
    visible: bool,
}

impl Progress {
    /// Begins. `total` is in any unit.
    pub(crate) fn new(what: &'static str, total: u64) -> Self {
        let visible = io::stderr().is_terminal();
        Self {
            what,
            total,
            done: AtomicU64::new(0),
            start: Instant::now(),
            shown: std::sync::Mutex::new(None),
            visible,
        }
    }
    /// Adds what was done.
    pub(crate) fn add(&self, n: u64) {
        let done = self.done.fetch_add(n, Ordering::Relaxed) + n;
        if !self.visible {
            return;
        }
        let Ok(mut shown) = self.shown.try_lock() else { return };
        if shown.is_none_or(|at| at.elapsed() > Duration::from_millis(100)) {
            *shown = Some(Instant::now());
            let share = done.min(self.total) as f64 / self.total.max(1) as f64;
            let filled = (share * 30.0) as usize;
            let bar: String = (0..30).map(|i| if i < filled { '#' } else { '.' }).collect();
            let _nobody_listens = write!(
                io::stderr().lock(),
                "\r{} [{bar}] {:3.0}% {:.0} s ",
                self.what,
                share * 100.0,
                self.start.elapsed().as_secs_f64()
            );
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.visible {
            let _nobody_listens = write!(io::stderr().lock(), "\r{:70}\r", "");
        }
    }
}
