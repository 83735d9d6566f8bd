# One recipe for each step of CI; `just` alone lists them.

default:
    @just --list

# All that CI does.
ci:
    .ci/run

# Formatting.
fmt:
    cargo fmt --all

# Lints, as errors.
clippy:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# All tests, doctests included.
test:
    cargo test --workspace --locked

# Documentation, without warnings.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Each cargo feature alone, and none.
features:
    .ci/features

# The words that STYLE.md replaces.
words:
    .ci/words

# The documentation site, in target/site.
site:
    .ci/site

# Each crate from its package alone.
package:
    .ci/package

# A report of `ozarr report` in Chromium.
browser:
    .ci/browser

# Which modules depend on one another, and how long files are.
modules:
    .ci/modules

# What crate may see what, and how many crates there are.
edges:
    .ci/edges

# The projects outside the workspace, as their authors would check them.
plugins:
    .ci/plugins

# The conformance suite on all that is here; `just conformance long` for more of it.
conformance length="short":
    .ci/conformance {{length}}

# The main job: a store through two plugins and back.
main-job:
    bash examples/weather.sh

# This project and its peers in one run.
bench *ARGS:
    cd benchmarks && cargo run --release --locked -- {{ARGS}}
