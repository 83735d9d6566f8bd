//! The floating-point environment of a thread: the rounding mode, and the treatment of subnormal numbers.
//!
//! Some compilers add code to libraries that changes it when they are loaded, which may change every later result of
//! the program. Masks of exceptions are ignored, because they do not change results.

/// The state of the environment before a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Environment {
    /// Rounding to nearest, and subnormal numbers as they are.
    Usual,
    /// Any other environment, with its control word.
    Other(u64),
}

/// Detects the usual environment by four sums in one instruction: reading the control word takes as long as a whole
/// call.
///
/// The smallest subnormal number must be preserved. 1 + 3/4 of a step must be rounded up, which rounding down and
/// toward zero do not do. 1 + 1/4 of a step must be rounded down, which rounding up does not do.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn is_usual() -> bool {
    const STEP: f32 = f32::EPSILON;
    let sums = add([f32::from_bits(1), 1.0, 1.0, 0.0], [0.0, STEP * 0.75, STEP * 0.25, 0.0]);
    let bits = |x: [f32; 4]| x.map(f32::to_bits);
    bits(sums) == bits([f32::from_bits(1), 1.0 + STEP, 1.0, 0.0])
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn add(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    use std::arch::x86_64::__m128;
    // SAFETY: both types are four 32-bit numbers.
    let (mut sum, b) =
        unsafe { (std::mem::transmute::<[f32; 4], __m128>(a), std::mem::transmute::<[f32; 4], __m128>(b)) };
    // SAFETY: adds two registers. The block is not `pure`, because it must not move across a call.
    unsafe { std::arch::asm!("addps {}, {}", inout(xmm_reg) sum, in(xmm_reg) b, options(nomem, nostack)) };
    // SAFETY: as above.
    unsafe { std::mem::transmute::<__m128, [f32; 4]>(sum) }
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn add(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    use std::arch::aarch64::float32x4_t;
    // SAFETY: both types are four 32-bit numbers.
    let (a, b) = unsafe { (std::mem::transmute::<_, float32x4_t>(a), std::mem::transmute::<_, float32x4_t>(b)) };
    let sum: float32x4_t;
    // SAFETY: adds two registers. The block is not `pure`, because it must not move across a call.
    unsafe {
        std::arch::asm!("fadd {:v}.4s, {:v}.4s, {:v}.4s", out(vreg) sum, in(vreg) a, in(vreg) b, options(nomem, nostack));
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<float32x4_t, [f32; 4]>(sum) }
}

#[cfg(target_arch = "x86_64")]
mod word {
    /// Status flags, which only record exceptions that occurred.
    const SEEN: u32 = 0x3f;

    pub(super) fn get() -> u64 {
        let mut mxcsr = 0u32;
        // SAFETY: stores four bytes in `mxcsr`.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
        u64::from(mxcsr & !SEEN)
    }
    pub(super) fn set(word: u64) {
        let mxcsr = word as u32;
        // SAFETY: the value was read by `get`, possibly with some bits cleared, so no reserved bit is set.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, readonly)) };
    }
    /// The bits for the rounding mode and the treatment of subnormal numbers.
    pub(super) const RESULTS: u64 = 0x6000 | 0x8000 | 0x40;
}

#[cfg(target_arch = "aarch64")]
mod word {
    pub(super) fn get() -> u64 {
        let fpcr: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) };
        fpcr
    }
    pub(super) fn set(word: u64) {
        // SAFETY: the value was read by `get`, possibly with some bits cleared.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) word, options(nomem, nostack)) };
    }
    /// The bits for the rounding mode and the treatment of subnormal numbers.
    pub(super) const RESULTS: u64 = 0b111 << 22 | 1 << 19;
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod word {
    pub(super) fn get() -> u64 {
        0
    }
    pub(super) fn set(_: u64) {}
    pub(super) const RESULTS: u64 = 0;
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn is_usual() -> bool {
    true
}

impl Environment {
    #[inline]
    pub(crate) fn now() -> Self {
        if is_usual() { Self::Usual } else { Self::Other(word::get()) }
    }
    /// Restores the environment, and returns whether it had been changed.
    #[inline]
    pub(crate) fn restore(self) -> bool {
        match self {
            Self::Usual if is_usual() => false,
            Self::Usual => {
                word::set(word::get() & !word::RESULTS);
                true
            }
            Self::Other(before) => {
                let changed = word::get() != before;
                if changed {
                    word::set(before);
                }
                changed
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Tests every rounding mode and both treatments that lose subnormal numbers, alone and together.
    #[test]
    fn every_change_is_detected_and_undone() {
        let usual = word::get();
        assert!(is_usual());
        for rounding in [0u64, 0x2000, 0x4000, 0x6000] {
            for subnormal in [0u64, 0x8000, 0x40, 0x8040] {
                let other = usual | rounding | subnormal;
                let before = Environment::now();
                word::set(other);
                let seen = is_usual();
                let changed = before.restore();
                assert_eq!((seen, changed), (other == usual, other != usual), "{other:x}");
                assert_eq!(word::get(), usual);

                // Also from that environment back to the usual one.
                word::set(other);
                let before = Environment::now();
                word::set(usual);
                let changed = before.restore();
                let now = word::get();
                word::set(usual);
                assert_eq!((changed, now), (other != usual, other), "{other:x}");
            }
        }
    }
}
