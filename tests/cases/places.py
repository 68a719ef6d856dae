#!/usr/bin/env python3
# Descriptors and paths have the right names with any -e trace=: each of strace's classes is traced on a program that
# changes its directory, root, namespace, descriptors and user. Its files contain their own paths, and strace -y names the
# descriptors of the same calls.
# tier: gate full
# timeout: 120
# needs: root strace prog:places
import json
import os
import re
import shutil
import subprocess
import sys

CLASSES = "%file %desc %process openat read chdir all".split()
if os.environ.get("FULL") == "1":
    CLASSES += "%network %memory %signal %ipc %creds %clock %stat %lstat %fstat %statfs %fstatfs close".split()
CWD = os.getcwd()
PROG = os.environ["BIN"] + "/places"
LABEL = re.compile(r"\b(\d+)<((?:" + re.escape(CWD) + r"|/f|/e/f)[^>]*)>")


def run(*command):
    shutil.rmtree("d", ignore_errors=True)
    r = subprocess.run([*command, PROG], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if r.returncode:
        sys.exit(f"{command}: status {r.returncode}: {r.stdout[-2000:]}")


def by_task(rows):
    """[(task, call, its arguments)] -> each task's calls with the names of their descriptors."""
    tasks = {}
    for tid, name, args in rows:
        if name not in ("execve", "exit_group", "clone", "brk", "arch_prctl"):  # how they are shown differs
            tasks.setdefault(tid, []).append(" ".join([name, *("=".join(m) for m in LABEL.findall(args))]))
    return list(tasks.values())


def strace(trace):
    run("strace", "-f", "-y", "-s", "4096", "-o", "strace.out", "-e", f"trace={trace}", "-e", "signal=none")
    begun, rows = {}, []
    for line in open("strace.out"):
        tid, text = line.split(None, 1)
        if "<unfinished ...>" in text:
            begun[tid] = text
        text = begun.pop(tid) if text.startswith("<... ") else text
        call = re.match(r"(\w+)\((.*?)(\) += |<unfinished)", text)
        if call and tid not in begun and " = ? ERESTART" not in text:  # a signal came: the call is made again
            rows.append((tid, call[1], call[2]))
    return by_task(rows)


def kvis(backend, trace):
    run(os.environ["KVIS"], "trace", "-v", "-s", "4096", f"--backend={backend}", "--json=json", "-o", "text",
        "-e", f"trace={trace}")
    rows = []
    for e in map(json.loads, open("json")):
        if e["type"] == "summary" and (e["lost"] or e["backend"] != backend):
            sys.exit(f"{backend} {trace}: {e}")
        if e["type"] != "syscall" or (e["error"] or "").startswith("ERESTART"):
            continue
        rows.append((e["tid"], e["name"], ", ".join(e["args"])))
        if e["name"] == "read" and e["args"][1].startswith(CWD):
            named = LABEL.search(e["args"][0])
            if not named or named[2] not in (e["args"][1], "/f", "/e/f"):  # those: after pivot_root
                sys.exit(f"{backend} {trace}: {e['args'][0]} holds {e['args'][1]}")
    return by_task(rows)


def opens(backend):
    """Without -v: the paths of the events, of each task."""
    run(os.environ["KVIS"], "trace", f"--backend={backend}", "--json=json", "-o", "text", "-e", "trace=openat")
    events = [e for e in map(json.loads, open("json")) if e["type"] == "open"]
    return [(e["path"], e["access"]) for e in events if e["path"].startswith(CWD) or e["path"].endswith("/f")]


for trace in CLASSES:
    truth = strace(trace)
    for backend in ("ptrace", "hybrid"):
        got = kvis(backend, trace)
        for want, have in zip(truth, got):
            for a, b in zip(want, have):
                if a != b:
                    sys.exit(f"{backend} {trace}: strace has {a}, kvis {b}")
        if list(map(len, truth)) != list(map(len, got)):
            sys.exit(f"{backend} {trace}: strace has {list(map(len, truth))} calls a task, kvis {list(map(len, got))}")
    print(trace, sum(map(len, truth)), "calls alike", flush=True)
run("strace", "-f", "-y", "-o", "strace.out", "-e", "trace=openat")
truth = [m[1] for m in map(re.compile(r".* = \d+<(.*)>$").match, open("strace.out")) if m]
truth = [path for path in truth if path.startswith(CWD) or path.endswith("/f")]
for backend in ("ptrace", "hybrid"):
    got = [path for path, _ in opens(backend)]
    if got != truth:
        sys.exit(f"{backend}: opened {[(a, b) for a, b in zip(truth, got) if a != b]}")

# A change of the root directory is an event.
for backend in ("ptrace", "hybrid"):
    run(os.environ["KVIS"], "trace", f"--backend={backend}", "--json=json", "-o", "text")
    got = [(e["call"], e["path"], e.get("error")) for e in map(json.loads, open("json"))
           if e["type"] == "change" and e["call"].endswith("root")]
    if got != [("chroot", CWD + "/d", None), ("pivot_root", CWD + "/d", None)]:
        sys.exit(f"{backend}: {got}")

# Close events tell of an open file what is known of it, and nothing else.
for backend in ("ptrace", "hybrid"):
    seen = {}
    for trace in ("all", "close", "openat,close"):
        run(os.environ["KVIS"], "trace", f"--backend={backend}", "--json=json", "-o", "text", "-e", f"trace={trace}")
        events = [e for e in map(json.loads, open("json")) if e["type"] == "close"]
        if any(("bytes_read" in e) != (trace == "all") for e in events):
            sys.exit(f"{backend} {trace}: bytes: {events}")
        seen[trace] = sorted((e.get("fd", -1), re.sub(r"\[\d+\]", "[]", e["path"]), e["kind"]) for e in events)
    if not seen["all"] or seen["all"] != seen["close"] or seen["all"] != seen["openat,close"]:
        sys.exit(f"{backend}: closed: {[len(v) for v in seen.values()]} {set(seen['all']) ^ set(seen['close'])}")
