#!/usr/bin/env python3
"""Used by make bench.
trace.py [RUNS [WORKLOAD...]]: kvis beside the others of its kind, one table: the figures of README.md. As root; `make bench`
installs those that it lacks. KVIS=path: another binary than ./kvis.

Runs (9) are interleaved, so that a machine that gets slower slows all. Of each row:
  seconds   wall time from the tracer's start to its end, median, and the range
  native    the same as a share of the program's time alone
  rss       the tracer's VmHWM, from a run of its own"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from statistics import median

from common import KVIS, QUIET, TOP, as_root_with_tracefs, build, runs as runs_of

BT = 'tracepoint:raw_syscalls:sys_enter /pid == cpid/ { printf("%d %d\\n", tid, args->id); }'
ROWS = [  # name, what stands before the workload
    ("native", []),
    ("strace -f", ["strace", "-f", "-o", "/dev/null"]),
    ("perf trace", ["perf", "trace", "-o", "/dev/null"]),
    ("bpftrace, the first process only", ["bpftrace", "-o", "/dev/null", "-e", BT, "-c"]),
    ("kvis trace -q", [KVIS, "trace", "-q"]),
    ("kvis trace -v --json", [KVIS, "trace", "-v", "-q", "--json=/dev/null"]),
    ("kvis trace -q --backend=ptrace", [KVIS, "trace", "-q", "--backend=ptrace"]),
    ("kvis trace -c", [KVIS, "trace", "-c", "-o", "/dev/null"]),
    ("kvis proc", [KVIS, "proc", "-o", "/dev/null"]),
]
PEERS = {"strace": "strace", "perf": "linux-perf", "bpftrace": "bpftrace", "git": "git"}


def tree(where):
    """A git work tree of 20 000 files, all committed and none of them changed."""
    top = os.path.join(where, "tree")
    for i in range(20000):
        d = os.path.join(top, f"d{i // 500}", f"e{i // 50 % 10}")
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, f"f{i}.c"), "w") as f:
            f.write(f"int f{i};\n")
    git = ["git", "-C", top, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *args], check=True)
    return top


def workloads(where):
    """The commands by name; a function makes what the command needs."""
    shell = "i=0; while [ $i -lt 500 ]; do %s; i=$((i + 1)); done"
    return {
        "start": lambda: ["/bin/true"],
        "loop": lambda: [build(where, "loop.c"), "100000"],
        "forks": lambda: ["sh", "-c", shell % "(:)"],
        "programs": lambda: ["sh", "-c", shell % "/bin/true"],
        "compile": lambda: ["gcc", "-O2", "-c", "-o", "/dev/null", os.path.join(TOP, "tests/progs/hyb.c")],
        "git": lambda: ["git", "-C", tree(where), "status", "--short"],
    }


class Peak(threading.Thread):
    """VmHWM of a process, till it ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.kb = pid, 0
        self.start()

    def run(self):
        while True:
            try:
                with open(f"/proc/{self.pid}/status") as f:
                    found = re.search(r"VmHWM:\s+(\d+)", f.read())
            except OSError:
                return
            if not found:
                return
            self.kb = int(found[1])
            time.sleep(0.01)


def command(before, work):
    return [*before, " ".join(work)] if before[:1] == ["bpftrace"] else [*before, *work]


def timed(before, work):
    """Seconds of a run, or None: it failed. The pause: loading BPF programs waits until the kernel has freed those of the run before."""
    time.sleep(0.05)
    start = time.monotonic()
    bad = subprocess.run(command(before, work), stdin=subprocess.DEVNULL, check=False, **QUIET).returncode
    return None if bad else time.monotonic() - start


def peak_kb(before, work):
    tool = subprocess.Popen(command(before, work), **QUIET)
    peak = Peak(tool.pid)
    tool.wait()
    peak.join()
    return peak.kb


def bench(name, work, runs):
    rows = [(label, before) for label, before in ROWS if not before or shutil.which(before[0])]
    if name not in ("start", "loop"):  # it sees the first process only
        rows = [r for r in rows if r[1][:1] != ["bpftrace"]]
    got = {label: [] for label, _ in rows}
    for _ in range(runs):
        for label, before in rows:
            got[label].append(timed(before, work))
    print(f"\n{name:34} {'seconds':>9} {'native':>8} {'rss KB':>8}   fastest-slowest of {runs}")
    for label, before in rows:
        if None in got[label] + got["native"]:
            print(f"{label:34} failed")
            continue
        mid = median(got[label])
        kb = peak_kb(before, work) if before else "-"
        print(f"{label:34} {mid:9.4f} {mid / median(got['native']):8.2f} {kb:>8}   {min(got[label]):.4f}-{max(got[label]):.4f}")


def install():
    missing = sorted({package for tool, package in PEERS.items() if not shutil.which(tool)})
    if missing and shutil.which("apt-get"):
        print("installing:", *missing)
        for package in missing:
            subprocess.run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", package], check=False,
                           env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, **QUIET)


def machine():
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    u = os.uname()
    print(f"{u.sysname} {u.release} {u.machine}, {os.cpu_count()} CPUs, {model[1] if model else 'unknown'}")
    for cmd in (["strace", "--version"], ["perf", "--version"], ["bpftrace", "--version"], [KVIS, "--version"]):
        if shutil.which(cmd[0]):
            out = subprocess.run(cmd, capture_output=True, text=True, check=False)
            print((out.stdout + out.stderr).splitlines()[0])


def main():
    as_root_with_tracefs()
    runs = runs_of(9)
    install()
    machine()
    with tempfile.TemporaryDirectory() as where:
        for name, work in workloads(where).items():
            if not sys.argv[2:] or name in sys.argv[2:]:
                bench(name, work(), runs)


main()
