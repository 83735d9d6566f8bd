#!/usr/bin/env bash
# The main job: shows a store that zarr-python wrote, re-encodes it, checks the copy, and shows the sizes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet -p zarr-cli
zarr=target/release/zarr
copy=target/weather-zstd.zarr

"$zarr" tree examples/weather.zarr
"$zarr" copy --overwrite --codecs '[{"name": "zstd", "configuration": {"level": 9, "checksum": false}}]' \
    examples/weather.zarr "$copy"
"$zarr" validate --data "$copy"
for array in observations/temperature observations/pressure stations/name; do
    cmp <("$zarr" elements --array_path "examples/weather.zarr/$array") <("$zarr" elements --array_path "$copy/$array")
    echo "$array: the same elements"
done
