#!/usr/bin/env python3
"""Used by lib/truth.sh and vm/vm.sh.
want.py TRACE.json FACTS: checks that kvis's JSON agrees with what the traced program reports about itself.

A line `want EXPR` of FACTS is a Python expression that must be true for the trace (j.py has the names that it can use); a last
line `done` proves that the program reached its end; other lines are notes."""
import sys

import j


def main():
    with open(sys.argv[1], "rb") as stream:
        try:
            known = j.names_of(stream)
        except ValueError as e:
            raise SystemExit(f"{sys.argv[1]}: bad JSON lines: {e}") from None
    lines = open(sys.argv[2], errors="surrogateescape").read().splitlines()
    bad = 0
    wants = [x[5:] for x in lines if x.startswith("want ")]
    if not wants or lines[-1] != "done":
        sys.exit(f"the program did not finish: {lines[-3:]}")
    for w in wants:
        try:
            ok, why = eval(w, known), ""
        except Exception as e:  # the wrong shape is a failed want, not an error of the test
            ok, why = False, f" ({type(e).__name__}: {e})"
        if not ok:
            bad += 1
            print(f"not so: {w}{why}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
