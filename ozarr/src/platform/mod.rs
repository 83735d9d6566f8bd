//! Code that differs between platforms: one small module for each task, with a portable fallback.

#[cfg(target_os = "linux")]
pub(crate) mod attributes;
pub(crate) mod directory;
pub(crate) mod huge_pages;
pub(crate) mod lock;
pub(crate) mod memory;
pub(crate) mod permissions;
pub(crate) mod process;
pub(crate) mod read_at;
#[cfg(unix)]
mod system_call;
pub(crate) mod threads;
pub(crate) mod version;
