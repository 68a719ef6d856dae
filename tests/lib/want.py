#!/usr/bin/env python3
"""Used by lib/truth.sh, lib/proc.sh and vm/vm.sh.
want.py TRACE.json FACTS: does kvis's JSON say what the traced program knows of itself?

A line `want EXPR` of FACTS is a python expression that must be true of the trace; a last line `done`
proves that the program came to its end; other lines are notes. Names in EXPR: E events, H header,
S summary, by(type, field=value...) the matching events, one(...) the only one, tot(type, field, ...) the
sum of a field, calls(name, ...) the -v calls, num(x) a number or "0x..." text as int, row(list, ...)
the only matching row of a list in the summary."""
import json
import os
import sys


def match(e, kw):
    return all(v(e.get(k)) if callable(v) else e.get(k) == v for k, v in kw.items())


def num(x):
    return int(x, 16) if isinstance(x, str) else x


def only(rows, what):
    if len(rows) != 1:
        raise AssertionError(f"{len(rows)} of {what}: {rows[:4]}")
    return rows[0]


def load(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8", errors="strict")]
    if not rows or rows[0]["type"] != "header" or rows[-1]["type"] != "summary":
        raise SystemExit(f"{path}: no header first or no summary last: {rows[:1]} .. {rows[-1:]}")
    return rows[0], rows[1:-1], rows[-1]


def names(path):
    head, events, summary = load(path)

    def by(t, **kw):
        return [e for e in events if e["type"] == t and match(e, kw)]

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


main()
