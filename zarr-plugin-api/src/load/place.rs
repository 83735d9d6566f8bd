//! The folders in which plugins are installed.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The folders in which to look for plugins, in order of precedence.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The absolute paths of the folders. A folder may be missing.
    pub folders: Vec<PathBuf>,
    /// Messages about folders that were ignored, with the reason.
    pub warnings: Vec<String>,
}

/// The path of the plugin folder below a folder for application data.
const BELOW: &str = "zarr/plugins";

impl Places {
    /// Returns the standard folders, in this order: `ZARR_PLUGIN_PATH`, the active Python and conda environments, the
    /// user's folder, the system's folders.
    ///
    /// `ZARR_PLUGIN_PATH` and the folders of environments and the user are ignored if the program has rights that its
    /// user does not have.
    pub fn standard() -> Self {
        Self::of(&|name| std::env::var_os(name), is_privileged())
    }
    /// Returns the standard folders for given environment variables.
    ///
    /// `privileged` states that the program has rights that its user does not have.
    pub fn of(variable: &dyn Fn(&str) -> Option<OsString>, privileged: bool) -> Self {
        let mut places = Self::default();
        if let Some(path) = variable("ZARR_PLUGIN_PATH").filter(|p| !p.is_empty()) {
            if privileged {
                places.warnings.push("ignoring ZARR_PLUGIN_PATH: the program runs with elevated privileges".to_owned());
            } else {
                places.explicit(&path);
            }
        }
        if !privileged {
            let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable);
            places.add(environments.map(|e| Path::new(&e).join("share").join(BELOW)));
            places.add(user_folder(variable));
        }
        if cfg!(unix) {
            places.add(["/usr/local/share", "/usr/share"].map(|p| Path::new(p).join(BELOW)));
        } else {
            places.add(variable("PROGRAMDATA").map(|p| Path::new(&p).join(BELOW)));
        }
        places
    }
    fn explicit(&mut self, path: &OsString) {
        for folder in std::env::split_paths(path) {
            if folder.is_absolute() {
                self.add([folder]);
            } else if !folder.as_os_str().is_empty() {
                let warning = format!("ignoring `{}` in ZARR_PLUGIN_PATH: not an absolute path", folder.display());
                self.warnings.push(warning);
            }
        }
    }
    fn add(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        for folder in folders {
            if folder.is_absolute() && !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }
    /// Returns the folder in which plugins of the current user are installed, or `None` if the environment does not
    /// define one.
    pub fn of_user() -> Option<PathBuf> {
        user_folder(&|name| std::env::var_os(name))
    }
}

fn user_folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || variable("HOME").filter(|h| !h.is_empty()).map(PathBuf::from);
    let data = if cfg!(windows) {
        variable("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_vendor = "apple") {
        home().map(|h| h.join("Library/Application Support"))
    } else {
        let data = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        data.or_else(|| home().map(|h| h.join(".local/share")))
    };
    data.map(|d| d.join(BELOW))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_privileged() -> bool {
    // SAFETY: `getauxval` only returns a number.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn is_privileged() -> bool {
    // SAFETY: these functions take no arguments, only return numbers, and cannot fail.
    unsafe { libc::getuid() != libc::geteuid() || libc::getgid() != libc::getegid() }
}

#[cfg(not(unix))]
fn is_privileged() -> bool {
    false
}

#[cfg(all(test, unix, not(target_vendor = "apple")))]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)], privileged: bool) -> Places {
        let get = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v));
        Places::of(&get, privileged)
    }

    #[test]
    fn search_order() {
        let variables = [
            ("ZARR_PLUGIN_PATH", "/a:relative::/b:/a"),
            ("VIRTUAL_ENV", "/venv"),
            ("CONDA_PREFIX", "/conda"),
            ("HOME", "/home/me"),
        ];
        let places = of(&variables, false);
        let wanted = [
            "/a",
            "/b",
            "/venv/share/zarr/plugins",
            "/conda/share/zarr/plugins",
            "/home/me/.local/share/zarr/plugins",
            "/usr/local/share/zarr/plugins",
            "/usr/share/zarr/plugins",
        ];
        assert_eq!(places.folders, wanted.map(PathBuf::from));
        assert_eq!(places.warnings.len(), 1, "{:?}", places.warnings);
        assert!(places.warnings[0].contains("relative"));
        let privileged = of(&variables, true);
        assert_eq!(privileged.folders, wanted[5..].iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(privileged.warnings.len(), 1);
        let moved = of(&[("XDG_DATA_HOME", "/data"), ("HOME", "/home/me")], false);
        assert_eq!(moved.folders[0], Path::new("/data/zarr/plugins"));
    }
}
