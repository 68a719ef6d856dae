#!/usr/bin/env python3
"""Used by the case proc_formats.
workflow.py FILE: checks what workflow-telemetry-action's readers require.

src/procTraceParser.ts of borissmidt's fork reads one CompletedCommand per line. A line without
a string `name` or an array `args`, or with an invalid number, loses the whole report; so FILE must have no other lines."""
import json
import sys
import time

NUMBERS = {"uid", "pid", "ppid"}


def lines(path):
    data = open(path, "rb").read()
    assert data.endswith(b"\n"), "the last line has no end"
    for n, line in enumerate(data.decode("utf-8").split("\n")[:-1], 1):
        assert line, f"line {n} is empty"
        yield n, json.loads(line)


def check(n, e, strings, numbers, lists):
    assert isinstance(e, dict), (n, e)
    for k in strings:
        assert isinstance(e.get(k), str) and (e[k] or k == "fileName"), (n, k, e)
    for k in numbers:
        assert type(e.get(k)) is int and e[k] >= 0, (n, k, e)
    for k in lists:
        assert isinstance(e.get(k), list) and all(isinstance(x, str) for x in e[k]), (n, k, e)


def completed(path):
    count = 0
    for n, e in lines(path):
        check(n, e, ["name", "fileName"], NUMBERS | {"startTimeNs", "durationNs", "exitCode"}, ["args"])
        assert e["args"], (n, e)
        assert abs(e["startTimeNs"] / 1e9 - time.time()) < 3600, (n, e)
        assert ("signal" in e) == (e["exitCode"] > 128 and "signal" in e), (n, e)
        count += 1
    return count


print(completed(sys.argv[1]))
