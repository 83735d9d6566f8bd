#!/usr/bin/env python3
"""Switches off one check of the reader after another: the cases of its clause must fail, and no others.

    python3 conformance/mutants/run.py                  all mutants of mutants.toml
    python3 conformance/mutants/run.py --only CLAUSE    those of a clause; may be repeated
    python3 conformance/mutants/run.py --sample N       N of them at equal distances
    python3 conformance/mutants/run.py --list           show the covered clauses without building anything

A mutant is a changed copy of the sources. The unchanged reader must refuse every refusal and accept every counterpart,
and likewise for damaged arrays, which are read completely. A mutant must accept at least one case of each of its clauses,
and its outcomes must not change for cases of other clauses. A clause with refusals or damage has a mutant, or mutants.toml
states why it has none.

Copies are stored and built below the target directory. Python 3.11, standard library only; CARGO names another cargo.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CASES = ROOT / "conformance" / "cases"
SCRATCH = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutants"
# The crates of the reader, and an optional dependency that cargo must find.
CRATES = ["zarr-core", "zarr-codecs", "zarr-plugin-api", "ozarr"]
RIGHT = ("refused", "accepted")


class Wrong(Exception):
    """A wrong outcome of a mutant."""


def read_table():
    table = tomllib.loads((HERE / "mutants.toml").read_text())
    for mutant in table["mutant"]:
        first = {key: mutant[key] for key in ("file", "find", "replace")}
        mutant["edits"] = [first, *mutant.get("also", [])]
        unknown = mutant.keys() - {"clauses", "file", "find", "replace", "also", "edits"}
        if unknown or not mutant["clauses"]:
            sys.exit(f"mutants.toml: {unknown or 'no clauses'} in {mutant}")
    return table["mutant"], {entry["clause"]: entry["why"] for entry in table.get("uncovered", [])}


def negatives():
    """Returns the number of cases of each clause that a reader must refuse."""
    paths = [*CASES.glob("refusal/*/rule.json"), *CASES.glob("damage/*/case.json")]
    return collections.Counter(re.search(r'"clause": "([^"]+)"', p.read_text())[1] for p in paths)


def coverage(mutants, uncovered):
    """Returns clauses without mutants, mutants without cases, and edits that do not apply."""
    cases, covered = negatives(), {clause for mutant in mutants for clause in mutant["clauses"]}
    yield from (f"{c}: no mutant, and no reason why" for c in sorted(cases.keys() - covered - uncovered.keys()))
    yield from (f"{c}: a mutant, and a reason why there is none" for c in sorted(covered & uncovered.keys()))
    yield from (f"{c}: no refusals and no damage" for c in sorted((covered | uncovered.keys()) - cases.keys()))
    for mutant in mutants:
        try:
            edited(mutant, ROOT)
        except Wrong as reason:
            yield f"the mutant of {' '.join(mutant['clauses'])}: {reason}"


def edited(mutant, root):
    """Returns the files of a mutant: {path: (text before, text after)}. Raises if an edit does not apply."""
    texts = {}
    for edit in mutant["edits"]:
        path = root / edit["file"]
        try:
            before, text = texts.get(path) or (path.read_text(),) * 2
        except OSError as reason:
            raise Wrong(f"{edit['file']} is not read: {reason.strerror}") from reason
        if text.count(edit["find"]) != 1:
            raise Wrong(f"{edit['file']} has {edit['find']!r} {text.count(edit['find'])} times")
        texts[path] = before, text.replace(edit["find"], edit["replace"])
    return texts


def write(path, text):
    """Writes only the files that change, so that only they are built."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def prepare():
    """Creates a workspace of the copies and the program that reads the cases."""
    for crate in CRATES:
        shutil.rmtree(SCRATCH / crate, ignore_errors=True)
        # With new times, so that cargo does not reuse what a previous run built from a mutant.
        shutil.copytree(ROOT / crate, SCRATCH / crate, copy_function=shutil.copy)
    for path in ("Cargo.toml", "src/main.rs"):
        write(SCRATCH / "reader" / path, (HERE / "reader" / path).read_text())
    manifest = (ROOT / "Cargo.toml").read_text()
    members = ", ".join(f'"{member}"' for member in [*CRATES, "reader"])
    manifest, changed = re.subn(r"^members = .*$", f"members = [{members}]", manifest, flags=re.M)
    manifest = re.sub(r"^exclude = .*\n", "", manifest, flags=re.M)
    manifest = re.sub(r"^\[profile\..*", "", manifest, flags=re.M | re.S)
    if changed != 1:
        sys.exit("Cargo.toml has another form than run.py knows")
    write(SCRATCH / "Cargo.toml", manifest + "[profile.dev]\nopt-level = 0\ndebug = false\n")
    shutil.copy(ROOT / "Cargo.lock", SCRATCH / "Cargo.lock")


