#!/usr/bin/env python3
"""Maps each case to its clause of clauses.toml.

    python3 conformance/generate/clauses.py            write the clauses of the stored golden arrays
    python3 conformance/generate/clauses.py --check    write nothing; fail if a stored clause differs

The tables match cases by patterns; each case must match exactly one clause. `refusals.py` takes the clauses of its rules
from here.
"""

import fnmatch
import json
import pathlib
import sys

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"

# Refusals, by the rule's id.
REFUSALS = {
    "json/grammar": "json-empty json-cut-short json-trailing-garbage json-second-document json-null-after-document",
    "json/utf-8": "json-utf-16 json-latin-1 json-overlong-utf-8 json-utf-8-surrogate json-cut-utf-8",
    "json/no-nan": "json-bare-*",
    "json/number-form": "json-leading-zero json-plus-sign json-hexadecimal-number",
    "json/number-fraction": "json-no-digit-*",
    "json/separators": "json-trailing-comma-* json-missing-comma",
    "json/no-comments": "json-*-comment",
    "json/quotes": "json-single-quotes json-unquoted-name",
    "json/literals": "json-upper-case-literal json-foreign-literal json-cut-literal",
    "json/white-space": "json-foreign-white-space json-form-feed",
    "json/control-characters": "json-raw-*-in-string",
    "json/escapes": "json-unknown-escape json-short-escape",
    "metadata/object": "json-top-level-*",
    "array/zarr-format": "array-zarr-format-*",
    "array/node-type": "array-node-type-*",
    "array/shape": "array-shape-missing shape-null shape-number",
    "array/shape/integers": "shape-fraction shape-exponent shape-string shape-boolean shape-null-entry shape-nested",
    "array/shape/non-negative": "shape-negative",
    "array/data-type": "array-data-type-missing",
    "array/chunk-grid": "array-chunk-grid-missing",
    "array/chunk-key-encoding": "array-chunk-key-encoding-missing",
    "array/fill-value": "array-fill-value-missing",
    "array/codecs": "array-codecs-missing",
    "array/codecs/list": "codecs-null codecs-string codecs-object",
    "array/attributes": "array-attributes-*",
    "array/storage-transformers": "storage-transformers-*",
    "array/dimension-names": "dimension-names-null dimension-names-not-array dimension-names-object",
    "array/dimension-names/count": "dimension-names-too-* dimension-names-empty",
    "array/dimension-names/entries": "dimension-names-not-string dimension-names-boolean dimension-names-nested",
    "array/unknown-member": "array-unknown-member-object array-unknown-member-inner-flag array-unknown-member-must-*",
    "array/unknown-value": "array-unknown-member-[sn]* array-unknown-member-false array-unknown-member-array",
    "array/unknown-flag": "array-unknown-member-flag-*",
    "group/zarr-format": "group-zarr-format-*",
    "group/node-type": "group-node-type-*",
    "group/attributes": "group-attributes-*",
    "group/unknown-member": "group-unknown-member-object group-unknown-member-inner-flag group-unknown-member-must-*",
    "group/unknown-value": "group-unknown-member-[sn]* group-unknown-member-false group-unknown-member-array group-with-*",
    "group/unknown-flag": "group-unknown-member-flag-*",
    "group/consolidated": "group-consolidated-*",
    "extension/form": "*-not-an-extension",
    "extension/name": "*-name-missing",
    "extension/name-string": "*-name-not-string",
    "extension/name-not-empty": "*-name-empty",
    "extension/name-exact": "data-type-name-upper-case data-type-name-space data-type-name-version-2 "
    "data-type-name-python codec-name-upper-case",
    "extension/name-of-point": "*-named-as-*",
    "extension/configuration-object": "data-type-configuration-* chunk-*-configuration-* codec-configuration-* "
    "storage-transformer-configuration-* codec-unknown-configuration-null",
    "extension/members": "*-extra-member *-separator-beside-name",
    "extension/must-understand-boolean": "data-type-flag-not-boolean chunk-*-flag-not-boolean codec-flag-not-boolean "
    "storage-transformer-flag-not-boolean codec-unknown-flag-not-boolean",
    **{
        f"extension/{point}-must-be-understood": f"{point}-must-understand-false {point}-unknown-must-understand-false"
        for point in ("data-type", "chunk-grid", "chunk-key-encoding")
    },
    **{
        f"extension/unknown-{point}": f"{point}-unknown {point}-unknown-short-hand {point}-unknown-must-understand-true"
        for point in ("data-type", "chunk-grid", "chunk-key-encoding", "storage-transformer")
    },
    "extension/unknown-codec": "codec-unknown codec-unknown-short-hand codec-unknown-must-understand-true "
    "codec-unknown-first codec-unknown-uri",
    "extension/known-is-used": "codec-known-flag-*",
    "codecs/array-to-bytes": "codecs-empty codecs-without-array-to-bytes codecs-array-to-array-only "
    "codec-unknown-array-to-bytes-skipped",
    "codecs/one-array-to-bytes": "codecs-two-array-to-bytes sharding-array-to-bytes-after",
    "codecs/order": "codecs-bytes-to-bytes-first codecs-array-to-array-after-bytes codecs-array-to-array-last",
    "data-type/raw-bits/multiple-of-eight": "data-type-raw-0 data-type-raw-12 data-type-raw-1",
    "data-type/raw-bits/name": "data-type-raw-letter-after data-type-raw-plus-sign data-type-raw-negative "
    "data-type-raw-without-bits data-type-raw-star data-type-raw-upper-case",
    "data-type/configuration": "data-type-extra-configuration",
    "data-type/bool": "fill-bool-*",
    **{
        f"data-type/{kind}{bits}": f"fill-integer-{kind}{bits}-too-*"
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "fill/integer/number": "fill-integer-string fill-integer-boolean fill-integer-null fill-integer-array "
    "fill-integer-object fill-integer-nan fill-integer-hexadecimal",
    "fill/integer/no-fraction": "fill-integer-fraction fill-integer-exponent fill-integer-half",
    "fill/float/kind": "fill-float-boolean fill-float-null fill-float-array",
    "fill/float/strings": "fill-float-string-of-number fill-float-empty-string",
    "fill/float/infinity": "fill-float-plus-infinity fill-float-inf fill-float-infinity-lower-case",
    "fill/float/nan": "fill-float-nan-lower-case fill-float-minus-nan fill-float-white-space",
    "fill/float/hex-prefix": "fill-float-hex-upper-case-prefix fill-float-hex-without-prefix fill-float-hex-sign-before",
    "fill/float/hex-digits": "fill-float-hex-bad-digit fill-float-hex-sign-within",
    "fill/float/hex-length": "fill-float-hex-too-* fill-float-hex-without-digits",
    "fill/complex/list": "fill-complex-scalar fill-complex-string fill-complex-object fill-complex-null",
    "fill/complex/two": "fill-complex-one-component fill-complex-three-components fill-complex-empty",
    "fill/complex/parts": "fill-complex-component-*",
    "fill/raw/list": "fill-raw-number fill-raw-null",
    "fill/raw/count": "fill-raw-too-few fill-raw-too-many fill-raw-one-per-bit fill-raw-empty",
    "fill/raw/integers": "fill-raw-fraction fill-raw-string-entry",
    "fill/raw/range": "fill-raw-above-255 fill-raw-negative",
    "fill/string": "fill-string-*",
    "fill/bytes/kind": "fill-bytes-number fill-bytes-null",
    "fill/bytes/base64": "fill-bytes-not-base64 fill-bytes-cut-base64",
    "fill/bytes/range": "fill-bytes-above-255 fill-bytes-below-0",
    "chunk-grid/regular/chunk-shape": "regular-short-hand regular-no-configuration regular-empty-configuration",
    "chunk-grid/regular/list": "regular-null regular-number",
    "chunk-grid/regular/integers": "regular-fraction regular-string regular-boolean regular-exponent",
    "chunk-grid/regular/positive": "regular-zero regular-negative regular-zero-in-empty-array",
    "chunk-grid/regular/rank": "regular-rank-*",
    "chunk-grid/regular/configuration": "regular-extra-configuration",
    **{f"chunk-key-encoding/{name}/separator": f"{name}-keys-separator-[!b]*" for name in ("default", "v2")},
    **{f"chunk-key-encoding/{name}/configuration": f"{name}-keys-extra-*" for name in ("default", "v2")},
    "codec/bytes/endian-required": "bytes-endian-missing-*",
    "codec/bytes/endian-values": "bytes-endian-unknown* bytes-endian-case bytes-endian-null bytes-endian-number",
    "codec/bytes/data-types": "bytes-of-*",
    "codec/transpose/order-required": "transpose-order-missing",
    "codec/transpose/list": "transpose-order-letter-* transpose-order-null",
    "codec/transpose/integers": "transpose-order-negative transpose-order-fraction",
    "codec/transpose/permutation": "transpose-order-repeated transpose-order-beyond-rank transpose-order-from-one",
    "codec/transpose/rank": "transpose-order-too-* transpose-order-empty transpose-order-of-scalar",
    **{
        f"codec/{name}/configuration": f"{name}-extra-configuration"
        for name in ("bytes", "transpose", "gzip", "crc32c", "blosc", "zstd", "vlen-utf8", "vlen-bytes", "sharding")
    },
    "codec/gzip/level-required": "gzip-level-missing",
    "codec/gzip/level-integer": "gzip-level-string gzip-level-fraction gzip-level-null gzip-level-boolean",
    "codec/gzip/level-range": "gzip-level-too-high",
    "codec/blosc/cname-required": "blosc-cname-missing blosc-no-configuration",
    "codec/blosc/cname-values": "blosc-cname-unknown blosc-cname-upper-case",
    "codec/blosc/clevel-required": "blosc-clevel-missing",
    "codec/blosc/clevel-integer": "blosc-clevel-string blosc-clevel-fraction",
    "codec/blosc/clevel-range": "blosc-clevel-too-high blosc-clevel-negative",
    "codec/blosc/shuffle-required": "blosc-shuffle-missing",
    "codec/blosc/shuffle-values": "blosc-shuffle-unknown blosc-shuffle-number blosc-shuffle-null",
    "codec/blosc/typesize-required": "blosc-typesize-missing-*",
    "codec/blosc/typesize-positive": "blosc-typesize-zero-* blosc-typesize-negative",
    "codec/blosc/typesize-integer": "blosc-typesize-string blosc-typesize-fraction",
    "codec/blosc/blocksize-required": "blosc-blocksize-missing",
    "codec/blosc/blocksize-integer": "blosc-blocksize-string blosc-blocksize-fraction",
    "codec/blosc/blocksize-range": "blosc-blocksize-negative",
    "codec/sharding/chunk-shape": "sharding-chunk-shape-missing sharding-chunk-shape-null sharding-no-configuration",
    "codec/sharding/integers": "sharding-chunk-shape-fraction sharding-chunk-shape-string",
    "codec/sharding/positive": "sharding-chunk-shape-zero sharding-chunk-shape-negative",
    "codec/sharding/rank": "sharding-chunk-shape-rank-*",
    "codec/sharding/divides": "sharding-chunk-shape-not-dividing sharding-chunk-shape-larger "
    "sharding-chunk-shape-after-transpose sharding-nested-not-dividing",
    "codec/sharding/codecs": "sharding-codecs-missing sharding-codecs-null",
    "codec/sharding/inner-chain": "sharding-codecs-empty sharding-codecs-without-array-to-bytes sharding-codecs-wrong-order "
    "sharding-codecs-two-array-to-bytes sharding-codecs-unknown-array-to-bytes-skipped",
    "codec/sharding/inner-codecs": "sharding-codecs-endian-missing sharding-codecs-unknown sharding-codecs-bad-*",
    "codec/sharding/index-codecs": "sharding-index-codecs-missing sharding-index-codecs-null",
    "codec/sharding/index-chain": "sharding-index-codecs-empty sharding-index-codecs-without-array-to-bytes",
    "codec/sharding/index-array": "sharding-index-codecs-endian-missing sharding-index-codecs-unknown "
    "sharding-index-codecs-bad-transpose",
    "codec/sharding/index-fixed-size": "sharding-index-codecs-gzip sharding-index-codecs-zstd sharding-index-codecs-blosc",
    "codec/sharding/index-location": "sharding-index-location-*",
    "codec/zstd/level-required": "zstd-level-missing",
    "codec/zstd/level-integer": "zstd-level-string zstd-level-fraction zstd-level-null",
    "codec/zstd/level-range": "zstd-level-too-low",
    "codec/zstd/checksum": "zstd-checksum-*",
    "codec/vlen-utf8/data-type": "vlen-utf8-of-*",
    "codec/vlen-bytes/data-type": "vlen-bytes-of-*",
}

# Golden arrays, by extension point, extension and label; the writer does not matter.
GOLDENS = {
    "array/shape/non-negative": "chunk_grid/regular/empty-*",
    "array/attributes": "chunk_grid/regular/attribute-*",
    "chunk-grid/regular/rank": "chunk_grid/regular/rank-[01245]",
    "chunk/size": "chunk_grid/regular/rank-3",
    "chunk-grid/regular/edge": "chunk_grid/regular/larger-than-array",
    "chunk-grid/regular/positive": "chunk_grid/regular/one-element-chunks",
    "chunk-grid/regular/grid-shape": "chunk_grid/regular/twelve-chunks",
    "chunk/missing": "chunk_grid/regular/missing-chunks chunk_grid/regular/nothing-stored chunk_grid/regular/*-missing",
    "chunk/stored-fill": "chunk_grid/regular/stored-fill",
    **{f"chunk-key-encoding/{name}/scalar": f"chunk_key_encoding/{name}/*-rank-0" for name in ("default", "v2")},
    **{f"chunk-key-encoding/{name}/key": f"chunk_key_encoding/{name}/*-rank-[!0]" for name in ("default", "v2")},
    "codecs/decoding-order": "codec/transpose/twice codec/crc32c/*-gzip codec/sharding_indexed/outer-*",
    "codec/bytes/endian-required": "codec/bytes/no-configuration",
    "codec/bytes/endian-values": "codec/bytes/*-float64 codec/bytes/*-complex*",
    "codec/bytes/order": "codec/bytes/*-int16",
    "codec/bytes/size": "codec/bytes/*-uint32",
    "codec/transpose/permutation": "codec/transpose/order-*",
    "codec/gzip/level-range": "codec/gzip/level-*",
    "codec/gzip/format": "codec/gzip/two-members",
    "codec/crc32c/checksum": "codec/crc32c/after-bytes codec/crc32c/twice",
    "codec/blosc/cname-values": "codec/blosc/*-noshuffle",
    "codec/blosc/shuffle-values": "codec/blosc/[!t]*-shuffle codec/blosc/[!tb]*-bitshuffle codec/blosc/blosclz-bitshuffle",
    "codec/blosc/clevel-range": "codec/blosc/clevel-*",
    "codec/blosc/typesize-positive": "codec/blosc/*typesize*",
    "codec/blosc/blocksize-range": "codec/blosc/blocks*",
    "codec/blosc/format": "codec/blosc/tiny",
    "codec/sharding/index-location": "codec/sharding_indexed/index-start* codec/sharding_indexed/index-end",
    "codec/sharding/index-array": "codec/sharding_indexed/index-[bntn]*",
    "codec/sharding/inner-codecs": "codec/sharding_indexed/inner-* codec/sharding_indexed/nested*",
    "codec/sharding/index-entries": "codec/sharding_indexed/missing-* codec/sharding_indexed/stored-fill",
    "codec/sharding/truncated": "codec/sharding_indexed/one-chunk",
    "codec/sharding/index": "codec/sharding_indexed/one-element-chunks codec/sharding_indexed/larger-than-array",
    "codec/sharding/divides": "codec/sharding_indexed/rank-*",
    "codec/zstd/checksum": "codec/zstd/level-*-checksum",
    "codec/zstd/level-range": "codec/zstd/level*[0-9]",
    "codec/zstd/format": "codec/zstd/two-frames codec/zstd/skippable-frame codec/zstd/no-content-size",
    "codec/vlen/lengths": "codec/vlen-*/*",
    "data-type/bool": "data_type/bool/*",
    **{f"data-type/{kind}{bits}": f"data_type/{kind}{bits}/*" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "data-type/float": "data_type/float[136][624]/odd-values",
    "fill/float/number": "data_type/float[136][624]/fill-minus-zero data_type/float[136][624]/fill-number",
    "fill/float/infinity": "data_type/float*/fill-*infinity",
    "fill/float/nan": "data_type/float*/numbers",
    "fill/float/hex-length": "data_type/float*/fill-nan-*",
    "data-type/complex": "data_type/complex*/odd-values",
    "fill/complex/parts": "data_type/complex*/fill",
    "fill/raw/count": "data_type/r[0-9]*/values",
    "fill/string": "data_type/string/*",
    "fill/bytes/base64": "data_type/bytes/*",
    "data-type/bfloat16": "data_type/bfloat16/*",
    "data-type/small-integers": "data_type/int[24]/*",
    "data-type/small-floats": "data_type/float[84]_*/*",
    "data-type/fixed-length-utf32": "data_type/fixed_length_utf32/*",
    "data-type/numpy-times": "data_type/numpy.*/*",
    "data-type/raw-bytes": "data_type/raw_bytes/*",
}


def clause_of(table, case):
    """Returns the clause of a table that matches the case. There is exactly one."""
    found = [clause for clause, patterns in table.items() if any(fnmatch.fnmatchcase(case, p) for p in patterns.split())]
    assert len(found) == 1, f"{case}: {found or 'no clause names it'}"
    return found[0]


def clause_of_rule(rule):
    return clause_of(REFUSALS, rule)


def clause_of_golden(point, name, label):
    return clause_of(GOLDENS, f"{point}/{name}/{label}")


def check_patterns(table, cases):
    """Fails for patterns that match no case, which are typing mistakes."""
    for pattern in " ".join(table.values()).split():
        assert fnmatch.filter(cases, pattern), f"{pattern} names no case"


# The other generators state the clause of each case themselves.
OURS = ("conformance/generate/zarr_python.py", "conformance/generate/tensorstore_.py")


def generator(path):
    return json.loads(path.read_text())["generator"]


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    wrong, paths = [], sorted(p for p in CASES.glob("*/*/*/case.json") if generator(p) in OURS)
    names = {}
    for path in paths:
        point, name, folder = path.parts[-4:-1]
        names[path] = point, name, folder.removeprefix("zarr-python-").removeprefix("tensorstore-")
    check_patterns(GOLDENS, ["/".join(name) for name in names.values()])
    for path in paths:
        about, clause = json.loads(path.read_text()), clause_of_golden(*names[path])
        if about.get("clause") != clause:
            wrong.append(str(path))
            if not arguments:
                path.write_text(json.dumps(about | {"clause": clause}, ensure_ascii=False) + "\n")
    print(f"{len(paths)} golden arrays, {len(wrong)} with another clause")
    if arguments and wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
