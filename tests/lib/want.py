#!/usr/bin/env python3
"""Used by lib/truth.sh, lib/proc.sh and vm/vm.sh.
want.py TRACE.json FACTS: checks that kvis's JSON agrees with what the traced program reports about itself.

A line `want EXPR` of FACTS is a Python expression that must be true for the trace; a last line `done`
proves that the program reached its end; other lines are notes. Names in EXPR: E events, H header,
S summary, by(type, field=value...) the matching events, one(...) the only one, tot(type, field, ...) the
sum of a field, calls(name, ...) the -v calls, num(x) a number or "0x..." text as int, row(list, ...)
the only matching row of a list in the summary."""
import os
import sys

import j


def match(e, kw):
    return all(v(e.get(k)) if callable(v) else e.get(k) == v for k, v in kw.items())


def num(x):
    return int(x, 16) if isinstance(x, str) else x


def only(rows, what):
    if len(rows) != 1:
        raise AssertionError(f"{len(rows)} of {what}: {rows[:4]}")
    return rows[0]


def load(path):
    with open(path, "rb") as stream:
        try:
            rows = j.load(stream)
        except ValueError as e:
            raise SystemExit(f"{path}: bad JSON lines: {e}") from None
    return rows[0], rows[1:-1], rows[-1]


def names(path):
    head, events, summary = load(path)
    by_type, by_name = {}, {}
    for e in events:
        by_type.setdefault(e["type"], []).append(e)
        if isinstance(e.get("name"), str):
            by_name.setdefault((e["type"], e["name"]), []).append(e)

    def by(t, **kw):
        name = kw.get("name")
        few = by_name.get((t, name), []) if isinstance(name, str) else by_type.get(t, [])
        return [e for e in few if match(e, kw)]

    def calls(n, **kw):
        return by("syscall", name=n, **kw)

    def one(t, **kw):
        return only(by(t, **kw), (t, kw))

    def tot(t, field, **kw):
        return sum(e.get(field) or 0 for e in by(t, **kw))

    def row(lst, **kw):
        return only([r for r in summary[lst] if match(r, kw)], (lst, kw))

    return dict(H=head, E=events, S=summary, by=by, calls=calls, one=one, tot=tot, row=row, num=num, os=os)


def main():
    env = names(sys.argv[1])
    lines = open(sys.argv[2], errors="surrogateescape").read().splitlines()
    bad = 0
    wants = [x[5:] for x in lines if x.startswith("want ")]
    if not wants or lines[-1] != "done":
        sys.exit(f"the program did not finish: {lines[-3:]}")
    for w in wants:
        try:
            ok, why = eval(w, env), ""
        except Exception as e:  # the wrong shape is a failed want, not an error of the test
            ok, why = False, f" ({type(e).__name__}: {e})"
        if not ok:
            bad += 1
            print(f"not so: {w}{why}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
