//! Files keep their permissions, owner and group when they are replaced.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use std::{
    fs::{self, Permissions},
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::Command,
};
use zarr_array::{
    Hierarchy, NewArray,
    core::{
        json::{Json, Object},
        store::{Key, Prefix, WriteableStore},
    },
    store::FilesystemStore,
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
fn documents_and_chunks_keep_them() {
    let dir = tempfile::tempdir().unwrap();
    let hierarchy = Hierarchy::create(dir.path().to_str().unwrap()).unwrap();
    let new = NewArray::new([4, 4], "uint8").chunk_shape([2, 2]).shard_shape([4, 4]);
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

/// What the test below starts as another user; alone it has nothing to write.
#[test]
fn another_user_writes() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let store = FilesystemStore::open(path).unwrap();
    for entry in fs::read_dir(store.root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        store.set(&Key::new(name).unwrap(), b"new").unwrap();
    }
    assert!(store.erase_debris(&Prefix::ROOT).unwrap().is_empty());
}

/// Where the owner cannot be kept, nobody gets more rights than before.
#[test]
fn nobody_gets_more_rights() {
    if !is_root() {
        // Another user is needed, and only root can be one.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    set_mode(dir.path(), 0o777);
    // Mode and group before, and after: user 2000 of group 3000 writes.
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
    // That user may not reach the program where it is.
    let outside = tempfile::tempdir().unwrap();
    set_mode(outside.path(), 0o755);
    let exe = outside.path().join("exe");
    fs::copy(std::env::current_exe().unwrap(), &exe).unwrap();
    set_mode(&exe, 0o755);
    let mut command = Command::new(exe);
    command.args(["--exact", "another_user_writes"]).env(STORE, dir.path()).current_dir(dir.path());
    assert!(command.gid(3000).uid(2000).status().unwrap().success());
    for (mode, group, expected) in cases {
        assert_eq!(attributes(&name(mode, group)), (expected, 2000, 3000), "{mode:o} of group {group}");
        assert_eq!(fs::read(name(mode, group)).unwrap(), b"new");
    }
}
