#!/usr/bin/env python3
"""Used by make bench.
bench_monitor.py [RUNS]: what kvis monitor costs. As root. KVIS=path: another binary than ./kvis.

  1. its own CPU time and memory, with everything on, each second
  2. perf bench sched pipe beside it, runqlat and runqslower (libbpf-tools), and without any
  3. the time of their BPF programs in that benchmark, by the kernel's own statistics (BPF_ENABLE_STATS)

Runs are interleaved, so that a machine that gets slower slows all; printed are medians. The others' output
goes nowhere: what else runs on the machine is nobody's business."""
import ctypes
import glob
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KVIS = os.path.abspath(os.environ.get("KVIS", os.path.join(TOP, "kvis")))
SECS = int(os.environ.get("SECS", 20))  # of a run of 1.
LOOPS = os.environ.get("LOOPS", "100000")  # of a run of 2. and 3.
SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_ENABLE_STATS = 32

ALL = ["--per-cpu", "--histogram", "--json=json", "--prometheus=all.prom", "--listen=0"]
COSTS = [
    ("kvis monitor", []),
    ("  with all sinks, per CPU, histograms", ALL),
    ("  -c sched", ["-c", "sched"]),
    ("  -c runq,depth", ["-c", "runq,depth"]),
]
TOOLS = [
    ("native", None),
    ("kvis monitor", [KVIS, "monitor", "-i", "1"]),
    ("kvis monitor -c runq,depth", [KVIS, "monitor", "-i", "1", "-c", "runq,depth"]),
    ("runqlat", ["runqlat", "3600", "1"]),
    ("runqslower", ["runqslower", "3600000000"]),
]


def start(cmd, where):
    """The tool, when its programs are attached."""
    tool = subprocess.Popen(cmd, cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20
    while not programs(tool.pid) and tool.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1)
    return tool


def stop(tool):
    tool.send_signal(signal.SIGINT)
    tool.wait()


def programs(pid):
    """id: (nanoseconds, runs) of the BPF programs of which a process has a descriptor."""
    found = {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            text = open(path).read()
        except OSError:
            continue
        f = dict(re.findall(r"^(\w+):\s+(\d+)", text, re.M))
        if "prog_id" in f and "run_cnt" in f:
            found[f["prog_id"]] = (int(f["run_time_ns"]), int(f["run_cnt"]))
    return found


def cpu_ns(pid):
    return sum(int(open(p).read().split()[0]) for p in glob.glob(f"/proc/{pid}/task/*/schedstat"))


def memory_kb(pid):
    text = open(f"/proc/{pid}/status").read()
    return [int(re.search(rf"{k}:\s+(\d+)", text)[1]) for k in ("VmRSS", "VmHWM")]


def own_cost(args, where):
    """Share of a CPU, RSS and VmHWM of kvis; without its first seconds."""
    tool = start([KVIS, "monitor", "-i", "1", *args], where)
    time.sleep(2)
    before, at = cpu_ns(tool.pid), time.monotonic()
    time.sleep(SECS)
    share = (cpu_ns(tool.pid) - before) / (time.monotonic() - at) / 1e9
    kb = memory_kb(tool.pid)
    stop(tool)
    return share, *kb


def pipe(cmd, where, stats):
    """Microseconds a round trip, and of the programs {name: [ns, runs]}."""
    tool = start(cmd, where) if cmd else None
    fd = -1
    if stats:
        attr = ctypes.create_string_buffer(128)  # type 0: BPF_STATS_RUN_TIME
        fd = ctypes.CDLL(None, use_errno=True).syscall(SYS_BPF, BPF_ENABLE_STATS, attr, 128)
        if fd < 0:
            sys.exit(f"BPF_ENABLE_STATS: {os.strerror(ctypes.get_errno())}")
    before = programs(tool.pid) if tool else {}
    out = subprocess.run(["perf", "bench", "sched", "pipe", "-l", LOOPS], capture_output=True,
                         text=True, check=True).stdout
    after = programs(tool.pid) if tool else {}
    if fd >= 0:
        os.close(fd)
    names = {i: name(i) for i in after} if stats else {}
    if tool:
        stop(tool)
    ran = {names[i]: [n - b for n, b in zip(after[i], before[i])] for i in names}
    return float(re.search(r"([\d.]+) usecs/op", out)[1]), ran


def name(prog):
    if not shutil.which("bpftool"):
        return prog
    text = subprocess.run(["bpftool", "prog", "show", "id", prog], capture_output=True, text=True,
                          check=False).stdout
    found = re.search(r" name (\w+)", text)
    return found[1] if found else prog


median = statistics.median


def print_own(runs, where):
    print(f"each second{'':29} {'% of a CPU':>10} {'RSS KB':>8} {'VmHWM KB':>9}   medians of {runs} runs of {SECS} s")
    got = [[] for _ in COSTS]
    for _ in range(runs):
        for k, (_, args) in enumerate(COSTS):
            got[k].append(own_cost(args, where))
    for (label, _), g in zip(COSTS, got):
        print(f"{label:40} {100 * median([x[0] for x in g]):10.3f} {median([x[1] for x in g]):8.0f} "
              f"{median([x[2] for x in g]):9.0f}")


def print_pipe(runs, where, tools):
    got = [[] for _ in tools]
    for _ in range(runs):
        for k, (_, cmd) in enumerate(tools):
            got[k].append(pipe(cmd, where, False)[0])
    base = median(got[0])
    print(f"\nperf bench sched pipe -l {LOOPS}{'':12} {'us/op':>8} {'of native':>10}   range")
    for (label, _), g in zip(tools, got):
        print(f"{label:40} {median(g):8.3f} {median(g) / base:10.3f}   {min(g):.3f}-{max(g):.3f}")


def print_bpf(runs, where, tools):
    got = {label: [] for label, _ in tools}
    for _ in range(runs):
        for label, cmd in tools:
            got[label].append(pipe(cmd, where, True)[1])
    mean = {label: {n: median([r[n][0] / max(r[n][1], 1) for r in g]) for n in g[0]} for label, g in got.items()}
    # Two switches and two wake-ups are a round trip.
    total = {label: median([sum(v[0] for v in r.values()) for r in g]) / (2 * int(LOOPS)) for label, g in got.items()}
    ref = total.get("runqlat")
    print(f"\nBPF programs there{'':22} {'ns, each':>9}   all, for a switch and a wake-up")
    for label in got:
        of = f", {total[label] / ref:.2f} of runqlat's" if ref else ""
        print(f"{label:40} {'':9}   {total[label]:.0f} ns{of}")
        for n in sorted(mean[label]):
            ran = median([r[n][1] for r in got[label]])
            if ran >= int(LOOPS) / 10:
                print(f"  {n:38} {mean[label][n]:9.0f}")


def main():
    if os.geteuid():
        sys.exit("bench_monitor: needs root")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    tools = [(label, cmd) for label, cmd in TOOLS if not cmd or shutil.which(cmd[0])]
    with tempfile.TemporaryDirectory() as where:
        print_own(min(runs, 3), where)
        if not shutil.which("perf"):
            sys.exit("bench_monitor: no perf here")
        print_pipe(runs, where, tools)
        print_bpf(runs, where, tools[1:])


main()
