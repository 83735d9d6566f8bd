"""An implementation that is wrong in a known way: fake.py MODE ZARR (read|write|open|session) ..., by our own `zarr`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

mode, zarr, command, *rest = sys.argv[1:]


class Refused(Exception):
    pass


def ask(*arguments):
    done = subprocess.run([zarr, *arguments], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise Refused(done.stderr)
    return done.stdout


def read(array, out):
    try:
        lines = ask("elements", "--array_path", array).splitlines()
    except Refused:
        if mode != "reads-damage":
            raise
        lines = []
    if mode == "reversed":
        lines.reverse()
    if mode == "quiets-nan":
        lines = ['"NaN"' if line.startswith('"0x7f') else line for line in lines]
    if mode == "one-short":
        lines = lines[:-1]
    if mode == "no-json":
        lines = [line.replace("", " ") + "," for line in lines]
    Path(out).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def write(metadata, elements, out):
    if mode == "writes-nothing":
        return
    ask("create", out, "--metadata", metadata, "--elements", elements)
    if mode == "other-fill":
        document = json.loads((Path(out) / "zarr.json").read_text())
        document["fill_value"] = 1
        (Path(out) / "zarr.json").write_text(json.dumps(document))


def opened(array):
    if mode == "accepts-all":
        return
    if mode == "refuses-all":
        raise Refused("no")
    ask("info", array)


COMMANDS = {"read": read, "write": write, "open": opened}


def run(command, *arguments):
    if mode == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "hangs":
        time.sleep(600)
    if mode == "unsupported":
        return 2, "never heard of it"
    try:
        COMMANDS[command](*arguments)
    except Refused as refused:
        if mode == "crashes-for-refusing":
            os.kill(os.getpid(), signal.SIGSEGV)
        return 1, str(refused)
    return 0, ""


if command == "version":
    print("fake 1.2.3")
elif command == "session":
    for line in sys.stdin:
        status, text = run(*json.loads(line))
        print("nonsense" if mode == "babbles" else json.dumps({"status": status, "text": text}), flush=True)
else:
    status, text = run(command, *rest)
    print(text, file=sys.stderr)
    sys.exit(status)
