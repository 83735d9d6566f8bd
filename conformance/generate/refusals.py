#!/usr/bin/env python3
"""Writes conformance/cases/refusal: an invalid document and its valid counterpart for each rule.

    python3 conformance/generate/refusals.py            write missing cases
    python3 conformance/generate/refusals.py --check    write nothing; fail if a case is missing, changed or unknown
    python3 conformance/generate/refusals.py --replace  also rewrite cases that differ from the stored ones

A case is a directory with the name of its rule:

    refuse.json   the exact bytes of a `zarr.json` that every reader must refuse
    accept.json   its valid counterpart: as similar as possible, and accepted by every reader
    rule.json     {"rule": .., "clause": .., "about": .., "node": "array" or "group"}

Stored cases are data that others rely on: cases are added, not edited. To edit them nevertheless, pass `--replace`. A case
that the specification does not demand is withdrawn: its rule and its directory are removed.
Python 3.11, standard library only; the same rules always give the same bytes.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from clauses import REFUSALS, check_patterns  # noqa: E402
from refusal_rules import codecs, extensions, fill_values, grids_and_keys, json_text, nodes, sharding  # noqa: E402
from refusal_rules.document import RULES  # noqa: E402
from stored import keep  # noqa: E402

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "refusal"
for module in (json_text, nodes, extensions, grids_and_keys, codecs, sharding, fill_values):
    module.add_rules()


def strict_json(text):
    """Parses a document with Python's reader, without its extensions to JSON. Cases do not contain texts that RFC 8259
    leaves to each parser: a reader may accept or refuse them."""

    def members(pairs):
        assert len(dict(pairs)) == len(pairs), "a repeated name"
        return dict(pairs)

    def constant(name):
        raise ValueError(f"{name} is not JSON")

    assert not text.startswith(b"\xef\xbb\xbf"), "a byte order mark"
    document = json.loads(text.decode("utf-8"), object_pairs_hook=members, parse_constant=constant)
    assert not re.search("[\ud800-\udfff]", json.dumps(document, ensure_ascii=False)), "a lone surrogate"
    return document


def check_rule(rule):
    """Returns mistakes in the rules themselves."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id), f"{rule.id}: not kebab case"
    assert rule.refuse != rule.accept, f"{rule.id}: both documents are the same"
    counterpart = strict_json(rule.accept)
    assert counterpart["node_type"] == rule.node, f"{rule.id}: the counterpart is not of the node's type"
    readable = True
    try:
        strict_json(rule.refuse)
    except ValueError:
        readable = False
    assert readable != rule.is_text, f"{rule.id}: refuse.json is {'' if readable else 'not '}JSON, against its kind"


def files():
    """Returns every file of the cases by its path below CASES."""
    wanted = {}
    check_patterns(REFUSALS, [rule.id for rule in RULES])
    for rule in RULES:
        check_rule(rule)
        about = {"rule": rule.id, "clause": rule.clause, "about": rule.about, "node": rule.node}
        wanted[f"{rule.id}/refuse.json"] = rule.refuse
        wanted[f"{rule.id}/accept.json"] = rule.accept
        wanted[f"{rule.id}/rule.json"] = (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()
    assert len(wanted) == 3 * len(RULES), "two rules have the same id"
    return wanted


if __name__ == "__main__":
    keep(CASES, files(), sys.argv[1:], __doc__, f"{len(RULES)} rules")
