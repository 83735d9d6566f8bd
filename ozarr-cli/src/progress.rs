//! Shows the progress of long work in one line on standard error, if that is a terminal.

use ozarr_tools::{Progress, Stage};
use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A bar that grows with the completed work.
pub(crate) struct Bar {
    done: AtomicU64,
    work: Mutex<Option<Work>>,
    visible: bool,
}

struct Work {
    stage: Stage,
    total: u64,
    start: Instant,
    shown: Option<Instant>,
}

impl Bar {
    /// Shows the bar only if standard error is a terminal.
    pub(crate) fn new(visible: bool) -> Self {
        Self { done: AtomicU64::new(0), work: Mutex::new(None), visible: visible && io::stderr().is_terminal() }
    }
    fn clear(&self) {
        if self.visible {
            let _there_may_be_no_terminal = write!(io::stderr().lock(), "\r{:70}\r", "");
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        self.clear();
        if let Ok(mut work) = self.work.lock() {
            self.done.store(0, Ordering::Relaxed);
            *work = Some(Work { stage, total, start: Instant::now(), shown: None });
        }
    }
    fn add(&self, n: u64) {
        let done = self.done.fetch_add(n, Ordering::Relaxed) + n;
        if !self.visible {
            return;
        }
        let Ok(mut work) = self.work.try_lock() else { return };
        let Some(work) = work.as_mut() else { return };
        if work.shown.is_none_or(|at| at.elapsed() > Duration::from_millis(100)) {
            work.shown = Some(Instant::now());
            let share = done.min(work.total) as f64 / work.total.max(1) as f64;
            let filled = (share * 30.0) as usize;
            let bar: String = (0..30).map(|i| if i < filled { '#' } else { '.' }).collect();
            let _there_may_be_no_terminal = write!(
                io::stderr().lock(),
                "\r{} [{bar}] {:3.0}% {:.0} s ",
                work.stage,
                share * 100.0,
                work.start.elapsed().as_secs_f64()
            );
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
