//! Overwriting: after any failure the old data is complete and readable, and nothing half-written is visible.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr, weather};
use ozarr::{Hierarchy, NewArray, zarr_core::json::Json};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// Returns all files and directories with their contents.
fn all_of(directory: &str) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let (mut all, mut left) = (Vec::new(), vec![PathBuf::from(directory)]);
    while let Some(at) = left.pop() {
        if at.is_dir() && !at.is_symlink() {
            left.extend(std::fs::read_dir(&at).unwrap().map(|e| e.unwrap().path()));
        }
        all.push((at.clone(), std::fs::read(&at).ok()));
    }
    all.sort();
    all
}

/// Returns temporary files and directories.
fn temporary(directory: &str) -> Vec<PathBuf> {
    all_of(directory).into_iter().map(|f| f.0).filter(|p| p.to_string_lossy().contains("__zarr_")).collect()
}

/// Creates a store with the array `/a` of this value, in 16 chunks of 1 KiB without compression.
fn store_of(path: &str, value: u32) -> String {
    let new = NewArray::new([64, 64], "uint32").chunks([16, 16]).codecs([Json::from("bytes")]);
    let new = new.codecs([r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap()]);
    let array = Hierarchy::create(path).unwrap().create_array("/a", &new).unwrap();
    array.write(.., &[value; 64 * 64]).unwrap();
    path.to_owned()
}

fn value_of(store: &str) -> u32 {
    let all: Vec<u32> = Hierarchy::open(store).unwrap().array("/a").unwrap().read(..).unwrap();
    assert!(all.iter().all(|v| *v == all[0]), "old and new mixed");
    all[0]
}

/// Runs the command in a shell after a command that sets limits.
fn limited(limit: &str, args: &[&str]) -> std::process::Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit}; exec \"$@\"")).arg("sh").arg(env!("CARGO_BIN_EXE_ozarr")).args(args);
    shell.env("ZARR_PLUGINS", "off").output().unwrap()
}

#[test]
fn damage_in_the_source_leaves_the_destination_intact() {
    let dir = Dir::new();
    let (bad, good) = (store_of(&dir.path("bad"), 1), store_of(&dir.path("good"), 2));
    let chunk = dir.path("bad/a/c/2/2");
    let bytes = std::fs::read(&chunk).unwrap();
    std::fs::write(&chunk, &bytes[1..]).unwrap();
    let before = all_of(&dir.path(""));
    for (from, to) in [("bad", "good"), ("bad/a", "good/a"), ("bad", "new"), ("bad", "good/b/c"), ("bad/a", "good/b")] {
        for overwrite in [&["--overwrite"][..], &[]] {
            let places = [dir.path(from), dir.path(to)];
            let args = [&["copy"], overwrite, &places.each_ref().map(String::as_str)].concat();
            let said = fails(&args, 3);
            let is_refused = overwrite.is_empty() && to.starts_with("good") && !to.contains('b');
            assert!(said.contains(if is_refused { "--overwrite" } else { "found 1023" }), "{said}");
            assert!(!said.contains("stays at the destination"), "{said}");
            assert!(all_of(&dir.path("")) == before, "{args:?}");
        }
    }
    assert_eq!(value_of(&good), 2);
    // The same command succeeds once the source is repaired.
    std::fs::write(&chunk, bytes).unwrap();
    ok(&["copy", &bad, &dir.path("new")]);
    ok(&["copy", "--overwrite", &bad, &good]);
    assert_eq!((value_of(&dir.path("new")), value_of(&good)), (1, 1));
    assert!(temporary(&dir.path("")).is_empty());
}

#[test]
fn a_file_size_limit_leaves_the_destination_intact() {
    let dir = Dir::new();
    let (source, good) = (dir.path("source"), store_of(&dir.path("good"), 2));
    let new = NewArray::new([64, 64], "uint32")
        .chunks([64, 64])
        .codecs([r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap()]);
    Hierarchy::create(&source).unwrap().create_array("/a", &new).unwrap().write(.., &[1u32; 64 * 64]).unwrap();
    let before = all_of(&dir.path(""));
    for to in [good.clone(), dir.path("new")] {
        let out = limited("trap '' XFSZ; ulimit -f 2", &["copy", "--overwrite", &source, &to]);
        assert_eq!(out.status.code(), Some(3), "{out:?}");
        assert!(all_of(&dir.path("")) == before, "{to}");
    }
    // A kill leaves a temporary directory, and nothing else.
    for at in ["/a", ""] {
        let inside = format!("{good}{at}");
        let out = limited("ulimit -f 2", &["copy", "--overwrite", &format!("{source}{at}"), &inside]);
        assert_eq!(out.status.code(), None, "{out:?}");
        assert!(!temporary(&dir.path("")).is_empty());
        assert_eq!(value_of(&good), 2);
        assert!(fails(&["validate", &good], 1).contains("`ozarr repair"));
        ok(&["repair", "--apply", &good]);
        ok(&["validate", "--data", &good]);
        assert!(all_of(&dir.path("")) == before);
    }
}

