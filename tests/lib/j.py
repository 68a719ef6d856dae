#!/usr/bin/env python3
"""Used by lib/lib.sh (js, want), lib/lib.py, lib/want.py and vm/vm.sh.
j.py EXPR [FILE]: evaluates a python expression over kvis's JSON lines, read strictly.

A line that is not valid JSON (NaN, a key twice, invalid UTF-8, a lone surrogate, no object) or a
stream without its header or summary is an error. Names in EXPR:
  H header   S summary   E events between them   by(TYPE, **fields) events of a type
  calls(NAME) the syscall events of that name   re json
Prints the value; exit status 1 when it is false or None, 2 when the input is bad.
PARTIAL=1 in the environment allows a stream without summary (one that was cut)."""
import gc
import json
import os
import re
import sys


def unique(pairs):
    d = dict(pairs)
    if len(d) != len(pairs):
        raise ValueError(f"a key twice: {[k for k, _ in pairs]}")
    return d


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


gc.disable()  # nothing here is garbage before the end
DECODER = json.JSONDecoder(object_pairs_hook=unique, parse_constant=no_constant)


def load_line(n, line):
    try:
        obj = DECODER.decode(line.decode())
        if b"\\u" in line:
            json.dumps(obj, ensure_ascii=False).encode()  # raises for a lone surrogate
        if not isinstance(obj, dict) or not isinstance(obj.get("type"), str):
            raise ValueError("no object with a type")
    except ValueError as e:
        raise ValueError(f"line {n}: {e}: {line[:300]!r}") from None
    return obj


def load(stream, partial=False):
    """All objects of a binary stream of JSON lines."""
    data = stream.read()
    if not data.endswith(b"\n") and not partial:
        raise ValueError("the last line has no end")
    lines = data.split(b"\n")[:-1]
    try:  # all of them at once, which takes half the time
        objects = DECODER.decode(f"[{b','.join(lines).decode()}]") if b"\\u" not in data else []
    except ValueError:
        objects = []
    if len(objects) != len(lines) or not all(isinstance(o, dict) and isinstance(o.get("type"), str) for o in objects):
        objects = [load_line(n, line) for n, line in enumerate(lines, 1)]
    if not objects or objects[0]["type"] != "header":
        raise ValueError("no header")
    if objects[-1]["type"] != "summary" and not partial:
        raise ValueError("no summary")
    return objects


LAST = {}  # for lib/serve.py: the last file, whose lines are often asked for several times


def load_again(stream, partial):
    """The objects of a stream, which are those of the last call if it is the same file, unchanged."""
    have = os.fstat(stream.fileno())
    key = have.st_dev, have.st_ino, have.st_size, have.st_mtime_ns, partial
    if key not in LAST:
        LAST.clear()
        LAST[key] = load(stream, partial)
    return LAST[key]


def main():
    try:
        stream = open(sys.argv[2], "rb") if len(sys.argv) > 2 else sys.stdin.buffer
        all_ = load_again(stream, bool(os.environ.get("PARTIAL")))
    except (OSError, ValueError) as e:
        sys.exit(print(f"bad JSON lines: {e}", file=sys.stderr) or 2)
    ends = ("header", "summary")
    events = [e for e in all_ if e["type"] not in ends]

    def by(type_, **fields):
        return [e for e in events if e["type"] == type_
                and all(e.get(k) == v for k, v in fields.items())]

    names = {"H": all_[0], "S": all_[-1], "E": events, "by": by, "re": re, "json": json,
             "calls": lambda name: by("syscall", name=name)}
    value = eval(sys.argv[1], names)
    print(value)
    if value is False or value is None or value == []:
        print(f"{len(events)} events; by type:", {t: len(by(t)) for t in {e["type"] for e in events}},
              file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
