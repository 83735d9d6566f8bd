//! Checks a library before it is loaded.
//!
//! The system's loader maps a truncated file without an error, and the program is killed when it accesses a missing
//! part.

/// Checks that bytes are a complete shared library for this machine; otherwise returns the reason why not.
pub(crate) fn check(bytes: &[u8]) -> Result<(), &'static str> {
    if cfg!(not(all(unix, not(target_vendor = "apple"), target_endian = "little"))) {
        return Ok(());
    }
    let wide = cfg!(target_pointer_width = "64");
    if !bytes.starts_with(b"\x7fELF") {
        return Err("not an ELF file");
    }
    if bytes.get(4) != Some(if wide { &2 } else { &1 }) {
        return Err(if wide { "not a 64-bit file" } else { "not a 32-bit file" });
    }
    if bytes.get(5) != Some(&1) {
        return Err("wrong byte order");
    }
    let file = File { bytes, wide };
    let cut = "the file is truncated";
    if file.half(16).ok_or(cut)? != 3 {
        return Err("not a shared library");
    }
    let machine = match std::env::consts::ARCH {
        "x86_64" => Some(62),
        "x86" => Some(3),
        "aarch64" => Some(183),
        "arm" => Some(40),
        "riscv64" => Some(243),
        _ => None,
    };
    let found = file.half(18).ok_or(cut)?;
    if machine.is_some_and(|m| m != found) {
        return Err("built for another processor architecture");
    }
    file.parts_are_there().ok_or(cut)
}

struct File<'b> {
    bytes: &'b [u8],
    wide: bool,
}

impl File<'_> {
    fn half(&self, at: u64) -> Option<u64> {
        self.number(at, 2)
    }
    fn number(&self, at: u64, n: usize) -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        let part = self.bytes.get(at..at.checked_add(n)?)?;
        Some(part.iter().rev().fold(0, |all, b| all << 8 | u64::from(*b)))
    }
    /// Reads an address or offset, whose position differs between 32-bit and 64-bit files.
    fn word(&self, narrow: u64, wide: u64) -> Option<u64> {
        if self.wide { self.number(wide, 8) } else { self.number(narrow, 4) }
    }
    fn contains(&self, start: u64, len: u64) -> Option<()> {
        (start.checked_add(len)? <= self.bytes.len() as u64).then_some(())
    }
    /// Checks that all loaded segments and the section table, which comes last, lie within the file.
    fn parts_are_there(&self) -> Option<()> {
        let (segments, sections) = (self.word(28, 32)?, self.word(32, 40)?);
        let sizes = if self.wide { 54 } else { 42 };
        let segment = |k: u64| {
            let at = segments.checked_add(k.checked_mul(self.half(sizes)?)?)?;
            let (offset, len) = (self.word(at.checked_add(4)?, at.checked_add(8)?)?, self.word(at + 16, at + 32)?);
            if self.number(at, 4)? == 1 { self.contains(offset, len) } else { Some(()) }
        };
        (0..self.half(sizes + 2)?).try_for_each(segment)?;
        self.contains(sections, self.half(sizes + 4)?.checked_mul(self.half(sizes + 6)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_truncated_anywhere_is_refused() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(check(&program), Ok(()), "tests are position independent");
        for keep in [0, 3, 10, 63, 64, 100, program.len() / 2, program.len() - 1] {
            assert!(check(&program[..keep]).is_err(), "{keep} of {}", program.len());
        }
        for at in 0..64 {
            for bits in [1, 0x80, 0xff] {
                let mut bad = program.clone();
                bad[at] ^= bits;
                let _no_panic = check(&bad);
            }
        }
    }
}