/// Temporary directories next to a store carry its name: those of other stores are preserved.
#[test]
#[cfg(unix)]
fn orphans_of_a_whole_store_are_removed_with_that_store() {
    use std::os::unix::process::ExitStatusExt;
    let (dir, apart) = (Dir::new(), Dir::new());
    let pipe = apart.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let document = format!("{}/a/zarr.json", store_of(&dir.path("source"), 1));
    let stores = ["s", "s.x"].map(|name| store_of(&dir.path(name), 2));
    let left = stores.each_ref().map(|store| {
        let before = temporary(&dir.path(""));
        // It runs until its elements end.
        let mut process = start(&["create", store, "--metadata", &document, "--overwrite", "--elements", &pipe]);
        let elements = std::fs::File::options().write(true).open(&pipe).unwrap();
        let own = |path: &PathBuf| !before.contains(path) && path.parent() == Path::new(store).parent();
        let name = loop {
            if let Some(path) = temporary(&dir.path("")).into_iter().find(own) {
                break path;
            }
            assert!(process.0.try_wait().unwrap().is_none());
        };
        assert!(ok(&["repair", store]).is_empty(), "in use");
        process.0.kill().unwrap();
        assert_eq!(process.0.wait().unwrap().signal(), Some(9));
        drop(elements);
        name
    });
    for (store, left) in stores.iter().zip(&left) {
        let shown = String::from_utf8(ozarr(&["repair", store]).stdout).unwrap();
        assert_eq!(
            shown,
            format!("/: remove an orphaned temporary file: {}\n", left.canonicalize().unwrap().display())
        );
        assert_eq!(ok(&["repair", "--apply", store]), shown);
        assert!(!left.exists() && ok(&["repair", store]).is_empty());
        assert_eq!(value_of(store), 2);
    }
    assert!(temporary(&dir.path("")).is_empty());
}

