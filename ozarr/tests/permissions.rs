//! Files keep their permissions, owner and group when they are replaced.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use ozarr::{
    Hierarchy, NewArray, Result,
    store::FilesystemStore,
    zarr_core::{
        json::{Json, Object},
        store::{Key, Prefix, WriteableStore},
    },
};
use std::{
    fs::{self, Permissions},
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::Command,
};

fn attributes(path: &Path) -> (u32, u32, u32) {
    let m = fs::metadata(path).unwrap();
    (m.mode() & 0o7777, m.uid(), m.gid())
}
fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

#[test]
fn documents_and_chunks_keep_their_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let hierarchy = Hierarchy::create(dir.path()).unwrap();
    let new = NewArray::new([4, 4], "uint8").chunks([2, 2]).shards([4, 4]);
    let mut array = hierarchy.create_array("/a", &new).unwrap();
    array.write(.., &[1u8; 16]).unwrap();
    let files = ["a/zarr.json", "a/c/0/0"].map(|name| dir.path().join(name));
    fs::write(dir.path().join("plain"), "").unwrap();
    for file in &files {
        assert_eq!(attributes(file), attributes(&dir.path().join("plain")), "new files follow the umask");
    }
    for mode in [0o600, 0o640, 0o660, 0o604, 0o644, 0o666, 0o755, 0o400] {
        let mut expected = attributes(&files[0]);
        expected.0 = mode;
        for file in &files {
            set_mode(file, mode);
            if is_root() {
                chown(file, Some(12_345), Some(54_321)).unwrap();
                expected = (mode, 12_345, 54_321);
            }
        }
        array.set_attributes([("mode", Json::from(u64::from(mode)))].into_iter().collect::<Object>()).unwrap();
        array.write([0..1, 0..1], &[mode as u8]).unwrap();
        assert_eq!(array.read::<u8>([0..1, 0..1]).unwrap(), [mode as u8]);
        for file in &files {
            assert_eq!(attributes(file), expected, "{mode:o} {}", file.display());
        }
        array.write(.., &[9u8; 16]).unwrap();
        assert_eq!(attributes(&files[1]), expected, "{mode:o}, replaced as a whole");
    }
}

const STORE: &str = "ZARR_TEST_STORE";

/// The process that the test below starts as another user. Run on its own, it has nothing to write.
#[test]
fn writes_by_another_user_succeed() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let store = FilesystemStore::open(path).unwrap();
    for entry in fs::read_dir(store.root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        store.set(&Key::new(name).unwrap(), b"new").unwrap();
    }
    assert!(store.erase_orphans(&Prefix::ROOT).unwrap().is_empty());
}

