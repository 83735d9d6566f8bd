//! Builds the plugins of `plugins/` as a third party would build them: from a copy outside the tree, with their own
//! lock files.
//!
//! Plugins in C have access to the header only.
//!
//! A plugin is built once for each state of its sources. A failed build is an error, never a reason to skip a test.

use ozarr::{Error, Result, plugins::HEADER};
use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

/// The names of the plugins of `plugins/` that are written in Rust.
pub const IN_RUST: [&str; 9] = [
    "numcodecs-lz4",
    "numcodecs-zlib",
    "numcodecs-shuffle",
    "numcodecs-pcodec",
    "bitround",
    "numpy-datetime",
    "rectilinear",
    "fan-out",
    "chunk-manifest",
];
/// The names of the plugins of `plugins/` that are written in C.
pub const IN_C: [&str; 1] = ["numcodecs-fletcher32"];

/// Returns the folder of the workspace.
fn tree() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree().join("target"), PathBuf::from)
}

/// Returns the folder in which cargo builds third-party projects, so that shared dependencies are built once.
pub fn build_folder() -> PathBuf {
    target().join("third-party/target")
}

/// Collects the files below a folder, sorted, without build results.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|e| Error::from(e).at_key(folder.display()))? {
        let path = entry?.path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => files(&path, found)?,
            false => found.push(path),
        }
    }
    found.sort();
    Ok(())
}

