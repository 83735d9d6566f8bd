//! Large pages for large buffers: touching fresh memory 4 KiB at a time costs more than filling it.
#![cfg_attr(target_os = "linux", allow(unsafe_code))]

/// Smaller buffers are not worth the call.
#[cfg(target_os = "linux")]
const LEAST: usize = 4 << 20;

/// Requests huge pages for a buffer that has not been touched yet. Its contents do not change.
#[cfg(target_os = "linux")]
pub(crate) fn advise(buffer: &mut [u8]) {
    const PAGE: usize = 4096;
    let start = buffer.as_mut_ptr() as usize;
    let (first, end) = (start.next_multiple_of(PAGE), (start + buffer.len()) & !(PAGE - 1));
    if end.saturating_sub(first) >= LEAST {
        // SAFETY: the range consists of whole pages inside a live exclusive borrow, and the advice does not change
        // their contents. If the call fails, nothing has changed, so the result is ignored.
        unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advise(_buffer: &mut [u8]) {}

#[cfg(test)]
mod tests {
    #[test]
    fn contents_are_preserved() {
        let mut big = vec![7u8; 9 << 20];
        super::advise(&mut big[3..]);
        super::advise(&mut []);
        assert!(big.iter().all(|b| *b == 7));
    }
}
