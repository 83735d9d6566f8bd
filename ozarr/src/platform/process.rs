//! Processes of this machine.
#![cfg_attr(unix, allow(unsafe_code))]

/// Returns true if a process has this number, even of another user. Where this cannot be determined, returns true.
pub(crate) fn is_running(process: u32) -> bool {
    #[cfg(unix)]
    {
        // Zero and negative numbers stand for groups of processes.
        let Some(process) = i32::try_from(process).ok().filter(|process| *process > 0) else { return false };
        // SAFETY: the call takes only integers, and signal 0 is not sent to any process.
        let sent = unsafe { libc::kill(process, 0) };
        sent == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
    }
    #[cfg(not(unix))]
    {
        let _unknown = process;
        true
    }
}

/// Returns the effective user of this process.
#[cfg(unix)]
pub(crate) fn user() -> u32 {
    // SAFETY: the call has no arguments, changes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::is_running;

    #[test]
    fn ended_processes_are_not_running() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(is_running(child.id()) && is_running(std::process::id()) && is_running(1));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_running(child.id()) && !is_running(0) && !is_running(u32::MAX));
    }
}
