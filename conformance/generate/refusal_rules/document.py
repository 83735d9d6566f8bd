"""How a rule is written down: documents as Python values, printed exactly, and the list of rules."""

import dataclasses
import json

from clauses import clause_of_rule

RULES = []


class Raw(str):
    """Goes into the document as it is: `Raw("1e3")`, `Raw("NaN")`."""


DROP = object()  # as the value of a member: leave it out


def text(value, indent=0):
    """The JSON of a value; arrays of plain values stay on one line."""
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
    """The bytes of a document; bytes stay as they are."""
    return value if isinstance(value, bytes) else (text(value) + "\n").encode()


def named(name, **configuration):
    """An extension as an object, with a configuration unless none is given. DROP leaves a member out."""
    configuration = {key: item for key, item in configuration.items() if item is not DROP}
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def regular(*chunk_shape):
    """A regular grid."""
    return {"name": "regular", "configuration": {"chunk_shape": list(chunk_shape)}}


LITTLE = named("bytes", endian="little")
CRC32C = named("crc32c")


def array(**members):
    """A good array of 4 by 6 numbers, with these members changed, added, or taken out by DROP."""
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
    """A good group, with these members changed, added, or taken out by DROP."""
    good = {"zarr_format": 3, "node_type": "group"}
    return {name: item for name, item in (good | members).items() if item is not DROP}


def spliced(value, old, new):
    """The bytes of a document in which `old`, which must stand there once, is replaced."""
    before = document(value)
    old, new = (part.encode() if isinstance(part, str) else part for part in (old, new))
    assert before.count(old) == 1, (old, before)
    return before.replace(old, new)


@dataclasses.dataclass(frozen=True)
class Rule:
    """One reason to refuse. `is_text`: the text itself is at fault, so that no strict reader of JSON takes it."""

    id: str
    clause: str
    about: str
    refuse: bytes
    accept: bytes
    node: str
    is_text: bool


def rule(id, about, refuse, accept, node="array", is_text=False):
    """Adds a rule; the documents are values or bytes."""
    RULES.append(Rule(id, clause_of_rule(id), about, document(refuse), document(accept), node, is_text))
