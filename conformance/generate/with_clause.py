"""Writes golden arrays with their clauses."""

import gzip
import json
import types

import golden


def stop_clock():
    """Stops the clock of gzip, which stores the time in each file, so that a second run writes the same files."""
    gzip.time = types.SimpleNamespace(time=lambda: 0)


def write(clause, case, generator, with_package=""):
    """Writes a case like the other golden arrays, and adds the clause and the writer's package to `case.json`."""
    for peer_name in case.writers:
        golden.write_case(case, golden.peer.PEERS[peer_name](), peer_name, generator, clause)
        path = golden.CASES / case.point / case.name / f"{peer_name}-{case.label}" / "case.json"
        about = json.loads(path.read_text())
        writer = about["writer"] + with_package
        golden.write_json(path, {"clause": clause} | about | {"clause": clause, "writer": writer})
