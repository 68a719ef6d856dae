#!/usr/bin/env python3
"""Used by lib/lib.sh (js, want), lib/lib.py, lib/want.py and vm/vm.sh.
j.py EXPR [FILE]: evaluates a Python expression over kvis's JSON lines, read strictly.

A line that is not valid JSON (NaN, a key twice, invalid UTF-8, a lone surrogate, no object) or a
stream without its header or summary is an error. Names in EXPR:
  H header   S summary   E events between them   by(TYPE, field=value...) the matching events   one(...) the only one
  calls(NAME, ...) the syscall events of that name   tot(TYPE, FIELD, ...) the sum of a field
  shows(ROW, field=value...) whether this row has these values
  row(LIST, ...) the only matching row of a list in the summary   num(x) a number or "0x..." text as int   os re json
A value may be a function that says whether it matches. Prints the value of EXPR; exit status 1 when it is false or None, 2
when the input is bad. PARTIAL=1 in the environment allows a stream without summary (one that was cut)."""
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


def only(rows, what):
    if len(rows) != 1:
        raise AssertionError(f"{len(rows)} of {what}: {rows[:4]}")
    return rows[0]


def matches(row, fields):
    return all(v(row.get(k)) if callable(v) else row.get(k) == v for k, v in fields.items())


def names(rows):
    """The names that an expression about these objects can use."""
    summary, events = rows[-1], [e for e in rows if e["type"] not in ("header", "summary")]
    by_type, by_name = {}, {}
    for e in events:
        by_type.setdefault(e["type"], []).append(e)
        if isinstance(e.get("name"), str):
            by_name.setdefault((e["type"], e["name"]), []).append(e)

    def by(type_, **fields):
        name = fields.get("name")
        some = by_name.get((type_, name), []) if isinstance(name, str) else by_type.get(type_, [])
        return [e for e in some if matches(e, fields)]

    def calls(name, **fields):
        return by("syscall", name=name, **fields)

    def one(type_, **fields):
        return only(by(type_, **fields), (type_, fields))

    def shows(row_, **fields):
        if not matches(row_, fields):
            raise AssertionError({k: row_.get(k) for k in fields})
        return True

    def tot(type_, field, **fields):
        return sum(e.get(field) or 0 for e in by(type_, **fields))

    def row(list_, **fields):
        return only([r for r in summary[list_] if matches(r, fields)], (list_, fields))

    def num(x):
        return int(x, 16) if isinstance(x, str) else x

    return {"H": rows[0], "S": summary, "E": events, "by": by, "calls": calls, "one": one, "shows": shows, "tot": tot, "row": row, "num": num,
            "os": os, "re": re, "json": json}


LAST = {}  # for lib/serve.py: the names of the last file, which is often asked several times


def names_of(stream, partial=False):
    """The names for a stream, which are those of the last call if it is the same file, unchanged."""
    have = os.fstat(stream.fileno())
    key = have.st_dev, have.st_ino, have.st_size, have.st_mtime_ns, partial
    if key not in LAST:
        LAST.clear()
        LAST[key] = names(load(stream, partial))
    return dict(LAST[key])


def main():
    try:
        stream = open(sys.argv[2], "rb") if len(sys.argv) > 2 else sys.stdin.buffer
        known = names_of(stream, bool(os.environ.get("PARTIAL")))
    except (OSError, ValueError) as e:
        sys.exit(print(f"bad JSON lines: {e}", file=sys.stderr) or 2)
    value = eval(sys.argv[1], known)
    print(value)
    if value is False or value is None or value == []:
        types = {e["type"] for e in known["E"]}
        print(f"{len(known['E'])} events; by type:", {t: len(known["by"](t)) for t in types}, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