/// If the owner cannot be set, nobody gets more rights than before.
#[test]
fn replacing_a_file_grants_no_rights() {
    if !is_root() {
        // Another user is needed, and only root can become one.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o777);
    // Mode and group before, and mode afterwards: user 2000 of group 3000 writes.
    let cases = [
        (0o640, 3000, 0o640),
        (0o600, 3000, 0o600),
        (0o644, 3000, 0o644),
        (0o640, 4000, 0o600),
        (0o644, 4000, 0o644),
        (0o664, 4000, 0o644),
        (0o604, 4000, 0o600),
        (0o666, 4000, 0o666),
    ];
    let name = |mode: u32, group: u32| dir.path().join(format!("{mode:o}.{group}"));
    for (mode, group, _) in cases {
        fs::write(name(mode, group), "old").unwrap();
        chown(name(mode, group), Some(1000), Some(group)).unwrap();
        set_mode(&name(mode, group), mode);
    }
    as_another_user("writes_by_another_user_succeed", STORE, dir.path());
    for (mode, group, expected) in cases {
        assert_eq!(attributes(&name(mode, group)), (expected, 2000, 3000), "{mode:o} of group {group}");
        assert_eq!(fs::read(name(mode, group)).unwrap(), b"new");
    }
}

/// Creates or overwrites a group with arrays of these names, each with this many chunks of one element.
fn group_of(hierarchy: &Hierarchy, path: &str, arrays: &[&str], chunks: u64) -> Result<()> {
    hierarchy.build(path, true, |staged| {
        staged.create_group(path, ())?;
        for name in arrays {
            let new = NewArray::new([chunks], "uint8").chunks([1]);
            staged.create_array(&format!("{path}/{name}"), &new)?.write(.., &vec![chunks as u8; chunks as usize])?;
        }
        Ok(())
    })
}
/// Creates a store with a group that has the array `old`.
fn store(path: &Path) -> Hierarchy {
    let hierarchy = Hierarchy::create(path).unwrap();
    group_of(&hierarchy, "/g", &["old"], 1).unwrap();
    hierarchy
}
fn left_behind(path: &Path) -> String {
    String::from_utf8(
        Command::new("find").args([path, Path::new("-name"), Path::new("__zarr_*")]).output().unwrap().stdout,
    )
    .unwrap()
}
/// Sets the modes of a node's directory, document and chunks.
fn set_modes(node: &Path, modes: &[(&str, u32)]) {
    modes.iter().rev().for_each(|(name, mode)| set_mode(&node.join(name), *mode));
}

#[test]
fn overwriting_does_not_widen_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let hierarchy = store(dir.path());
    let old = [
        ("", 0o750),
        ("zarr.json", 0o640),
        ("old", 0o700),
        ("old/zarr.json", 0o600),
        ("old/c", 0o711),
        ("old/c/0", 0o604),
    ];
    let mut expected = old.to_vec();
    // New entries have no more rights than they were created with, and no more than their array, or their group if the
    // array is new.
    fs::create_dir(dir.path().join("plain")).unwrap();
    fs::write(dir.path().join("plain/file"), "").unwrap();
    let (directory, file) = (attributes(&dir.path().join("plain")).0, attributes(&dir.path().join("plain/file")).0);
    expected.extend([("old/c/1", 0o600 & file), ("new", 0o750 & directory), ("new/zarr.json", 0o640 & file)]);
    expected.extend([("new/c", 0o750 & directory), ("new/c/1", 0o640 & file)]);
    for place in ["g", "link"] {
        let node = dir.path().join(place);
        if place == "link" {
            // The contents behind a link were as private as its target.
            fs::rename(dir.path().join("g"), dir.path().join("real")).unwrap();
            std::os::unix::fs::symlink("real", &node).unwrap();
            fs::rename(node.join("old"), dir.path().join("real-old")).unwrap();
            std::os::unix::fs::symlink("../real-old", node.join("old")).unwrap();
            fs::remove_dir_all(node.join("new")).unwrap();
            fs::remove_file(node.join("old/c/1")).unwrap();
        }
        set_modes(&node, &old);
        let (mut owner, mut group) = (attributes(&node).1, attributes(&node).2);
        if is_root() {
            (owner, group) = (12_345, 54_321);
            for (name, _) in old {
                chown(node.join(name), Some(owner), Some(group)).unwrap();
            }
        }
        group_of(&hierarchy, &format!("/{place}"), &["old", "new"], 2).unwrap();
        assert!(!node.is_symlink() && !node.join("old").is_symlink());
        for (name, mode) in &expected {
            let found = attributes(&node.join(name));
            assert_eq!(found, (*mode, owner, group), "{place}/{name}: {:o} is not {mode:o}", found.0);
        }
    }
}

const OVERWRITE: &str = "ZARR_TEST_OVERWRITE";

/// The process that the tests below start as another user. Run on its own, it overwrites its own node.
#[test]
fn overwriting_by_another_user_succeeds() {
    let dir = tempfile::tempdir().unwrap();
    match std::env::var_os(OVERWRITE) {
        None => drop(store(dir.path())),
        Some(path) => {
            let hierarchy = Hierarchy::open(Path::new(&path).to_str().unwrap()).unwrap();
            return group_of(&hierarchy, "/g", &["old", "new"], 2).unwrap();
        }
    }
    group_of(&Hierarchy::open(dir.path()).unwrap(), "/g", &["old", "new"], 2).unwrap();
    assert_eq!(left_behind(dir.path()), "");
}

/// Runs a test of this program as user 2000 of group 3000.
fn as_another_user(test: &str, variable: &str, value: &Path) {
    // That user may have no access to the program's folder.
    let outside = tempfile::tempdir().unwrap();
    set_mode(outside.path(), 0o755);
    let exe = outside.path().join("exe");
    fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
    set_mode(&exe, 0o755);
    let mut command = Command::new(exe);
    command.args(["--exact", test]).env(variable, value).env("TMPDIR", value).current_dir(value);
    assert!(command.gid(3000).uid(2000).status().unwrap().success());
}

