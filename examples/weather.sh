#!/usr/bin/env bash
# The main job: copies a store that zarr-python wrote through the codecs of two plugins and back, and compares. One
# plugin is in Rust and one in C; the command is not built again for them.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet -p ozarr-cli --target-dir target
zarr=$PWD/target/release/ozarr
work=$PWD/target/weather
rm -rf "$work" && mkdir -p "$work"
# Everything that this script installs stays here.
export XDG_DATA_HOME=$work/data

cargo build --release --locked --quiet --features plugin --target-dir target/plugins \
    --manifest-path plugins/numcodecs-lz4/Cargo.toml
"$zarr" plugin add target/plugins/release/libnumcodecs_lz4.so
"$zarr" plugin header > "$work/zarr_plugin.h"
cc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I "$work" -o "$work/fletcher32.so" plugins/numcodecs-fletcher32/plugin.c
"$zarr" plugin add "$work/fletcher32.so"
"$zarr" plugin list

"$zarr" tree examples/weather.zarr
"$zarr" copy --codecs '[{"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}, {"name": "numcodecs.fletcher32"}]' \
    examples/weather.zarr "$work/there.zarr"
"$zarr" validate --data "$work/there.zarr"
"$zarr" plugin why "$work/there.zarr"
"$zarr" copy --codecs '[{"name": "zstd", "configuration": {"level": 9, "checksum": false}}]' \
    "$work/there.zarr" "$work/back.zarr"
for array in observations/temperature observations/pressure stations/name; do
    elements() { "$zarr" elements --array_path "$1/$array"; }
    cmp <(elements examples/weather.zarr) <(elements "$work/there.zarr")
    cmp <(elements examples/weather.zarr) <(elements "$work/back.zarr")
    echo "$array: the same elements after the round trip"
done

"$zarr" plugin remove dev.zarr.numcodecs-lz4
if "$zarr" read --region 0,0,0 "$work/there.zarr/observations/temperature"; then
    echo "the codec is gone, but the array was read" && exit 1
fi
