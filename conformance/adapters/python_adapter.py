"""Shared by the adapters of Python implementations: commands, sessions, and elements.

An implementation is a class of `peers/peer.py` with `read(path)`, `open(path)` and `make(metadata, path)`, which returns
an object whose `[...]` can be assigned. It receives documents unchanged. A document is inspected only after a failure, to
distinguish unknown features from refusals.
"""

import importlib.metadata
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "peers"), str(HERE.parent / "generate")]
import elements
import peer

DONE, REFUSED, UNSUPPORTED = 0, 1, 2


def read(implementation, array, out):
    lines = [json.dumps(element) + "\n" for element in elements.to_json(implementation.read(array))]
    Path(out).write_text("".join(lines))


def write(implementation, metadata, values, out):
    document = json.loads(Path(metadata).read_bytes())
    lines = Path(values).read_text(encoding="utf-8").split("\n")[:-1]
    array, dtype = implementation.make(document, out)
    array[...] = elements.from_json([json.loads(line) for line in lines], dtype).reshape(document["shape"])


def opened(implementation, array):
    implementation.open(array)


COMMANDS = {"read": read, "write": write, "open": opened}


def run(implementation, command, *arguments):
    """Returns the exit status and a message."""
    try:
        COMMANDS[command](implementation, *arguments)
    except peer.Unsupported as unknown:
        return UNSUPPORTED, str(unknown)
    except Exception as error:
        # TensorStore appends the whole request.
        said = f"{type(error).__name__}: {error}".split(" [tensorstore_spec=")[0]
        document = Path(arguments[0]) / "zarr.json" if command != "write" else Path(arguments[0])
        why = unknown_in(implementation, document)
        return (UNSUPPORTED, f"{why} is not known ({said})") if why else (REFUSED, said)
    return DONE, ""


def unknown_in(implementation, document):
    """Returns a data type or codec of a document that the implementation does not support, if there is one."""
    try:
        metadata = json.loads(document.read_bytes())
        peer.refuse_unknown(implementation, metadata["data_type"], metadata["codecs"])
    except peer.Unsupported as unknown:
        return str(unknown)
    except Exception:
        return None
    return None


def session(implementation, replies):
    for line in sys.stdin:
        status, text = run(implementation, *json.loads(line))
        print(json.dumps({"status": status, "text": text}), file=replies, flush=True)


def main(make, package):
    command, *arguments = sys.argv[1:]
    if command == "version":
        print(importlib.metadata.version(package))
        return
    # Replies go to the original standard output, and anything that a library prints goes to standard error.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    implementation = make()
    if command == "session":
        session(implementation, replies)
        return
    status, text = run(implementation, command, *arguments)
    print(text, file=sys.stderr)
    sys.exit(status)
