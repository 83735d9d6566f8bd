"""Reads every golden array with every peer and compares its elements with elements.json, and reads every damaged array.

    python check.py

Prints the outcomes, and fails unless the failures are exactly those in KNOWN_FAILURES, and the damaged arrays that were
read are exactly those in KNOWN_ACCEPTANCES.
"""

import collections
import json
import sys

from elements import to_json
from golden import CASES, peer

# Valid arrays that a peer refuses or reads wrong.
KNOWN_FAILURES = {
    ("tensorstore", "chunk_grid/regular/zarr-python-attribute-dimension-units"),
    ("tensorstore", "codec/gzip/zarr-python-two-members"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-nested-inner-shards-gzip"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-and-inner-gzip"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-blosc"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-crc32c"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-gzip"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-gzip-crc32c"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-gzip-index-start"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-zstd"),
    ("tensorstore", "codec/zstd/zarr-python-skippable-frame"),
    ("tensorstore", "codec/zstd/zarr-python-two-frames"),
    ("zarr-python", "data_type/float16/tensorstore-fill-nan-payload"),
    ("zarr-python", "data_type/float16/tensorstore-fill-nan-signalling"),
    ("zarr-python", "data_type/float32/tensorstore-fill-nan-signalling"),
}
# Damaged arrays that a peer reads.
KNOWN_ACCEPTANCES = {
    ("tensorstore", "size-crc32c-too-long"),
    ("zarr-python", "blosc-cbytes-larger"),
    ("zarr-python", "blosc-last-byte-missing"),
    ("zarr-python", "blosc-stored-truncated"),
    ("zarr-python", "sharding-truncated-empty"),
    ("zarr-python", "sharding-truncated-empty-index-start"),
    ("zarr-python", "sharding-truncated-empty-no-checksum"),
    ("zarr-python", "vlen-bytes-bytes-left-over"),
    ("zarr-python", "vlen-bytes-element-left-over"),
    ("zarr-python", "vlen-utf8-bytes-left-over"),
    ("zarr-python", "vlen-utf8-element-left-over"),
}


def read(reader, case):
    """Returns the elements, or the reason why there are none."""
    array = case / "array.zarr"
    metadata = json.loads((array / "zarr.json").read_bytes())
    try:
        peer.refuse_unknown(reader, metadata["data_type"], metadata["codecs"])
        return reader.read(array), None
    except peer.Unsupported as reason:
        return None, f"unsupported: {reason}"
    except Exception as error:
        return None, f"refused: {str(error)[:60]}"


def check(reader, case):
    """Returns the outcome of reading an array: "right", "wrong", or the reason why it failed."""
    elements, reason = read(reader, case)
    if reason is not None:
        return reason
    return "right" if to_json(elements) == json.loads((case / "elements.json").read_text()) else "wrong"


def main():
    cases = sorted(path.parent for path in CASES.glob("*/*/*/case.json"))
    outcomes = collections.Counter()
    failures, acceptances = {}, set()
    damages = sorted((CASES / "damage").iterdir())
    for name, make in peer.PEERS.items():
        reader = make()
        for case in cases:
            outcome = check(reader, case)
            outcomes[name, outcome] += 1
            if outcome != "right" and not outcome.startswith("unsupported"):
                failures[name, case.relative_to(CASES).as_posix()] = outcome
        acceptances |= {(name, case.name) for case in damages if read(reader, case)[1] is None}
    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{count:5} {name} {outcome}")
    unexpected = [f"{key}: {failures.get(key, 'right')}" for key in failures.keys() ^ KNOWN_FAILURES]
    unexpected += [f"damage {key}" for key in acceptances ^ KNOWN_ACCEPTANCES]
    if not cases or not damages or unexpected:
        sys.exit("\n".join(sorted(unexpected)) or "no cases")


if __name__ == "__main__":
    main()
