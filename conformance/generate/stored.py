"""Writes generated cases, or compares them with the stored ones."""

import sys


def keep(cases, wanted, arguments, usage, made):
    """Writes missing files; `--check` compares the files, and `--replace` rewrites those that differ.

    `wanted`: the bytes of every file by its path below the directory `cases`; `made`: a description for people.
    """
    if arguments not in ([], ["--check"], ["--replace"]):
        sys.exit(usage)
    stored = {p.relative_to(cases).as_posix(): p.read_bytes() for p in cases.rglob("*") if p.is_file()}
    missing = sorted(wanted.keys() - stored.keys())
    changed = sorted(path for path in wanted.keys() & stored.keys() if wanted[path] != stored[path])
    unknown = sorted(stored.keys() - wanted.keys())
    if arguments == ["--check"]:
        for word, paths in (("missing", missing), ("changed", changed), ("unknown", unknown)):
            for path in paths:
                print(f"{word}: {path}", file=sys.stderr)
        if missing or changed or unknown:
            sys.exit("the stored cases differ from those that the rules generate")
    elif changed and not arguments:
        sys.exit(f"these stored cases would change (--replace rewrites them): {', '.join(changed)}")
    else:
        for path in missing + changed:
            (cases / path).parent.mkdir(parents=True, exist_ok=True)
            (cases / path).write_bytes(wanted[path])
        if unknown:
            print(f"without a rule, left alone: {', '.join(unknown)}", file=sys.stderr)
    print(f"{made}, {len(missing)} files missing, {len(changed)} changed, {len(unknown)} unknown")
