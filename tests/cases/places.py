#!/usr/bin/env python3
# Descriptors and paths have the right names with any -e trace=: each of strace's classes is traced on a program that
# changes its directory, root, namespace, descriptors and user. Its files contain their own paths, and strace -y names the
# descriptors of the same calls.
# tier: gate full
# timeout: 120
# needs: root strace prog:places
import collections
import re
import shutil
import subprocess

from lib import BIN, CWD, KVIS, eq, fail, read, rows, say, some

CLASSES = "%file %desc %process openat read chdir all".split()
CLASSES += some([], "%network %memory %signal %ipc %creds %clock %stat %lstat %fstat %statfs %fstatfs close".split(), [])
LABEL = re.compile(r"\b(\d+)<((?:" + re.escape(CWD) + r"|/f|/e/f)[^>]*)>")


def run(*command):
    shutil.rmtree("d", ignore_errors=True)
    r = subprocess.run([*command, BIN + "/places"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    if r.returncode:
        fail(f"{command}: status {r.returncode}: {r.stdout[-2000:]}")


def by_task(calls):
    """[(task, call, its arguments)] -> each task's calls with the names of their descriptors."""
    tasks = collections.defaultdict(list)
    for tid, name, args in calls:
        # How the others are shown differs; pthread_join(3) calls futex only if the thread still runs.
        if name not in ("execve", "exit_group", "clone", "brk", "arch_prctl", "futex"):
            tasks[tid].append(" ".join([name, *("=".join(m) for m in LABEL.findall(args))]))
    return sorted(tasks.values())  # their first calls can be reported in any order


def strace(trace):
    run("strace", "-f", "-y", "-s", "4096", "-o", "strace.out", "-e", f"trace={trace}", "-e", "signal=none")
    begun, calls = {}, []
    for line in read("strace.out").splitlines():
        tid, text = line.split(None, 1)
        if "<unfinished ...>" in text:
            begun[tid] = text
        text = begun.pop(tid) if text.startswith("<... ") else text
        call = re.match(r"(\w+)\((.*?)(\) += |<unfinished)", text)
        if call and tid not in begun and " = ? ERESTART" not in text:  # a signal came: the call is made again
            calls.append((tid, call[1], call[2]))
    return by_task(calls)


def kvis(backend, *options):
    """Its events."""
    run(KVIS, "trace", f"--backend={backend}", "--json=json", "-o", "text", *options)
    *events, summary = rows()
    eq(f"{backend} {options}: lost, backend", (0, backend), (summary["lost"], summary["backend"]))
    return events


def calls_of(backend, trace):
    calls = [e for e in kvis(backend, "-v", "-s", "4096", "-e", f"trace={trace}")
             if e["type"] == "syscall" and not (e["error"] or "").startswith("ERESTART")]
    for e in calls:
        if e["name"] == "read" and e["args"][1].startswith(CWD):
            named = LABEL.search(e["args"][0])
            if not named or named[2] not in (e["args"][1], "/f", "/e/f"):  # those: after pivot_root
                fail(f"{backend} {trace}: {e['args'][0]} holds {e['args'][1]}")
    return by_task((e["tid"], e["name"], ", ".join(e["args"])) for e in calls)


for trace in CLASSES:
    truth = strace(trace)
    for backend in ("ptrace", "hybrid"):
        got = calls_of(backend, trace)
        for want, have in zip(truth, got):
            for a, b in zip(want, have):
                eq(f"{backend} {trace}: a call of strace's", a, b)
        eq(f"{backend} {trace}: calls of each task", list(map(len, truth)), list(map(len, got)))
    say(trace, sum(map(len, truth)), "calls alike")

strace("openat")
truth = re.findall(r" = \d+<(.*)>$", read("strace.out"), re.M)
for backend in ("ptrace", "hybrid"):
    # Without -v: the paths of the events.
    ours = [[path for path in paths if path.startswith(CWD) or path.endswith("/f")] for paths in
            (truth, [e["path"] for e in kvis(backend, "-e", "trace=openat") if e["type"] == "open"])]
    eq(f"{backend}: opened", *ours)
    # A change of the root directory is an event.
    got = [(e["call"], e["path"], e.get("error")) for e in kvis(backend) if e["type"] == "change" and e["call"].endswith("root")]
    eq(f"{backend}: roots", [("chroot", CWD + "/d", None), ("pivot_root", CWD + "/d", None)], got)
    # Close events contain only what kvis knows about the open file.
    seen = []
    for trace in ("all", "close", "openat,close"):
        closed = [e for e in kvis(backend, "-e", f"trace={trace}") if e["type"] == "close"]
        eq(f"{backend} {trace}: bytes", {trace == "all"}, {"bytes_read" in e for e in closed})
        seen.append(sorted((e.get("fd", -1), re.sub(r"\[\d+\]", "[]", e["path"]), e["kind"]) for e in closed))
    eq(f"{backend}: closed", [seen[0]] * 3, seen)
