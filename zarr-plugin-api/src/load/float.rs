//! The floating-point environment of a thread: rounding, and what happens to tiny numbers. Some compilers put code into
//! libraries that changes it when they are loaded, and then every later result of the program may change.

/// The control bits, without those that only tell what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Environment(u64);

#[cfg(target_arch = "x86_64")]
impl Environment {
    const SEEN: u32 = 0x3f;

    pub(crate) fn now() -> Self {
        let mut mxcsr = 0u32;
        // SAFETY: stores four bytes where it is told to.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
        Self(u64::from(mxcsr & !Self::SEEN))
    }
    fn set(self) {
        let mxcsr = self.0 as u32;
        // SAFETY: the value was read by `now`, so no reserved bit is set.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, readonly)) };
    }
}

#[cfg(target_arch = "aarch64")]
impl Environment {
    pub(crate) fn now() -> Self {
        let fpcr: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) };
        Self(fpcr)
    }
    fn set(self) {
        // SAFETY: the value was read by `now`.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) self.0, options(nomem, nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Environment {
    pub(crate) fn now() -> Self {
        Self(0)
    }
    fn set(self) {}
}

impl Environment {
    /// Puts it back. True if it had been changed.
    #[inline]
    pub(crate) fn restore(self) -> bool {
        let changed = Self::now() != self;
        if changed {
            self.set();
        }
        changed
    }
}
