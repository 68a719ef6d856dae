#!/usr/bin/env python3
"""Used by make bench.
watch.py [RUNS]: what kvis open and kvis monitor cost, beside the tools of their kind. As root. KVIS=path: another binary.

  1. kvis open and others: what an open costs a program that is watched
  2. kvis monitor: its own CPU time
  3. the time of its BPF programs, and of those of runqslower (libbpf-tools), in perf bench sched pipe, by the kernel's own
     statistics (BPF_ENABLE_STATS)

Runs are interleaved, so a machine that becomes slower slows all; the figures are medians. The tools of 1 watch only a
process of this script, and the output of the others goes nowhere."""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median

from common import KVIS, QUIET, as_root_with_tracefs, build, runs, stop, wait_until

OPENS = 100000
SECS = 20  # of a run of 2
LOOPS = 100000  # of a run of 3
SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_ENABLE_STATS = 32


def installed(rows):
    return [(label, cmd) for label, cmd in rows if shutil.which(cmd[0])]


# == kvis open ==================================================================

def snoopers(pid):
    """Tools that show the opens of this process."""
    return installed([
        ("kvis open", [KVIS, "open", "-p", str(pid)]),
        ("opensnoop (libbpf-tools)", ["opensnoop", "-p", str(pid)]),
    ])


def opener_seconds(loop, tool_of):
    """The time of OPENS opens, after a line of input, while a tool watches them."""
    opener = subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", loop, str(OPENS)], stdin=subprocess.PIPE)
    tool = None
    if tool_of:
        tool = subprocess.Popen(tool_of(opener.pid), **QUIET)
        time.sleep(2)
    start = time.monotonic()
    opener.communicate(b"\n")
    seconds = time.monotonic() - start
    if tool:
        stop(tool)
    return seconds


def print_open(n, where):
    loop = build(where, "loop.c")
    print(f"{OPENS} opens, each watched   {'seconds':>8} {'ns an open more':>16}")
    native = median([opener_seconds(loop, None) for _ in range(n)])
    print(f"{'native':28} {native:8.3f}")
    for label, _ in snoopers(0):
        took = median([opener_seconds(loop, lambda pid: dict(snoopers(pid))[label]) for _ in range(n)])
        print(f"{label:28} {took:8.3f} {(took - native) / OPENS * 1e9:16.0f}")


# == kvis monitor ===============================================================

TOOLS = [
    ("kvis monitor", [KVIS, "monitor", "-i", "1"]),
    ("kvis monitor -c runq,depth", [KVIS, "monitor", "-i", "1", "-c", "runq,depth"]),
    ("runqslower", ["runqslower", "3600000000"]),
]


def programs(pid):
    """id: nanoseconds of the BPF programs of which a process has a descriptor."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            text = open(path).read()
        except OSError:
            continue
        f = dict(re.findall(r"^(\w+):\s+(\d+)", text, re.M))
        if "run_time_ns" in f:
            found[f["prog_id"]] = int(f["run_time_ns"])
    return found


def start(cmd):
    """The tool, when its programs are attached."""
    tool = subprocess.Popen(cmd, **QUIET)
    wait_until(lambda: programs(tool.pid) or tool.poll() is not None)
    time.sleep(1)
    return tool


def cpu_ns(pid):
    return sum(int(open(p).read().split()[0]) for p in glob.glob(f"/proc/{pid}/task/*/schedstat"))


def own_cost():
    """The share of a CPU that kvis takes; without its first seconds."""
    tool = start([KVIS, "monitor", "-i", "1"])
    time.sleep(2)
    before, at = cpu_ns(tool.pid), time.monotonic()
    time.sleep(SECS)
    share = (cpu_ns(tool.pid) - before) / (time.monotonic() - at) / 1e9
    stop(tool)
    return share


def pipe(cmd):
    """The time of the tool's programs, in ns."""
    tool = start(cmd)
    attr = ctypes.create_string_buffer(128)  # type 0: BPF_STATS_RUN_TIME
    fd = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, BPF_ENABLE_STATS, attr, 128)
    if fd < 0:
        sys.exit(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")
    before = programs(tool.pid)
    subprocess.run(["perf", "bench", "sched", "pipe", "-l", str(LOOPS)], check=True, **QUIET)
    after = programs(tool.pid)
    os.close(fd)
    stop(tool)
    return sum(after.values()) - sum(before.values())


def print_bpf(n, tools):
    print(f"\n{'BPF programs':40} {'ns for a switch and a wake-up':>30}")
    got = [[pipe(cmd) for _, cmd in tools] for _ in range(n)]
    for (label, _), ns in zip(tools, zip(*got)):
        print(f"{label:40} {median(ns) / (2 * LOOPS):30.0f}")  # a round trip has two of each


def main():
    as_root_with_tracefs()
    n = runs(5)
    with tempfile.TemporaryDirectory() as where:
        print_open(n, where)
    print(f"\nkvis monitor: {100 * median([own_cost() for _ in range(min(n, 3))]):.3f} % of a CPU, in {SECS} s")
    if not shutil.which("perf"):
        sys.exit("watch.py: no perf here")
    print_bpf(n, installed(TOOLS))


main()
