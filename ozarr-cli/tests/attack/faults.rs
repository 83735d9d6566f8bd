//! A full disk, missing permissions, and too few file descriptors: errors, and nothing else.

use super::{
    Ran,
    common::{Dir, files, weather},
    ozarr, ran,
};
use ozarr::{Hierarchy, NewArray};
use std::{os::unix::fs::PermissionsExt, path::Path, process::Command};

/// Runs a command under a limit of the shell: `ulimit OPTION N`.
fn limited(option: &str, n: u64, args: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    // A signal reports a file that may not grow, unless the process ignores it.
    command.args(["-c", "trap '' XFSZ; ulimit \"$0\" \"$1\"; shift; exec \"$@\"", option, &n.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_ozarr")).args(args).env("ZARR_PLUGINS", "off");
    ran(&mut command)
}

/// Returns all elements of an array, if it can be read.
fn elements(array: &str) -> Option<Vec<u8>> {
    let Ran { code, out, .. } = ozarr(&["elements", "--array_path", array]);
    (code == Some(0)).then_some(out)
}

const NODES: [&str; 4] = ["time", "stations/name", "observations/pressure", "observations/land_mask"];

/// Checks that nothing left by a failed copy looks like a copy.
fn is_no_wrong_copy(from: &str, to: &str) {
    for node in NODES {
        if let Some(copied) = elements(&format!("{to}/{node}")) {
            assert!(Some(copied) == elements(&format!("{from}/{node}")), "{node} is copied wrongly");
        }
    }
}

#[test]
fn a_full_disk_is_an_error_that_leaves_nothing_behind() {
    let (dir, from) = (Dir::new(), weather());
    for blocks in 1..5 {
        let to = dir.path(&format!("to.{blocks}"));
        let copied = limited("-f", blocks, &["copy", &from, &to]);
        assert_eq!(copied.code, Some(3), "{}", copied.said);
        is_no_wrong_copy(&from, &to);
        assert!(!Path::new(&to).exists(), "{blocks}: {:?}", files(&to));
    }
}

#[test]
fn a_write_to_a_full_disk_leaves_the_old_values() {
    let dir = Dir::new();
    let array = Hierarchy::create(dir.path("s")).unwrap();
    let plain = r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#.parse::<ozarr::Json>().unwrap();
    let new = NewArray::new([4000], "uint16").chunks([2000]).codecs(plain.as_array().unwrap().to_vec());
    let array = array.create_array("/a", &new).unwrap();
    array.write(.., &[1u16; 4000]).unwrap();
    std::fs::write(dir.path("twos"), "2\n".repeat(4000)).unwrap();
    let written = limited("-f", 2, &["write", "--elements", &dir.path("twos"), &dir.path("s/a")]);
    assert_eq!(written.code, Some(3), "{}", written.said);
    assert_eq!(array.read::<u16>(..).unwrap(), [1; 4000]);
    super::is_well(&dir.path("s"));
}

#[test]
fn too_few_descriptors_are_an_error() {
    let (dir, from) = (Dir::new(), weather());
    let time = format!("{from}/time");
    let right = elements(&time);
    for most in 3..17 {
        let read = limited("-n", most, &["elements", "--array_path", &time]);
        assert!(read.code != Some(0) || Some(read.out) == right, "{most}: other elements");
        let to = dir.path(&format!("to.{most}"));
        let copied = limited("-n", most, &["copy", &from, &to]);
        is_no_wrong_copy(&from, &to);
        if copied.code == Some(0) {
            assert!(NODES.iter().all(|node| elements(&format!("{to}/{node}")).is_some()), "{most}: no whole copy");
            super::is_well(&to);
        }
    }
}

/// A user that owns nothing in a store, if the tests may become another user.
struct Other {
    is_root: bool,
    command: String,
}
impl Other {
    fn new(dir: &Dir) -> Self {
        let id = Command::new("id").arg("-u").output().unwrap().stdout;
        // The build directory may not be accessible to others.
        let command = dir.path("ozarr");
        std::fs::copy(env!("CARGO_BIN_EXE_ozarr"), &command).unwrap();
        Self { is_root: id == b"0\n", command }
    }
    fn ozarr(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(if self.is_root { "setpriv" } else { &self.command });
        if self.is_root {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", &self.command]);
        }
        ran(command.args(args).env("ZARR_PLUGINS", "off"))
    }
    fn is_denied(&self, args: &[&str]) {
        let Ran { code, out, said } = self.ozarr(args);
        let all = String::from_utf8_lossy(&out).into_owned() + &said;
        let status = if ["repair", "tree", "validate"].contains(&args[0]) { 1 } else { 3 };
        assert!(code == Some(status) && all.contains("ermission denied"), "{args:?}: {code:?}: {all}");
    }
}

fn set_mode(path: &str, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Makes all directories and files of a store readable but not writable.
fn make_read_only(location: &str) {
    let mut left = vec![std::path::PathBuf::from(location)];
    while let Some(at) = left.pop() {
        if at.is_dir() {
            left.extend(std::fs::read_dir(&at).unwrap().map(|e| e.unwrap().path()));
        }
        set_mode(&at.to_string_lossy(), if at.is_dir() { 0o555 } else { 0o444 });
    }
}

#[test]
fn missing_permissions_are_an_error() {
    let dir = Dir::new();
    set_mode(dir.0.path().to_str().unwrap(), 0o755);
    let other = Other::new(&dir);
    let (s, open) = (dir.path("s"), dir.path("open"));
    super::ok(&["copy", &weather(), &s]);
    Hierarchy::open(&s).unwrap().consolidate("/").unwrap();
    // Outdated consolidated metadata, so that there is something to repair.
    let document = std::fs::read_to_string(dir.path("s/time/zarr.json")).unwrap();
    std::fs::write(dir.path("s/time/zarr.json"), document.replacen("24", "23", 1)).unwrap();
    std::fs::create_dir(&open).unwrap();
    set_mode(&open, 0o777);
    std::fs::write(dir.path("elements"), "1\n".repeat(23)).unwrap();
    make_read_only(&s);
    let time = dir.path("s/time");
    let before: Vec<_> = files(&s).into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect();
    assert_eq!(other.ozarr(&["read", &time]).code, Some(0));
    other.is_denied(&["write", "--elements", &dir.path("elements"), &time]);
    other.is_denied(&["create", "--metadata", &dir.path("s/time/zarr.json"), &dir.path("s/new")]);
    other.is_denied(&["create", "--overwrite", "--metadata", &dir.path("s/time/zarr.json"), &time]);
    other.is_denied(&["copy", &time, &dir.path("s/copied")]);
    other.is_denied(&["repair", "--apply", &s]);
    let after: Vec<_> = files(&s).into_iter().map(|f| (f.clone(), std::fs::read(f).unwrap())).collect();
    assert!(before == after, "a store that may not be written has changed");
    let mut copies = vec![format!("{open}/group/stations/name")];
    for (i, closed) in ["time/c/0", "time/c", "time/zarr.json"].into_iter().enumerate() {
        let (closed, to) = (dir.path(&format!("s/{closed}")), format!("{open}/{i}"));
        let mode = std::fs::metadata(&closed).unwrap().permissions().mode();
        set_mode(&closed, 0);
        other.is_denied(&["read", &time]);
        other.is_denied(&["validate", "--data", &s]);
        other.is_denied(&["copy", &s, &to]);
        copies.push(format!("{to}/time"));
        set_mode(&closed, mode);
    }
    let group = dir.path("s/stations");
    set_mode(&group, 0);
    other.is_denied(&["tree", &s]);
    other.is_denied(&["validate", &s]);
    other.is_denied(&["copy", &s, &format!("{open}/group")]);
    for directory in files(&s).iter().filter_map(|f| f.parent()) {
        set_mode(&directory.to_string_lossy(), 0o755);
    }
    set_mode(&group, 0o755);
    set_mode(&s, 0o755);
    // Nothing readable looks like a copy of something unreadable.
    copies.retain(|copy| ozarr(&["read", copy]).code == Some(0));
    assert!(copies.is_empty(), "{copies:?}");
}
