"""Writes golden arrays together with the clause that each is about."""

import gzip
import json
import types

import golden


def stop_clock():
    """gzip puts the time into each file; with its clock stopped a second run gives the same files."""
    gzip.time = types.SimpleNamespace(time=lambda: 0)


def write(clause, case, generator, with_package=""):
    """As all golden arrays are written; `case.json` gets the clause, and the package that the writer used."""
    for peer_name in case.writers:
        golden.write_case(case, golden.peer.PEERS[peer_name](), peer_name, generator, clause)
        path = golden.CASES / case.point / case.name / f"{peer_name}-{case.label}" / "case.json"
        about = json.loads(path.read_text())
        writer = about["writer"] + with_package
        golden.write_json(path, {"clause": clause} | about | {"clause": clause, "writer": writer})
