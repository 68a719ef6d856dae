#!/usr/bin/env python3
"""Used by make bench.
watch.py [RUNS]: what kvis open and kvis monitor cost, beside the tools of their kind. As root. KVIS=path: another binary.

  1. kvis open and others: what an open costs a program that is watched
  2. kvis monitor: its own CPU time and memory, with everything on, each second
  3. the time of its BPF programs, and of those of runqlat and runqslower (libbpf-tools), in perf bench sched pipe, by the
     kernel's own statistics (BPF_ENABLE_STATS)

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

from common import KVIS, QUIET, as_root_with_tracefs, build, median, memory_kb, runs, stop, wait_until

OPENS = 100000
SECS = int(os.environ.get("SECS", 20))  # of a run of 2
LOOPS = os.environ.get("LOOPS", "100000")  # of a run of 3
SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_ENABLE_STATS = 32


def installed(rows):
    return [(label, cmd) for label, cmd in rows if shutil.which(cmd[0])]


# == kvis open ==================================================================

def snoopers(pid):
    """Tools that show the opens of this process."""
    bt = f'tracepoint:syscalls:sys_exit_openat /pid == {pid}/ {{ printf("%d %s %d\\n", pid, comm, args->ret); }}'
    return installed([
        ("kvis open", [KVIS, "open", "-p", str(pid)]),
        ("kvis open -F", [KVIS, "open", "-F", "-p", str(pid)]),
        ("opensnoop (libbpf-tools)", ["opensnoop", "-p", str(pid)]),
        ("bpftrace", ["bpftrace", "-e", bt]),
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

COSTS = [
    ("kvis monitor", []),
    ("  with all sinks, per CPU, histograms", ["--per-cpu", "--histogram", "--json=json", "--prometheus=all.prom", "--listen=0"]),
    ("  -c sched", ["-c", "sched"]),
    ("  -c runq,depth", ["-c", "runq,depth"]),
]
TOOLS = [
    ("kvis monitor", [KVIS, "monitor", "-i", "1"]),
    ("kvis monitor -c runq,depth", [KVIS, "monitor", "-i", "1", "-c", "runq,depth"]),
    ("runqlat", ["runqlat", "3600", "1"]),
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


def start(cmd, where):
    """The tool, when its programs are attached."""
    tool = subprocess.Popen(cmd, cwd=where, **QUIET)
    wait_until(lambda: programs(tool.pid) or tool.poll() is not None)
    time.sleep(1)
    return tool


def cpu_ns(pid):
    return sum(int(open(p).read().split()[0]) for p in glob.glob(f"/proc/{pid}/task/*/schedstat"))


def own_cost(args, where):
    """Share of a CPU, RSS and VmHWM of kvis; without its first seconds."""
    tool = start([KVIS, "monitor", "-i", "1", *args], where)
    time.sleep(2)
    before, at = cpu_ns(tool.pid), time.monotonic()
    time.sleep(SECS)
    share = (cpu_ns(tool.pid) - before) / (time.monotonic() - at) / 1e9
    kb = memory_kb(tool.pid, "VmRSS", "VmHWM")
    stop(tool)
    return share, *kb


def pipe(cmd, where):
    """The time of the tool's programs, in ns."""
    tool = start(cmd, where)
    attr = ctypes.create_string_buffer(128)  # type 0: BPF_STATS_RUN_TIME
    fd = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, BPF_ENABLE_STATS, attr, 128)
    if fd < 0:
        sys.exit(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")
    before = programs(tool.pid)
    subprocess.run(["perf", "bench", "sched", "pipe", "-l", LOOPS], check=True, **QUIET)
    after = programs(tool.pid)
    os.close(fd)
    stop(tool)
    return sum(after.values()) - sum(before.values())


def print_own(n, where):
    print(f"\neach second{'':29} {'% of a CPU':>10} {'RSS KB':>8} {'VmHWM KB':>9}   medians of {n} runs of {SECS} s")
    got = [[] for _ in COSTS]
    for _ in range(n):
        for k, (_, args) in enumerate(COSTS):
            got[k].append(own_cost(args, where))
    for (label, _), g in zip(COSTS, got):
        share, rss, peak = (median([x[k] for x in g]) for k in range(3))
        print(f"{label:40} {100 * share:10.3f} {rss:8.0f} {peak:9.0f}")


def print_bpf(n, where, tools):
    print(f"\n{'BPF programs':40} {'ns for a switch and a wake-up':>30}")
    got = [[pipe(cmd, where) for _, cmd in tools] for _ in range(n)]
    for (label, _), ns in zip(tools, zip(*got)):
        print(f"{label:40} {median(ns) / (2 * int(LOOPS)):30.0f}")  # a round trip has two of each


def main():
    as_root_with_tracefs()
    n = runs(5)
    with tempfile.TemporaryDirectory() as where:
        print_open(n, where)
        print_own(min(n, 3), where)
        if not shutil.which("perf"):
            sys.exit("watch.py: no perf here")
        print_bpf(n, where, installed(TOOLS))


main()
