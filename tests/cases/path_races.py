#!/usr/bin/env python3
# A path that another thread changes during the open is shown as one of its two values, and the event and
# the line of a call show the same value.
# tier: quick
# timeout: 240
# needs: root prog:flip
import json
import os
import shutil
import subprocess
import sys

KVIS, PROG, CWD = os.environ["KVIS"], os.environ["BIN"] + "/flip", os.getcwd()
COUNT = 3000


def make(*names):
    shutil.rmtree("work", ignore_errors=True)
    for name in names:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        open(name, "w").close()


def trace(backend, a, b, gap):
    r = subprocess.run([KVIS, "trace", "-v", f"--backend={backend}", "--json=json", "-o", "text", "-e",
                        "trace=open,openat", PROG, "which", a, b, str(COUNT), str(gap)],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    if r.returncode:
        sys.exit(f"{backend}: {r.returncode}: {r.stdout[-2000:]}")
    events, calls = [], []
    for e in map(json.loads, open("json")):
        if e["type"] == "summary" and (e["lost"] or e["backend"] != backend):
            sys.exit(f"{backend}: {e}")
        path = e.get("path") if e["type"] == "open" else e["args"][1] if e["type"] == "syscall" else None
        if path in (a, b):
            (events if e["type"] == "open" else calls).append(path)
    return events, calls


def check(backend, what, a, b, gap):
    events, calls = trace(backend, a, b, gap)
    if events != calls:
        sys.exit(f"{backend}, {what}: {len(events)} events, {len(calls)} calls, "
                 f"{[x for x in zip(events, calls) if x[0] != x[1]][:5]}")
    truth = open("which").read()
    if len(truth) != COUNT or len(calls) != COUNT:
        sys.exit(f"{backend}, {what}: {len(truth)} opens, {len(calls)} shown")
    wrong = sum(path != (a if is_ in "Aa" else b) for path, is_ in zip(calls, truth))
    print(f"{backend}, {what}: {COUNT} opens, {len(set(truth))} outcomes, {wrong} of another path", flush=True)


LONG = CWD + "/work/" + "long" * 40 + "/"
for backend in ("ptrace", "hybrid"):
    for gap in (0, 300):
        make("work/a", "work/b", "work/d/f", "work/e/f", LONG + "a", LONG + "b")
        check(backend, f"two files, {gap}", CWD + "/work/a", CWD + "/work/b", gap)
        check(backend, f"two long names, {gap}", LONG + "a", LONG + "b", gap)
        make("work/a")
        check(backend, f"one is missing, {gap}", CWD + "/work/a", CWD + "/work/b", gap)
