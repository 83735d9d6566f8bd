//! How much memory there is.
#![cfg_attr(unix, allow(unsafe_code))]

/// Bytes of physical memory, or what a container allows of them. `None` where that is not known.
pub(crate) fn of_the_machine() -> Option<u64> {
    let physical = physical()?;
    Some(container().map_or(physical, |limit| limit.min(physical)))
}

#[cfg(unix)]
fn physical() -> Option<u64> {
    // SAFETY: these only ask for numbers.
    let [pages, page] = unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    let bytes = u64::try_from(pages).ok()?.checked_mul(u64::try_from(page).ok()?)?;
    (bytes > 0).then_some(bytes)
}

#[cfg(not(unix))]
fn physical() -> Option<u64> {
    None
}

/// The limit of the control group that a container's processes see as the topmost.
fn container() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    // Without a limit it says `max`.
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn is_what_the_kernel_says_at_most() {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap();
        let total: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        let found = super::of_the_machine().unwrap();
        assert!((1 << 20..=(total + 1) << 10).contains(&found), "{found} of {total} KiB");
        assert_eq!(super::physical().unwrap() >> 10, total);
    }
}