/// Returns a hash of the contents of folders.
fn state(folders: &[&Path]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for folder in folders {
        let mut all = Vec::new();
        files(folder, &mut all)?;
        for file in all {
            (file.strip_prefix(folder).unwrap_or(&file), fs::read(&file)?).hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| Error::from(e).with_hint(format!("{command:?} needs to run")))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(Error::argument(format!("{command:?} failed: {}", stderr.trim())))
}

/// Locks the folder of built plugins, because several test programs may build at the same time.
fn lock(below: &Path) -> Result<File> {
    fs::create_dir_all(below)?;
    let lock = File::create(below.join("lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Builds a plugin of `plugins/` in Rust, and returns the path of its library.
pub fn rust(name: &str) -> Result<PathBuf> {
    let tree = tree();
    built(name, &tree.join("plugins").join(name))
}

/// Builds a plugin in Rust from another folder, and returns the path of its library.
pub fn rust_from(name: &str, source: &Path) -> Result<PathBuf> {
    built(name, source)
}

/// Creates a project in a new folder, as `ozarr plugin new` does. A project in Rust gets the versions of dependencies
/// that are locked here.
pub fn new_project(folder: &Path, name: &str, kind: &str, lang: &str) -> Result<()> {
    let tree = tree();
    let mut new = Command::new(crate::peers::ozarr()?);
    new.args(["plugin", "new", name, "--kind", kind, "--lang", lang, "--into"]).arg(folder);
    run(new.arg("--api").arg(tree.join("zarr-plugin-api")).env("ZARR_PLUGINS", "off"))?;
    if lang == "rust" { lock_versions(folder) } else { Ok(()) }
}

/// Copies the versions of dependencies that are locked here to a new project.
pub fn lock_versions(project: &Path) -> Result<()> {
    fs::copy(tree().join("Cargo.lock"), project.join("Cargo.lock"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo).args(["metadata", "--offline", "--format-version", "1"]).current_dir(project))
}

/// Creates and builds a new project in Rust, and returns the path of its library.
pub fn new_in_rust(name: &str, kind: &str) -> Result<PathBuf> {
    let (place, package) = (tempfile::tempdir()?, name.replace('.', "-"));
    let folder = place.path().join(&package);
    new_project(&folder, name, kind, "rust")?;
    built(&package, &folder)
}

fn built(name: &str, source: &Path) -> Result<PathBuf> {
    let below = target().join("third-party");
    let _lock = lock(&below)?;
    let tree = tree();
    let state = state(&[source, &tree.join("zarr-plugin-api"), &tree.join("zarr-core")])?;
    let suffix = std::env::consts::DLL_SUFFIX;
    let library = below.join(format!("{name}-{state}{suffix}"));
    if !library.exists() {
        let copy = copy(name, source)?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        run(Command::new(cargo)
            .args(["build", "--locked", "--quiet", "--lib", "--features", "plugin"])
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", build_folder())
            // Each project is built once, so incremental data would only fill the disk.
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS"))?;
        let file = format!("{}{}{suffix}", std::env::consts::DLL_PREFIX, name.replace('-', "_"));
        fs::copy(build_folder().join("debug").join(file), below.join("new"))?;
        fs::rename(below.join("new"), &library)?;
    }
    Ok(library)
}

/// Builds the program that links every plugin in Rust and loads the plugins that it is given, and returns its path.
pub fn static_and_dynamic() -> Result<PathBuf> {
    let below = target().join("third-party");
    let _lock = lock(&below)?;
    // It has its own folder, because the library of a crate that is also a plugin has the same name with and without
    // the feature.
    let folder = below.join("static");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .args(["build", "--locked", "--quiet"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("static"))
        .env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join("debug").join(format!("static-and-dynamic{}", std::env::consts::EXE_SUFFIX)))
}

/// Copies a project out of the tree, and adapts its paths to crates in the tree.
fn copy(name: &str, source: &Path) -> Result<PathBuf> {
    let place = std::env::temp_dir().join(format!("zarr-third-party-{:016x}", {
        let mut hasher = DefaultHasher::new();
        tree().hash(&mut hasher);
        hasher.finish()
    }));
    let folder = place.join(name);
    let _none_before = fs::remove_dir_all(&folder);
    let mut all = Vec::new();
    files(source, &mut all)?;
    for file in all {
        let to = folder.join(file.strip_prefix(source).unwrap_or(&file));
        fs::create_dir_all(to.parent().unwrap_or(&folder))?;
        fs::copy(&file, to)?;
    }
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    let line = |l: &str| match l.split_once(" = { path = \"../") {
        Some((name, rest)) => {
            let (path, rest) = rest.split_once('"').unwrap_or((rest, ""));
            format!("{name} = {{ path = {:?}{rest}\n", tree().join(path.trim_start_matches("../")))
        }
        None => format!("{l}\n"),
    };
    fs::write(&manifest, text.lines().map(line).collect::<String>())?;
    Ok(folder)
}

/// Builds a library from one file in C or C++ that has access to the header only. `extra` are arguments of the
/// compiler.
pub fn c(source: &Path, extra: &[&str]) -> Result<PathBuf> {
    let below = target().join("third-party");
    let _lock = lock(&below)?;
    let text = fs::read(source).map_err(|e| Error::from(e).at_key(source.display()))?;
    let mut hasher = DefaultHasher::new();
    (&text, extra, HEADER).hash(&mut hasher);
    let stem = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let parent =
        source.parent().and_then(Path::file_name).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let name = format!("{parent}-{stem}-{:016x}{}", hasher.finish(), std::env::consts::DLL_SUFFIX);
    let library = below.join(name);
    if !library.exists() {
        let folder = std::env::temp_dir().join(format!("zarr-third-party-c-{:016x}", hasher.finish()));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("zarr_plugin.h"), HEADER)?;
        let cpp = source.extension().is_some_and(|e| e == "cpp");
        let file = folder.join(if cpp { "plugin.cpp" } else { "plugin.c" });
        fs::write(&file, text)?;
        let (compiler, standard) = if cpp { ("c++", "-std=c++11") } else { ("cc", "-std=c11") };
        run(Command::new(compiler)
            .args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", "-fPIC", "-shared"])
            .arg("-fvisibility=hidden")
            .args(extra)
            .arg("-o")
            .arg(&library)
            .arg(&file))?;
        fs::remove_dir_all(&folder)?;
    }
    Ok(library)
}

/// Builds a plugin of `plugins/` in C, and returns the path of its library.
pub fn c_plugin(name: &str) -> Result<PathBuf> {
    c(&tree().join("plugins").join(name).join("plugin.c"), &[])
}
