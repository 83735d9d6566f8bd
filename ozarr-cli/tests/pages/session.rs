//! Commands of a page in a copy of the checkout.

use super::{ELSEWHERE, Use, block::Block, tree};
use snapbox::{Assert, Data, IntoData, filter::NormalizeToExpected};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};
use zarr_conformance::third_party;

pub(crate) struct Session {
    place: tempfile::TempDir,
    /// The folder in which the next command runs.
    at: PathBuf,
    /// The exit status of the last command.
    status: i32,
}

impl Session {
    /// Creates a copy of the checkout: `examples` and `plugins` are copies, everything else is a link.
    pub(crate) fn new(page: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let (copy, programs) = (place.path().join("checkout"), place.path().join("bin"));
        for folder in [&copy, &programs, &place.path().join("home")] {
            fs::create_dir(folder).unwrap();
        }
        for entry in fs::read_dir(tree()).unwrap() {
            let path = entry.unwrap().path();
            let to = copy.join(path.file_name().unwrap());
            match path.file_name().unwrap().to_str() {
                Some("target" | ".git") => {}
                Some("examples" | "plugins") => copy_folder(&path, &to),
                _ => symlink(&path, to).unwrap(),
            }
        }
        symlink(env!("CARGO_BIN_EXE_ozarr"), programs.join("ozarr")).unwrap();
        if fs::read_to_string(tree().join(page)).unwrap().contains("$ zarr-conformance ") {
            symlink(conformance(), programs.join("zarr-conformance")).unwrap();
        }
        // Commands of a page in `plugins` run in its folder, all others in the folder of the checkout.
        let at = if page.starts_with("plugins/") { copy.join(page).parent().unwrap().to_owned() } else { copy };
        Self { place, at, status: 0 }
    }

    /// The folder of the checkout.
    pub(crate) fn folder(&self) -> PathBuf {
        self.place.path().join("checkout")
    }

    /// Saves a block where the page tells the reader to.
    pub(crate) fn save(&self, used: Option<Use>, block: &Block) {
        if let Some(Use::File(name)) = used {
            let file = self.folder().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &block.text).unwrap();
        }
    }

    /// Runs commands whose output the page does not show.
    pub(crate) fn shell(&mut self, place: &str, block: &Block) {
        for command in block.text.replace("\\\n", "").lines() {
            if !ELSEWHERE.iter().any(|(c, ..)| *c == command) {
                let output = self.command(command);
                assert_eq!(self.status, 0, "{place}: {command}\n{output}");
            }
        }
    }

    /// Runs the commands of a block and compares their output. Returns the lines of the page to replace.
    pub(crate) fn console(&mut self, place: &str, block: &Block) -> Vec<(usize, usize, String)> {
        let (mut replaced, mut failed) = (Vec::new(), None);
        let mut lines = block.text.lines().enumerate().peekable();
        while let Some((_, line)) = lines.next() {
            let first = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{place}: {line:?} follows no command"));
            let mut command = first.to_owned();
            while let Some((_, more)) = lines.next_if(|(_, l)| l.starts_with("> ")) {
                command = format!("{command}\n{}", &more[2..]);
            }
            if let Some(failed) = failed.take().filter(|_| command != "echo $?") {
                panic!("{place}: this command failed, and the page does not show its exit status: {failed}");
            }
            let start = lines.peek().map_or(block.text.lines().count(), |(i, _)| *i);
            let mut expected = String::new();
            while let Some((_, l)) = lines.next_if(|(_, l)| !l.starts_with("$ ")) {
                expected = format!("{expected}{l}\n");
            }
            let output = self.command(&command);
            if self.status != 0 {
                failed = Some(format!("{command}\n{output}"));
            }
            if let Some(new) = compare(&format!("{place}: $ {command}"), &output, &expected) {
                replaced.push((block.line + start, expected.lines().count(), new));
            }
        }
        if let Some(failed) = failed {
            panic!("{place}: this command failed, and the page does not show its exit status: {failed}");
        }
        replaced
    }

    /// Runs a command, and returns its output as a terminal shows it.
    pub(crate) fn command(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["cd", folder] => {
                self.at = self.at.join(folder).canonicalize().unwrap();
                self.status = 0;
                String::new()
            }
            ["cargo", "build", "--release", "--features", "plugin"] => self.build(&self.at.clone()),
            ["cargo", "build", "--release", "--features", "plugin", "--manifest-path", manifest] => {
                self.build(self.at.join(manifest).parent().unwrap())
            }
            ["cargo", "add", "--path", library] => self.add(library),
            ["cargo", ..] => panic!("this test does not know how to run {command:?} without a network"),
            _ => self.sh(command),
        }
    }

    fn sh(&mut self, command: &str) -> String {
        let path = std::env::var("PATH").unwrap();
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n(exit {})\n{command}", self.status)).current_dir(&self.at);
        shell.env("PATH", format!("{}:{path}", self.place.path().join("bin").display()));
        shell.env("HOME", self.place.path().join("home"));
        // The adapter of this project takes the command from here.
        shell.env("OZARR", env!("CARGO_BIN_EXE_ozarr"));
        for (name, _) in std::env::vars() {
            if name.starts_with("ZARR_") || ["XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX"].contains(&&*name) {
                shell.env_remove(name);
            }
        }
        let out = shell.output().unwrap();
        self.status = out.status.code().unwrap();
        let output = String::from_utf8(out.stdout).unwrap();
        // Pages show these instead of temporary folders.
        let shown = [("checkout", "/home/user/ozarr"), ("home", "/home/user")];
        shown
            .iter()
            .fold(output, |output, (name, path)| output.replace(self.place.path().join(name).to_str().unwrap(), path))
    }

    /// Builds a plugin without a network and without optimization, from the versions that are locked in this tree, and
    /// puts the library where cargo does.
    fn build(&mut self, project: &Path) -> String {
        if !project.join("Cargo.lock").exists() {
            third_party::lock_versions(project).unwrap();
        }
        let name = project.file_name().unwrap().to_str().unwrap();
        let library = third_party::rust_from(name, project).unwrap();
        let folder = project.join("target/release");
        fs::create_dir_all(&folder).unwrap();
        fs::copy(library, folder.join(format!("lib{}{}", name.replace('-', "_"), std::env::consts::DLL_SUFFIX)))
            .unwrap();
        self.status = 0;
        String::new()
    }

    /// Adds the library to a new project.
    fn add(&mut self, library: &str) -> String {
        let path = library.strip_prefix("/path/to/checkout/").expect("a path below the checkout");
        let project = self.place.path().join("project");
        let cargo = |arguments: &[&str], folder: &Path| {
            let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let out = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
            assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        };
        cargo(&["new", "--quiet", "--vcs", "none", "project"], self.place.path());
        cargo(&["add", "--quiet", "--offline", "--path", tree().join(path).to_str().unwrap()], &project);
        let manifest: toml::Table = fs::read_to_string(project.join("Cargo.toml")).unwrap().parse().unwrap();
        assert!(manifest["dependencies"].as_table().unwrap().contains_key(path), "{manifest:?}");
        self.status = 0;
        String::new()
    }
}

