"""Writes the cases of a table into conformance/cases with one peer.

Each case is a directory with `array.zarr` (the array as the peer wrote it), `elements.json` (the elements that a reader
must return) and `case.json` (its origin).
"""

import importlib.metadata
import json
import shutil
import sys
import tempfile
from pathlib import Path

from clauses import clause_of_golden
from elements import to_json

sys.path.insert(0, str(Path(__file__).parent.parent / "peers"))
import peer

CASES = Path(__file__).parent.parent / "cases"
PACKAGES = {"zarr-python": "zarr", "tensorstore": "tensorstore"}


def write_cases(cases, peer_name, generator):
    writer = peer.PEERS[peer_name]()
    mine = [case for case in cases if peer_name in case.writers]
    for case in mine:
        write_case(case, writer, peer_name, generator)
    print(f"{len(mine)} cases written by {peer_name}")


def write_case(case, writer, peer_name, generator, clause=None):
    folder = CASES / case.point / case.name / f"{peer_name}-{case.label}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    array = folder / "array.zarr"
    write_array(case, writer, array)
    expected = to_json(case.elements)
    if to_json(writer.read(array)) != expected:
        raise ValueError(f"{folder}: {peer_name} does not read back what it was given")
    written_by = f"{peer_name} {version(peer_name)}"
    if case.edit is not None:
        written_by += f", {case.edit(array)}"
    write_json(folder / "elements.json", expected)
    about = {"writer": written_by, "generator": f"conformance/generate/{generator}", "about": case.about}
    about["clause"] = clause or clause_of_golden(case.point, case.name, case.label)
    write_json(folder / "case.json", about)


def version(peer_name):
    return importlib.metadata.version(PACKAGES[peer_name])


def write_array(case, writer, array):
    with tempfile.NamedTemporaryFile() as data:
        data.write(peer.dump(case.elements, case.data_type))
        data.flush()
        request = {
            "op": "write",
            "path": str(array),
            "shape": list(case.elements.shape),
            "chunk_shape": list(case.chunk_shape),
            "shard_shape": None,
            "data_type": case.data_type,
            "fill_value": case.fill_value,
            "codecs": case.codecs,
            "key_encoding": case.key_encoding,
            "store_fill": case.store_fill,
            "attributes": case.attributes,
            "data": data.name,
        }
        peer.write(writer, request)


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n")
