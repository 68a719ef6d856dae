#!/usr/bin/env python3
# A path that another thread changes while it is opened is shown as the kernel has used it, or is marked
# (path_changed: by ptrace always, in hybrid mostly); the event and the line of one call agree; and a path that
# nobody changes is never marked.
# tier: gate
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
    events, calls, others = [], [], []
    for e in map(json.loads, open("json")):
        if e["type"] == "summary" and (e["lost"] or e["backend"] != backend):
            sys.exit(f"{backend}: {e}")
        path = e.get("path") if e["type"] == "open" else e["args"][1] if e["type"] == "syscall" else None
        if path in (a, b):
            (events if e["type"] == "open" else calls).append((path, e.get("path_changed", False)))
        elif path:
            others.append(e)
    return events, calls, others


def check(backend, what, a, b, gap, failures_tell=True):
    events, calls, others = trace(backend, a, b, gap)
    if any("path_changed" in e for e in others):
        sys.exit(f"{backend}, {what}: marked for nothing: {others}")
    if events != calls:
        sys.exit(f"{backend}, {what}: {len(events)} events, {len(calls)} calls, "
                 f"{[x for x in zip(events, calls) if x[0] != x[1]][:5]}")
    truth = open("which").read()
    if len(truth) != COUNT or len(calls) != COUNT:
        sys.exit(f"{backend}, {what}: {len(truth)} opens, {len(calls)} shown")
    wrong = sum(path != (a if is_ in "Aa" else b) for (path, _), is_ in zip(calls, truth))
    silent = sum(path != (a if is_ in "Aa" else b) and not mark and (failures_tell or is_.isupper())
                 for (path, mark), is_ in zip(calls, truth))
    marked = sum(mark for _, mark in calls)
    text = sum("(path changed)" in line for line in open("text"))
    print(f"{backend}, {what}: {COUNT} opens, {len(set(truth))} outcomes, {marked} marked, {wrong} wrong, "
          f"{silent} of them not marked", flush=True)
    # A record is looked at later, on a busy machine much later: that what the path leads to is another file than the
    # one that was opened is not always known then. So of hybrid the number is shown, not judged.
    if silent and backend == "ptrace" or text != marked:
        sys.exit(f"{backend}, {what}: {silent} wrong ones are not marked; {text} lines of {marked} are")


LONG = CWD + "/work/" + "long" * 40 + "/"
for backend in ("ptrace", "hybrid"):
    for gap in (0, 300):
        make("work/a", "work/b", "work/d/f", "work/e/f", LONG + "a", LONG + "b")
        check(backend, f"two files, {gap}", CWD + "/work/a", CWD + "/work/b", gap)
        check(backend, f"two long names, {gap}", LONG + "a", LONG + "b", gap)
        make("work/a")
        # Of a call that fails only the two looks at the path tell. Records come too late for another.
        check(backend, f"one is missing, {gap}", CWD + "/work/a", CWD + "/work/b", gap, backend == "ptrace")

# Nobody changes these, though there are threads: links, directories, what is renamed and removed at once.
STILL = """
import os, sys, threading
work = sys.argv[1]
def use():
    for i in range(40):
        name = f"{work}/{threading.get_ident()}.{i}"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        os.rename(name, name + "x")
        os.unlink(name + "x")
        for path in (f"{work}/link", f"{work}/d/../a", work, f"{work}/there/f", "/proc/self/status", "/dev/stdin", "/etc/mtab",
                     "/dev/null", "/", "/proc/self/fd/0", f"{work}/./a"):
            os.close(os.open(path, os.O_RDONLY))
        try:
            os.open(f"{work}/absent", os.O_RDONLY)
        except FileNotFoundError:
            pass
threads = [threading.Thread(target=use) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
"""
make("work/a", "work/d/f")
os.symlink("a", "work/link")
os.symlink("d", "work/there")
for backend in ("ptrace", "hybrid"):
    subprocess.run([KVIS, "trace", "-v", f"--backend={backend}", "--json=json", "-o", "text", sys.executable, "-c", STILL,
                    CWD + "/work"], check=True, stdin=subprocess.DEVNULL, timeout=100)
    events = list(map(json.loads, open("json")))
    marked = [e for e in events if "path_changed" in e]
    if marked or len([e for e in events if e["type"] == "open"]) < 1400:
        sys.exit(f"{backend}: marked for nothing: {marked[:3]}")
