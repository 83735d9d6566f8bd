"""Reads every golden array with every peer and compares what it reads with elements.json.

    python check.py

Prints what became of the readings, and fails unless those that went wrong are exactly the ones in KNOWN_FAILURES.
"""

import collections
import json
import sys

from elements import to_json
from golden import CASES, peer

# Legal arrays that a peer refuses or reads wrong.
KNOWN_FAILURES = {
    ("tensorstore", "codec/gzip/zarr-python-two-members"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-crc32c"),
    ("tensorstore", "codec/sharding_indexed/zarr-python-outer-gzip"),
    ("tensorstore", "codec/zstd/zarr-python-skippable-frame"),
    ("tensorstore", "codec/zstd/zarr-python-two-frames"),
    ("zarr-python", "data_type/float16/tensorstore-fill-nan-payload"),
}


def check(reader, case):
    """What became of one reading: "right", "wrong", or why there was none."""
    array = case / "array.zarr"
    metadata = json.loads((array / "zarr.json").read_bytes())
    try:
        peer.refuse_unknown(reader, metadata["data_type"], metadata["codecs"])
        elements = reader.read(array)
    except peer.Unsupported as reason:
        return f"unsupported: {reason}"
    except Exception as error:
        return f"refused: {str(error)[:60]}"
    return "right" if to_json(elements) == json.loads((case / "elements.json").read_text()) else "wrong"


def main():
    cases = sorted(path.parent for path in CASES.glob("*/*/*/case.json"))
    outcomes = collections.Counter()
    failures = {}
    for name, make in peer.PEERS.items():
        reader = make()
        for case in cases:
            outcome = check(reader, case)
            outcomes[name, outcome] += 1
            if outcome != "right" and not outcome.startswith("unsupported"):
                failures[name, case.relative_to(CASES).as_posix()] = outcome
    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{count:5} {name} {outcome}")
    unexpected = [f"{key}: {failures.get(key, 'right')}" for key in failures.keys() ^ KNOWN_FAILURES]
    if not cases or unexpected:
        sys.exit("\n".join(sorted(unexpected)) or "no cases")


if __name__ == "__main__":
    main()