/// In a mount namespace: a full disk, and a store that is a mount point.
#[test]
#[cfg(target_os = "linux")]
fn full_disks_and_mount_points_leave_old_or_new() {
    let dir = Dir::new();
    let mounts = Command::new("unshare").args(["-rm", "true"]).status().is_ok_and(|s| s.success());
    // Without the right to mount, a file size limit replaces the full disk.
    let (small, bind, vacant) = match mounts {
        true => ("mount -t tmpfs -o size=400k none disk", "mount --bind big bound", "mount --bind empty vacant"),
        false => ("ulimit -f 32", "rmdir bound; mkdir bound", "true"),
    };
    let script = format!(
        r#"set -eu; cd "$1"; zarr="$2"; mkdir disk bound; {small}
        "$zarr" copy one disk/s; "$zarr" elements --array_path disk/s/a > before
        if "$zarr" copy --overwrite big disk/s; then exit 11; fi
        "$zarr" elements --array_path disk/s/a > after; cmp before after
        if "$zarr" copy big disk/new; then exit 12; fi
        if "$zarr" create --metadata one/a/zarr.json --elements many disk/t; then exit 13; fi
        test "$(ls -A disk)" = s
        test "$(ls -A disk/s)" = "$(ls -A one)"
        ulimit -f unlimited; {bind}
        "$zarr" copy --overwrite two bound; "$zarr" elements --array_path bound/a > after
        "$zarr" elements --array_path two/a > two.txt; cmp two.txt after
        test "$(ls -A bound)" = "$(ls -A two)"
        "$zarr" validate --data bound
        mkdir empty vacant; {vacant}
        "$zarr" copy two vacant; "$zarr" elements --array_path vacant/a > after; cmp two.txt after
        test "$(ls -A vacant)" = "$(ls -A two)"
        "$zarr" validate --data vacant"#
    );
    store_of(&dir.path("one"), 1);
    store_of(&dir.path("two"), 2);
    let new = NewArray::new([1024, 256], "uint32")
        .chunks([1024, 256])
        .codecs([r#"{"name":"bytes","configuration":{"endian":"little"}}"#.parse::<Json>().unwrap()]);
    let big = Hierarchy::create(dir.path("big")).unwrap().create_array("/a", &new).unwrap();
    big.write(.., &[3u32; 1024 * 256]).unwrap();
    std::fs::write(dir.path("many"), "1\n".repeat(64 * 64 - 1)).unwrap();
    let mut shell = match mounts {
        true => Command::new("unshare"),
        false => Command::new("env"),
    };
    if mounts {
        shell.arg("-rm");
    }
    shell.args(["sh", "-xc", &script, "sh", &dir.path(""), env!("CARGO_BIN_EXE_ozarr")]).env("ZARR_PLUGINS", "off");
    let out = shell.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn invalid_elements_leave_the_array_intact() {
    let dir = Dir::new();
    let store = store_of(&dir.path("s"), 2);
    let document = dir.path("m.json");
    std::fs::copy(dir.path("s/a/zarr.json"), &document).unwrap();
    std::fs::write(dir.path("few"), "1\n2\n").unwrap();
    std::fs::write(dir.path("bad"), format!("{}true\n", "1\n".repeat(64 * 64 - 1))).unwrap();
    std::fs::write(dir.path("good"), "5\n".repeat(64 * 64)).unwrap();
    let before = all_of(&dir.path(""));
    for elements in ["/dev/null".to_owned(), dir.path("few"), dir.path("bad"), dir.path("none")] {
        for at in ["s/a", "s/new", "new", "deep/er/new", "s"] {
            fails(&["create", &dir.path(at), "--metadata", &document, "--overwrite", "--elements", &elements], 3);
            assert!(all_of(&dir.path("")) == before, "{elements} {at}");
        }
    }
    ok(&["create", &dir.path("s/a"), "--metadata", &document, "--overwrite", "--elements", &dir.path("good")]);
    assert_eq!(value_of(&store), 5);
    fails(&["create", &dir.path("s/a"), "--metadata", &document, "--elements", &dir.path("good")], 3);
    // A document that does not resolve.
    let text = std::fs::read_to_string(&document).unwrap();
    std::fs::write(&document, text.replace("little", "middle")).unwrap();
    for at in ["s/a", "new"] {
        fails(&["create", &dir.path(at), "--metadata", &document, "--overwrite"], 3);
    }
    assert!(!Path::new(&dir.path("new")).exists());
    assert_eq!(value_of(&store), 5);
    assert!(temporary(&dir.path("")).is_empty());
}

#[test]
fn impossible_creations_fail_before_anything_is_written() {
    let dir = Dir::new();
    ok(&["copy", &weather(), &dir.path("s")]);
    let (s, before) = (dir.path("s"), all_of(&dir.path("")));
    for (option, value) in [
        ("--codecs", r#"["sharding_indexed"]"#),
        ("--codecs", r#"["bytes","bytes"]"#),
        ("--codecs", r#"[{"name":"gzip","configuration":{"level":77}}]"#),
        ("--chunk-shape", "0"),
        ("--chunk-shape", "0,0,0"),
        ("--data-type", "zap"),
    ] {
        for (from, to) in [("", "s"), ("/time", "s/time"), ("", "new"), ("/time", "s/new")] {
            let (from, to) = (format!("{}{from}", weather()), dir.path(to));
            let single = from.ends_with("time");
            // These lengths fit arrays with another number of dimensions.
            if option == "--chunk-shape" && value.contains(',') == single {
                continue;
            }
            let said = fails(&["copy", "--overwrite", option, value, &from, &to], 3);
            assert!(all_of(&dir.path("")) == before, "{option} {value} {to}: {said}");
            assert!(!said.contains("destination"), "{said}");
        }
    }
    // A value that does not convert, and then does.
    let (from, to) = (format!("{}/observations/temperature", weather()), dir.path("t"));
    assert!(fails(&["copy", "--data-type", "int16", &from, &to], 3).contains("--lossy"));
    ok(&["copy", "--lossy", "--data-type", "int16", &from, &to]);
    assert!(fails(&["copy", &weather(), &s], 3).contains("--overwrite"));
}

#[test]
fn bare_names_of_codecs_are_recorded_in_full() {
    let dir = Dir::new();
    let from = format!("{}/observations/temperature", weather());
    ok(&["copy", "--codecs", r#"["bytes","zstd","crc32c"]"#, &from, &dir.path("a")]);
    let copy = Hierarchy::open(dir.path("a")).unwrap().array("/").unwrap();
    let codecs: Vec<_> = copy.metadata().codecs().iter().map(|codec| codec.to_json().to_string()).collect();
    assert_eq!(
        codecs,
        [
            r#"{"name":"bytes","configuration":{"endian":"little"}}"#,
            r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}"#,
            "\"crc32c\"",
        ]
    );
}

#[test]
#[cfg(unix)]
fn overlap_is_detected_through_links() {
    use std::os::unix::fs::symlink;
    let dir = Dir::new();
    let link = |to: &str, at: &str| symlink(dir.path(to), dir.path(at)).unwrap();
    store_of(&dir.path("s1"), 1);
    let plain = |name: &str| _ = Hierarchy::create(dir.path(name)).unwrap().create_group("/", ());
    ["node", "group", "value", "chunks"].into_iter().for_each(plain);
    // A node in the destination, a group around it, one of its values, a directory of chunks.
    link("s1/a", "node/x");
    link("s1", "group/x");
    for (name, linked) in [("value/x", "c/0/0"), ("chunks/x", "c")] {
        ok(&["copy", &dir.path("s1/a"), &dir.path(name)]);
        let at = format!("{name}/{linked}");
        let _one_of_both = std::fs::remove_file(dir.path(&at)).or_else(|_| std::fs::remove_dir_all(dir.path(&at)));
        link(&format!("s1/a/{linked}"), &at);
    }
    let before = all_of(&dir.path(""));
    for from in ["node", "group", "value", "chunks", "value/x"] {
        for to in ["s1", "s1/a"] {
            let said = fails(&["copy", "--overwrite", &dir.path(from), &dir.path(to)], 3);
            assert!(said.contains("overlap"), "{from} {to}: {said}");
        }
    }
    for from in ["node", "group"] {
        assert!(fails(&["copy", &dir.path(from), &dir.path("s1/a/b")], 3).contains("overlap"), "{from}");
    }
    assert!(all_of(&dir.path("")) == before);
    // A link in the destination is replaced, and its target is not.
    ok(&["copy", "--overwrite", &weather(), &dir.path("node")]);
    assert_eq!(value_of(&dir.path("s1")), 1);
    ok(&["copy", &dir.path("value"), &dir.path("whole")]);
    ok(&["validate", "--data", &dir.path("whole")]);
}

/// A process that is killed when the test ends, even if it fails.
struct Process(std::process::Child);
impl Drop for Process {
    fn drop(&mut self) {
        let _it_may_have_ended = self.0.kill();
        let _ended = self.0.wait();
    }
}
fn start(args: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ozarr"));
    command.args(args).env("ZARR_PLUGINS", "off").stdout(Stdio::null()).stderr(Stdio::null());
    Process(command.spawn().unwrap())
}

/// Each element that a reader sees belongs to the old or the new array, and after the last write all belong to one.
#[test]
fn kills_leave_old_or_new() {
    for at in ["s", "s/a"] {
        let dir = Dir::new();
        let (s, node) = (store_of(&dir.path("s"), 1), dir.path(at));
        let sources = [1, 2].map(|v| store_of(&dir.path(&format!("source{v}")), v) + at.strip_prefix('s').unwrap());
        let began = Instant::now();
        ok(&["copy", "--overwrite", &sources[0], &node]);
        let whole = began.elapsed();
        // Waits longer after a kill and shorter after a finished copy, so that kills gather around its end at any load
        // of the machine.
        let (mut seen, mut killed, mut kills, mut wait) = ([0, 0], 0, 0, whole / 2);
        while kills < 30 || killed < 6 || seen.contains(&0) {
            assert!(kills < 500, "{killed} killed, {seen:?} seen");
            let mut process = start(&["copy", "--overwrite", &sources[kills % 2], &node]);
            let until = Instant::now() + wait;
            while Instant::now() < until {
                let array = Hierarchy::open(&s).unwrap().array("/a").unwrap();
                let all: Vec<u32> = array.read(..).unwrap();
                assert!(all.iter().all(|v| [1, 2].contains(v)), "kill {kills}");
            }
            let is_killed = process.0.try_wait().unwrap().is_none();
            drop(process);
            wait = if is_killed { wait * 5 / 4 } else { wait * 3 / 4 };
            (kills, killed) = (kills + 1, killed + usize::from(is_killed));
            seen[value_of(&s) as usize - 1] += 1;
        }
        assert!(!temporary(&dir.path("")).is_empty());
        ok(&["repair", "--apply", &s]);
        assert!(temporary(&dir.path("")).is_empty());
        ok(&["validate", "--data", &s]);
    }
}

#[test]
fn one_of_two_concurrent_overwrites_wins() {
    let dir = Dir::new();
    let s = store_of(&dir.path("s"), 9);
    let sources = [1, 2].map(|v| store_of(&dir.path(&format!("source{v}")), v));
    for (round, at) in (0..16).zip(["s", "s/a"].into_iter().cycle()) {
        let below = at.strip_prefix('s').unwrap();
        let processes = sources.each_ref().map(|source| {
            let from = format!("{source}{below}");
            start(&["copy", "--overwrite", &from, &dir.path(at)])
        });
        for mut process in processes {
            assert!(process.0.wait().unwrap().success(), "round {round}");
        }
        assert!([1, 2].contains(&value_of(&s)), "round {round}");
    }
    // One of several creators wins.
    for round in 0..8 {
        let to = dir.path(&format!("new{round}"));
        let processes = sources.each_ref().map(|source| start(&["copy", source, &to]));
        let won = processes.into_iter().map(|mut p| usize::from(p.0.wait().unwrap().success())).sum::<usize>();
        assert_eq!(won, 1, "round {round}");
        assert!([1, 2].contains(&value_of(&to)));
    }
    assert!(temporary(&dir.path("")).is_empty());
}

#[test]
fn consolidated_metadata_is_updated() {
    let dir = Dir::new();
    let s = dir.path("s");
    ok(&["copy", &weather(), &s]);
    Hierarchy::open(&s).unwrap().consolidate("/").unwrap();
    ok(&["validate", &s]);
    ok(&["copy", "--overwrite", &format!("{}/stations", weather()), &dir.path("s/observations")]);
    ok(&["copy", &format!("{}/observations", weather()), &dir.path("s/new/observations")]);
    ok(&["copy", "--overwrite", &format!("{}/time", weather()), &dir.path("s/stations")]);
    ok(&["validate", "--data", &s]);
    let copies = Hierarchy::open(&s).unwrap().with_consolidated_metadata().unwrap();
    for there in ["/observations/name", "/new/observations/temperature", "/stations"] {
        copies.array(there).unwrap();
    }
    for gone in ["/observations/rainfall", "/stations/name"] {
        assert!(copies.node(gone).is_err(), "{gone}");
    }
}

#[test]
fn files_that_belong_to_no_node_are_preserved() {
    let dir = Dir::new();
    let source = store_of(&dir.path("source"), 1);
    // A chunk that belongs to no array would look like one of the copy.
    for file in ["home/a/notes/x", "other/a/c/3/3"] {
        std::fs::create_dir_all(Path::new(&dir.path(file)).parent().unwrap()).unwrap();
        std::fs::write(dir.path(file), "mine").unwrap();
        let (before, place) = (all_of(&dir.path("")), dir.path(file.split('/').next().unwrap()));
        for overwrite in [&["--overwrite"][..], &[]] {
            let said = fails(&[&["copy"], overwrite, &[&source, &place]].concat(), 3);
            assert!(
                said.contains("does not belong to a node") && said.contains(&file[file.find('/').unwrap() + 1..]),
                "{said}"
            );
            assert!(all_of(&dir.path("")) == before);
        }
    }
}

#[test]
#[cfg(unix)]
fn a_private_node_stays_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let dir = Dir::new();
    let (s, source) = (store_of(&dir.path("s"), 2), store_of(&dir.path("source"), 1));
    for (at, mode) in [("s", 0o750), ("s/a", 0o700)] {
        std::fs::set_permissions(dir.path(at), std::fs::Permissions::from_mode(mode)).unwrap();
        let from = format!("{source}{}", at.strip_prefix('s').unwrap());
        ok(&["copy", "--overwrite", &from, &dir.path(at)]);
        assert_eq!(std::fs::metadata(dir.path(at)).unwrap().mode() & 0o7777, mode, "{at}");
    }
    assert_eq!(value_of(&s), 1);
    let private = [("s", 0o755), ("s/zarr.json", 0o600), ("s/a", 0o700), ("s/a/c", 0o711), ("s/a/c/0/0", 0o640)];
    for (at, mode) in private {
        std::fs::set_permissions(dir.path(at), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    ok(&["copy", "--overwrite", &source, &s]);
    for (at, mode) in private {
        assert_eq!(std::fs::metadata(dir.path(at)).unwrap().mode() & 0o7777, mode, "{at}");
    }
}
