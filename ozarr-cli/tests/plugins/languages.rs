//! The plugins in C of this repository compile in every language that the header supports.

use super::{KINDS, User, run, tree, use_plugin};
use ozarr::plugins::HEADER;
use std::{path::Path, process::Command};

const C: [&str; 3] = ["-std=c99", "-std=c11", "-std=c17"];
const CPP: [&str; 4] = ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"];
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Returns the installed ones of GCC and Clang.
fn installed(compilers: [&'static str; 2]) -> Vec<&'static str> {
    let runs = |c: &&str| Command::new(c).arg("--version").output().is_ok_and(|o| o.status.success());
    let found: Vec<_> = compilers.into_iter().filter(runs).collect();
    assert!(!found.is_empty(), "none of {compilers:?} is installed");
    found
}

/// Compiles the plugin and its test with every installed compiler, in every language.
fn compiles(folder: &Path) {
    let (in_c, in_cpp) = (installed(["gcc", "clang"]), installed(["g++", "clang++"]));
    let modes = in_c.iter().flat_map(|c| C.map(|standard| (c, ["-x", "c", standard])));
    let modes = modes.chain(in_cpp.iter().flat_map(|c| CPP.map(|standard| (c, ["-x", "c++", standard]))));
    for (compiler, language) in modes {
        run(Command::new(compiler).current_dir(folder).args(language).args(WARNINGS).args([
            "-O2",
            "-fsyntax-only",
            "plugin.c",
            "test.c",
        ]));
    }
}

#[test]
fn new_projects_compile_as_c_and_as_cpp() {
    let user = User::new();
    let cpp = installed(["g++", "clang++"])[0];
    for kind in KINDS {
        user.ok(&["plugin", "new", &format!("acme.{kind}"), "--kind", kind, "--lang", "c"]);
        let folder = user.0.path().join(format!("acme-{kind}"));
        compiles(&folder);
        // A library from a C++ compiler exports the same symbol and contains the same manifest.
        let build = |args: &[&str]| {
            run(Command::new(cpp).current_dir(&folder).args(["-x", "c++", "-std=c++17", "-O2"]).args(args));
        };
        build(&["-fPIC", "-shared", "-fvisibility=hidden", "-o", "cpp.so", "plugin.c"]);
        build(&["-o", "test", "test.c"]);
        run(Command::new(folder.join("test")).current_dir(&folder));
        use_plugin(&user, kind, &folder.join("cpp.so").to_string_lossy());
    }
}

#[test]
fn plugins_of_this_repository_compile_as_c_and_as_cpp() {
    for name in zarr_conformance::third_party::IN_C {
        let folder = tempfile::tempdir().unwrap();
        for file in ["plugin.c", "test.c"] {
            std::fs::copy(tree("plugins").join(name).join(file), folder.path().join(file)).unwrap();
        }
        std::fs::write(folder.path().join("zarr_plugin.h"), HEADER).unwrap();
        compiles(folder.path());
    }
}
