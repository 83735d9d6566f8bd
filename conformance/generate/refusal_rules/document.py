"""Helpers for rules: documents as Python values, printed exactly, and the list of rules."""

import dataclasses
import json

from clauses import clause_of_rule

RULES = []


class Raw(str):
    """Text that is copied to the document unchanged: `Raw("1e3")`, `Raw("NaN")`."""


DROP = object()  # as the value of a member: omit the member


def text(value, indent=0):
    """Returns the JSON of a value; arrays of plain values are on one line."""
    if isinstance(value, Raw):
        return str(value)
    inner = "\n" + " " * (indent + 2)
    end = "\n" + " " * indent
    if isinstance(value, dict):
        members = [f"{text(name)}: {text(item, indent + 2)}" for name, item in value.items() if item is not DROP]
        return "{" + inner + ("," + inner).join(members) + end + "}" if members else "{}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[" + inner + ("," + inner).join(text(item, indent + 2) for item in value) + end + "]"
    if isinstance(value, list):
        return "[" + ", ".join(text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def document(value):
    """Returns the bytes of a document; bytes are returned unchanged."""
    return value if isinstance(value, bytes) else (text(value) + "\n").encode()


def named(name, **configuration):
    """Returns an extension as an object, with a configuration if one is given. DROP omits a member."""
    configuration = {key: item for key, item in configuration.items() if item is not DROP}
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def regular(*chunk_shape):
    """Returns a regular grid."""
    return {"name": "regular", "configuration": {"chunk_shape": list(chunk_shape)}}


LITTLE = named("bytes", endian="little")
CRC32C = named("crc32c")


def array(**members):
    """Returns a valid array of 4 by 6 numbers, with these members changed, added, or removed by DROP."""
    good = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "int32",
        "chunk_grid": regular(2, 3),
        "chunk_key_encoding": named("default", separator="/"),
        "fill_value": 0,
        "codecs": [LITTLE],
    }
    return {name: item for name, item in (good | members).items() if item is not DROP}


def group(**members):
    """Returns a valid group, with these members changed, added, or removed by DROP."""
    good = {"zarr_format": 3, "node_type": "group"}
    return {name: item for name, item in (good | members).items() if item is not DROP}


def spliced(value, old, new):
    """Returns the bytes of a document in which `old`, which must occur once, is replaced."""
    before = document(value)
    old, new = (part.encode() if isinstance(part, str) else part for part in (old, new))
    assert before.count(old) == 1, (old, before)
    return before.replace(old, new)


@dataclasses.dataclass(frozen=True)
class Rule:
    """A reason to refuse a document. `is_text`: the text itself is invalid, so that no strict JSON parser accepts it."""

    id: str
    clause: str
    about: str
    refuse: bytes
    accept: bytes
    node: str
    is_text: bool


def rule(id, about, refuse, accept, node="array", is_text=False):
    """Adds a rule. The documents are values or bytes."""
    RULES.append(Rule(id, clause_of_rule(id), about, document(refuse), document(accept), node, is_text))
