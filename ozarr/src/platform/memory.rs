//! The size of the machine's memory.
#![cfg_attr(unix, allow(unsafe_code))]

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Returns the bytes of physical memory, or the part that the process may use. `None` if that is not known.
pub(crate) fn of_the_machine() -> Option<u64> {
    let physical = physical()?;
    let limit = if cfg!(target_os = "linux") { control_groups(Path::new("/")) } else { None };
    Some(limit.map_or(physical, |limit| limit.min(physical)))
}

#[cfg(unix)]
fn physical() -> Option<u64> {
    // SAFETY: these calls take integers and access no memory of this process.
    let [pages, page] = unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    let bytes = u64::try_from(pages).ok()?.checked_mul(u64::try_from(page).ok()?)?;
    (bytes > 0).then_some(bytes)
}

#[cfg(not(unix))]
fn physical() -> Option<u64> {
    None
}

/// Returns the smallest limit of the process's control groups, of versions 1 and 2, and of all groups above them.
/// `root` is the root of the file system. `None` if there is no limit.
fn control_groups(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    text.lines().filter_map(|line| limit_of(root, line)).min()
}

/// Returns the limit of one line: `0::PATH` for version 2, `NUMBER:CONTROLLERS:PATH` for version 1.
fn limit_of(root: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let (mount, file) = match controllers {
        "" => ("sys/fs/cgroup", "memory.max"),
        _ if controllers.split(',').any(|c| c == "memory") => ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        _ => return None,
    };
    let mount = root.join(mount);
    // In a container, the path of a group that is not visible begins with `..` or does not exist in the mounted tree.
    // The visible groups are then those above it.
    let names = Path::new(path).components().filter(|c| matches!(c, Component::Normal(_)));
    let group: PathBuf = names.collect();
    // If there is no limit, version 2 has `max`, which does not parse, and version 1 a number larger than any memory.
    let limit = |group: &Path| fs::read_to_string(mount.join(group).join(file)).ok()?.trim().parse().ok();
    group.ancestors().filter_map(limit).min()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_at_most_that_of_the_machine() {
        let text = fs::read_to_string("/proc/meminfo").unwrap();
        let total: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
        let found = of_the_machine().unwrap();
        assert!((1 << 20..=(total + 1) << 10).contains(&found), "{found} of {total} KiB");
        assert_eq!(physical().unwrap() >> 10, total);
    }

    #[test]
    fn the_lowest_limit_counts() {
        const V1: &str = "sys/fs/cgroup/memory";
        const NONE: &str = "9223372036854771712\n";
        let v2 = |path: &str| format!("sys/fs/cgroup/{path}memory.max");
        let v1 = |path: &str| format!("{V1}/{path}memory.limit_in_bytes");
        for (own, files, expected) in [
            // Nothing is known.
            (None, vec![(v2(""), "5")], None),
            (Some("0::/\n"), vec![], None),
            (Some("0::/a/b\n"), vec![(v2("a/b/"), "max\n"), (v2("a/"), "max\n")], None),
            (Some("no line\n1\n:\n"), vec![(v2(""), "5"), (v1(""), "5")], None),
            // In a container with its own view, and outside of any.
            (Some("0::/\n"), vec![(v2(""), "1000\n")], Some(1000)),
            (Some("0::/a/b\n"), vec![(v2("a/b/"), "2000\n"), (v2("a/"), "3000\n"), (v2("c/"), "1\n")], Some(2000)),
            (Some("0::/a/b\n"), vec![(v2("a/b/"), "max\n"), (v2("a/"), "3000\n")], Some(3000)),
            (Some("0::/a/b\n"), vec![(v2("a/b/"), "2000\n"), (v2("a/"), "max\n"), (v2(""), "1500\n")], Some(1500)),
            // Groups that are not visible in a container.
            (Some("0::/../other\n"), vec![(v2(""), "700\n")], Some(700)),
            (Some("0::/../../x\n"), vec![("sys/memory.max".into(), "1\n"), (v2(""), "700\n")], Some(700)),
            (Some("0::/docker/3f\n"), vec![(v2(""), "800\n")], Some(800)),
            // A name with a colon.
            (Some("0::/a:b/c\n"), vec![(v2("a:b/c/"), "900\n")], Some(900)),
            // Version 1, and both at once.
            (Some("5:cpu:/a\n4:memory:/a\n"), vec![(v1("a/"), "600\n"), (v1(""), NONE)], Some(600)),
            (Some("4:hugetlb,memory:/a\n"), vec![(v1("a/"), NONE), (v1(""), "400\n")], Some(400)),
            (Some("4:cpu,memoryless:/\n"), vec![(v1(""), "400\n")], None),
            (Some("4:memory:/docker/3f\n0::/\n"), vec![(v1(""), "500\n"), (v2(""), "max\n")], Some(500)),
            (Some("4:memory:/\n0::/\n"), vec![(v1(""), "500\n"), (v2(""), "300\n")], Some(300)),
            (Some("4:memory:/\n"), vec![(v1(""), NONE)], Some(9_223_372_036_854_771_712)),
        ] {
            let root = tempfile::tempdir().unwrap();
            let own = own.map(|text| ("proc/self/cgroup".to_owned(), text));
            for (path, text) in files.iter().cloned().chain(own.clone()) {
                let path = root.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            assert_eq!(control_groups(root.path()), expected, "{own:?}, {files:?}");
        }
    }
}