def build_and_read():
    """Returns the outcome of each case with the reader of the copies: {case: (clause, (bad, counterpart))}."""
    target = SCRATCH / "target"
    cargo = [os.environ.get("CARGO", "cargo"), "build", "--quiet", "-p", "mutant-reader"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(target), "RUSTFLAGS": "-Awarnings"}
    built = subprocess.run(cargo, cwd=SCRATCH, env=environment, capture_output=True, text=True)
    if built.returncode != 0:
        errors = re.findall(r"^error.*(?:\n.*){0,3}", built.stderr, flags=re.M)
        raise Wrong("it is not built:\n" + "\n".join(errors[:3] or [built.stderr[-500:]]))
    read = subprocess.run([target / "debug" / "mutant-reader", CASES], capture_output=True, text=True)
    if read.returncode != 0:
        raise Wrong(f"the reader ended with {read.returncode}: {read.stderr[-500:]}")
    rows = (line.split() for line in read.stdout.splitlines())
    return {case: (clause, (bad, counterpart)) for case, clause, bad, counterpart in rows}


def check(mutant):
    """Returns the cases that the mutant accepts."""
    texts = edited(mutant, SCRATCH)
    try:
        for path, (_, after) in texts.items():
            path.write_text(after)
        results = build_and_read()
    finally:
        for path, (before, _) in texts.items():
            path.write_text(before)
    others = [rule for rule, (clause, read) in results.items() if read != RIGHT and clause not in mutant["clauses"]]
    if others:
        raise Wrong("read otherwise, and of other clauses: " + ", ".join(f"{r} {results[r]}" for r in others))
    accepted = {rule for rule, (_, (refuse, _)) in results.items() if refuse == "accepted"}
    unmoved = set(mutant["clauses"]) - {results[rule][0] for rule in accepted}
    if unmoved:
        raise Wrong(f"no case notices of {', '.join(sorted(unmoved))}")
    return accepted


def choose(mutants, arguments):
    if arguments.only:
        mutants = [m for m in mutants if set(arguments.only) & set(m["clauses"])]
    if arguments.sample and len(mutants) > arguments.sample:
        mutants = [mutants[i * len(mutants) // arguments.sample] for i in range(arguments.sample)]
    return mutants or sys.exit("no such mutant")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="CLAUSE", action="append")
    parser.add_argument("--sample", metavar="N", type=int)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    mutants, uncovered = read_table()
    problems = list(coverage(mutants, uncovered))
    covered = {clause for mutant in mutants for clause in mutant["clauses"]}
    print(f"{len(mutants)} mutants of {len(covered)} clauses; {len(uncovered)} clauses with a reason why not")
    if problems:
        sys.exit("\n".join(problems))
    if arguments.list:
        return
    prepare()
    results = build_and_read()
    wrong = [f"{rule}: {read}" for rule, (_, read) in results.items() if read != RIGHT]
    if wrong:
        sys.exit("the reader as it is is wrong:\n" + "\n".join(wrong))
    failures, noticed = 0, set()
    for mutant in choose(mutants, arguments):
        begin, name = time.monotonic(), " ".join(mutant["clauses"])
        try:
            accepted = check(mutant)
            noticed |= accepted
            print(f"ok   {name}: {len(accepted)} cases, {time.monotonic() - begin:.1f} s", flush=True)
        except Wrong as reason:
            failures += 1
            print(f"FAIL {name}: {reason}", flush=True)
    rest = sorted(results.keys() - noticed)
    print(f"{failures} failures; {len(noticed)} of {len(results)} refusals and damaged arrays are accepted by some mutant")
    if not (arguments.only or arguments.sample):
        print("guarded by more than was switched off: " + ", ".join(rest))
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