/// Compares the output of a command with the page. Returns the text to write into the page if it is to be replaced.
fn compare(place: &str, actual: &str, expected: &str) -> Option<String> {
    // An output that does not end with a line feed is shown as if it did.
    let end = if actual.is_empty() || actual.ends_with('\n') { "" } else { "\n" };
    let shown: String = format!("{actual}{end}").lines().map(|l| with_seconds_of(l, expected)).collect();
    let wanted = expected.to_owned().into_data();
    let fitted = NormalizeToExpected::new().redact().normalize(Data::text(&*shown), &wanted).to_string();
    if fitted == expected {
        return None;
    }
    if std::env::var("SNAPSHOTS").is_ok_and(|s| s == "overwrite") {
        return Some(fitted);
    }
    let e = Assert::new().try_eq(None, shown.into_data(), wanted).err();
    panic!("{place}\n{}", e.map(|e| e.to_string()).unwrap_or(fitted))
}

/// Returns a line, with the seconds of the line of the page that differs in nothing else.
fn with_seconds_of(line: &str, page: &str) -> String {
    let without = |l: &str| -> Option<String> {
        let (start, number) = l.strip_suffix(" s")?.rsplit_once(' ')?;
        number.parse::<f64>().ok().map(|_| start.to_owned())
    };
    let same = without(line).and_then(|start| page.lines().find(|l| without(l).as_ref() == Some(&start)));
    format!("{}\n", same.unwrap_or(line))
}

/// The `zarr-conformance` command of this tree.
fn conformance() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let program = BUILT.get_or_init(|| {
        // The folder in which cargo put the command of this package.
        let folder = Path::new(env!("CARGO_BIN_EXE_ozarr")).parent().unwrap();
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // The profile and the features of tests: cargo has built it already, unless only this package is tested.
        let profile = if folder.ends_with("release") { "release" } else { "test" };
        build.args(["build", "--quiet", "--locked", "--workspace", "--bin", "zarr-conformance", "--profile", profile]);
        build.arg("--target-dir").arg(folder.parent().unwrap());
        let out = build.current_dir(tree()).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        folder.join("zarr-conformance")
    });
    program.clone()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() && !path.ends_with("target") {
            copy_folder(&path, &to);
        } else if path.is_file() {
            fs::copy(&path, to).unwrap();
        }
    }
}
