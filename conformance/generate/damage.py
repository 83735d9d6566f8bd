#!/usr/bin/env python3
"""Writes conformance/cases/damage: golden arrays in which one stored chunk is damaged.

    python3 conformance/generate/damage.py            write missing cases
    python3 conformance/generate/damage.py --check    write nothing; fail if a case is missing, changed or unknown
    python3 conformance/generate/damage.py --replace  also rewrite cases that differ from the stored ones

A case is a directory:

    array.zarr   the array, which every reader opens but fails to read as a whole
    case.json    {"clause": .., "counterpart": the golden array before the damage, "generator": .., "about": ..}

Stored cases are data that others rely on: cases are added, not edited. To edit them nevertheless, pass `--replace`.
Python 3.11, standard library only; the same rules always give the same bytes.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from damage_rules import checksums_and_sizes, compressors, shards, variable_lengths  # noqa: E402
from stored import keep  # noqa: E402

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "cases"
CASES = GOLDENS / "damage"


def files_below(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def damaged(damage):
    """Returns the files of one case by their paths below its directory."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", damage.name), f"{damage.name}: not kebab case"
    array = files_below(GOLDENS / damage.counterpart / "array.zarr")
    key = damage.key or min(key for key in array if key != "zarr.json")
    changed = damage.change(array[key])
    assert changed != array[key], f"{damage.name}: nothing is damaged"
    array[key] = changed
    about = {
        "clause": damage.clause,
        "counterpart": damage.counterpart,
        "generator": "conformance/generate/damage.py",
        "about": damage.about,
    }
    case = {f"array.zarr/{key}": value for key, value in array.items()}
    case["case.json"] = (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()
    return case


def files():
    """Returns every file of the cases by its path below CASES, and the number of cases."""
    wanted, names = {}, set()
    for module in (checksums_and_sizes, compressors, shards, variable_lengths):
        for damage in module.damages():
            assert damage.name not in names, f"{damage.name}: there are two"
            names.add(damage.name)
            wanted |= {f"{damage.name}/{path}": value for path, value in damaged(damage).items()}
    return wanted, len(names)


if __name__ == "__main__":
    wanted, count = files()
    keep(CASES, wanted, sys.argv[1:], __doc__, f"{count} cases")