/// If the group cannot be set, its rights are not given to another group.
#[test]
fn a_changed_group_gets_no_rights() {
    if !is_root() {
        // Another user is needed, and only root can become one.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    store(dir.path());
    set_mode(dir.path(), 0o777);
    let node = dir.path().join("g");
    // Before and afterwards. Only the group can read the last directory.
    let modes = [
        ("", 0o777, 0o777),
        ("zarr.json", 0o664, 0o644),
        ("old", 0o775, 0o755),
        ("old/zarr.json", 0o640, 0o600),
        ("old/c", 0o750, 0o700),
        ("old/c/0", 0o660, 0o600),
    ];
    for (name, mode, _) in modes.into_iter().rev() {
        chown(node.join(name), Some(1000), Some(4000)).unwrap();
        set_mode(&node.join(name), mode);
    }
    as_another_user("overwriting_by_another_user_succeeds", OVERWRITE, dir.path());
    let new = [("old/c/1", 0o600), ("new/zarr.json", 0o644), ("new/c/1", 0o644)];
    for (name, expected) in modes.map(|m| (m.0, m.2)).into_iter().chain(new) {
        let found = attributes(&node.join(name));
        assert_eq!(found, (expected, 2000, 3000), "{name}: {:o} is not {expected:o}", found.0);
    }
}

const READ_ONLY: &str = "ZARR_TEST_READ_ONLY";

/// Directories without write permission leave nothing behind, neither the old ones nor the new.
#[test]
fn read_only_directories_leave_nothing_behind() {
    if is_root() {
        // Root may write to them.
        let dir = tempfile::tempdir().unwrap();
        set_mode(dir.path(), 0o777);
        return as_another_user("read_only_directories_leave_nothing_behind", READ_ONLY, dir.path());
    }
    let dir = tempfile::tempdir().unwrap();
    let hierarchy = store(dir.path());
    let node = dir.path().join("g");
    let value = || hierarchy.array("/g/old").unwrap().read::<u8>(..).unwrap();
    // Without write permission from the beginning, and after it was checked.
    set_mode(&node, 0o555);
    group_of(&hierarchy, "/g", &["old"], 2).unwrap_err();
    assert_eq!((left_behind(dir.path()), value()), (String::new(), vec![1]));
    set_mode(&node, 0o755);
    let e = hierarchy.build("/g", true, |staged| {
        group_of(staged, "/g", &["old"], 2)?;
        set_mode(&node, 0o555);
        Ok(())
    });
    assert!(e.unwrap_err().to_string().contains("denied"));
    assert_eq!((left_behind(dir.path()), value()), (String::new(), vec![1]));
    set_mode(&node, 0o755);
    // A directory below is replaced, and stays read-only.
    set_mode(&node.join("old/c"), 0o555);
    group_of(&hierarchy, "/g", &["old"], 2).unwrap();
    assert_eq!((left_behind(dir.path()), value()), (String::new(), vec![2; 2]));
    assert_eq!(attributes(&node.join("old/c")).0, 0o555);
    // The remains of a killed process can be removed too.
    let orphan = dir.path().join("__zarr_partial.1.1.1.g");
    fs::rename(node.join("old"), &orphan).unwrap();
    let writer = hierarchy.store().writer().unwrap();
    assert_eq!(writer.erase_orphans(&Prefix::ROOT).unwrap(), ["__zarr_partial.1.1.1.g"]);
    assert_eq!(left_behind(dir.path()), "");
}

/// Returns an empty directory on a file system with access control lists.
#[cfg(target_os = "linux")]
fn with_lists() -> tempfile::TempDir {
    let places = [std::env::temp_dir(), "/dev/shm".into(), "/var/tmp".into(), "/tmp".into()];
    let dirs = places.iter().filter_map(|place| tempfile::tempdir_in(place).ok());
    let mut usable = dirs.filter(|dir| set_list(dir.path(), "access", "rwx", "---", "---"));
    usable.next().expect("a file system with access control lists, for instance a tmpfs at /dev/shm")
}
/// Gives rights to user 65534 and the file's group, and none to others. Returns false if the file system has no such
/// lists.
#[cfg(target_os = "linux")]
fn set_list(path: &Path, kind: &str, owner: &str, named: &str, group: &str) -> bool {
    let set = r#"
import os, struct, sys
rights = lambda text: sum(4 >> i for i, c in enumerate(text) if c != "-")
path, kind, owner, named, group = sys.argv[1:]
everyone = 0xffffffff
entries = [(1, rights(owner), everyone), (2, rights(named), 65534), (4, rights(group), everyone),
           (16, rights(named) | rights(group), everyone), (32, 0, everyone)]
value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
try:
    os.setxattr(path, "system.posix_acl_" + kind, value)
except OSError as e:
    sys.exit(str(e))
"#;
    let mut python = Command::new("python3");
    python.args(["-c", set]).arg(path).args([kind, owner, named, group]).status().unwrap().success()
}
/// Returns the access control lists of everything at and below a path.
#[cfg(target_os = "linux")]
fn lists(path: &Path) -> String {
    let show = r#"
import os, sys
for at, _, names in os.walk(sys.argv[1]):
    for path in [at] + [os.path.join(at, name) for name in names]:
        for name in os.listxattr(path):
            print(path, name)
"#;
    let out = Command::new("python3").args(["-c", show]).arg(path).output().unwrap();
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}

/// The group's rights are in the list. The bits in their place in the mode are not the group's rights.
#[test]
#[cfg(target_os = "linux")]
fn dropping_a_list_grants_no_rights() {
    let dir = with_lists();
    let hierarchy = Hierarchy::create(dir.path().join("s")).unwrap();
    let new = NewArray::new([4, 4], "uint8").chunks([2, 2]).shards([4, 4]);
    let mut array = hierarchy.create_array("/a", &new).unwrap();
    array.write(.., &[1u8; 16]).unwrap();
    let files = ["s/a/zarr.json", "s/a/c/0/0"].map(|name| dir.path().join(name));
    let mut rewrite = |value: u8| {
        let attributes = [("value", Json::from(u64::from(value)))].into_iter().collect::<Object>();
        array.set_attributes(attributes).unwrap();
        match value % 2 {
            0 => array.write(.., &[value; 16]).unwrap(),
            _ => array.write([0..1, 0..1], &[value]).unwrap(),
        }
    };
    for (value, (named, group, before, after)) in
        [("rw-", "---", 0o660, 0o600), ("rwx", "r--", 0o670, 0o640), ("r--", "rw-", 0o660, 0o640)]
            .into_iter()
            .flat_map(|case| [case, case])
            .enumerate()
    {
        for file in &files {
            assert!(set_list(file, "access", "rw-", named, group));
            assert_eq!(attributes(file).0, before);
        }
        rewrite(value as u8 + 2);
        for file in &files {
            assert_eq!(attributes(file).0, after, "{value}: {}", file.display());
        }
        assert_eq!(lists(dir.path().join("s").as_path()), "");
    }
    // The default list of the directory gives nobody rights to a file that is written again.
    for directory in ["s/a", "s/a/c/0"] {
        assert!(set_list(&dir.path().join(directory), "default", "rwx", "rwx", "r-x"));
    }
    for (value, mode) in [(10, 0o660), (11, 0o660), (12, 0o640), (13, 0o600), (14, 0o666)] {
        files.iter().for_each(|file| set_mode(file, mode));
        rewrite(value);
        for file in &files {
            assert_eq!(attributes(file).0, mode, "{value}: {}", file.display());
            assert_eq!(lists(file.parent().unwrap()).matches("posix_acl_access").count(), 0);
        }
    }
}

/// The same in a node that is overwritten, whatever lists new entries of the store inherit.
#[test]
#[cfg(target_os = "linux")]
fn an_overwritten_node_has_no_lists() {
    let dir = with_lists();
    let hierarchy = store(&dir.path().join("s"));
    let node = dir.path().join("s/g");
    assert!(set_list(&dir.path().join("s"), "default", "rwx", "rwx", "r-x"));
    for name in ["", "old", "old/c"] {
        assert!(set_list(&node.join(name), "access", "rwx", "rwx", "---"));
        assert!(set_list(&node.join(name), "default", "rwx", "rwx", "rwx"));
    }
    for name in ["zarr.json", "old/zarr.json", "old/c/0"] {
        assert!(set_list(&node.join(name), "access", "rw-", "rw-", "---"));
    }
    group_of(&hierarchy, "/g", &["old", "new"], 2).unwrap();
    assert_eq!(lists(&node), "");
    for (names, mode) in [
        (&["", "old", "old/c", "new", "new/c"][..], 0o700),
        (&["zarr.json", "old/zarr.json", "old/c/0", "old/c/1", "new/zarr.json", "new/c/0"], 0o600),
    ] {
        for name in names {
            let found = attributes(&node.join(name)).0;
            assert_eq!(found, mode, "{name}: {found:o}");
        }
    }
}
