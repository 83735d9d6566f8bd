//! Writes each Rust block of the pages to a file of its own, `PAGE-NUMBER.rs`, which `tests/pages.rs` includes.
#![allow(clippy::unwrap_used, reason = "a build that fails is the report")]

use std::{fs, path::Path};

const PAGES: [&str; 4] =
    ["README.md", "docs/adding-an-extension.md", "docs/conformance-for-extension-authors.md", "docs/plugin-abi.md"];

fn main() {
    let folder = std::env::var("OUT_DIR").unwrap();
    for page in PAGES {
        let page = Path::new("..").join(page);
        println!("cargo::rerun-if-changed={}", page.display());
        let text = fs::read_to_string(&page).unwrap();
        let stem = page.file_stem().unwrap().to_str().unwrap();
        for (number, block) in text.split("```rust").skip(1).enumerate() {
            // The first line has the attributes of the block.
            let code = block.split("```").next().unwrap().split_once('\n').unwrap().1;
            fs::write(format!("{folder}/{stem}-{number}.rs"), code).unwrap();
        }
    }
}
