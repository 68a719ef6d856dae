#!/usr/bin/env python3
"""Used by make bench.
bench.py [RUNS [WHAT...]]: kvis beside the others of its kind: the figures of README.md. As root; it installs tools that are
missing. KVIS=path: another binary than ./kvis.

WHAT (default: all) is a workload that each tracer runs (start, loop, forks, programs, compile, git), with these columns:
  seconds   wall time from the tracer's start to its end, median, and the range
  native    the same as a share of the program's time alone
  rss       the tracer's VmHWM, from a run of its own
or one of these:
  open      what an open costs a program that kvis open or opensnoop watches
  monitor   the CPU time of kvis monitor
  bpf       the time of the BPF programs of kvis monitor and of runqslower (libbpf-tools) in perf bench sched pipe, by the
            kernel's own statistics (BPF_ENABLE_STATS)

Runs are interleaved, so a machine that becomes slower slows all. The output of all tools goes nowhere."""
import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from statistics import median

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KVIS = os.path.abspath(os.environ.get("KVIS", os.path.join(TOP, "kvis")))
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PEERS = {"strace": "strace", "perf": "linux-perf", "bpftrace": "bpftrace", "git": "git"}


def prepare():
    """Installs tools, prints the machine and their versions, and enters a new mount namespace with tracefs for bpftrace and bcc."""
    if os.geteuid():
        sys.exit("bench.py: needs root")
    if "TRACEFS_MOUNTED" in os.environ:
        return
    os.environ["TRACEFS_MOUNTED"] = "1"
    missing = sorted({package for tool, package in PEERS.items() if not shutil.which(tool)})
    for package in missing if shutil.which("apt-get") else ():
        print("installing:", package)
        subprocess.run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", package], check=False,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, **QUIET)
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    u = os.uname()
    print(f"{u.sysname} {u.release} {u.machine}, {os.cpu_count()} CPUs, {model[1] if model else 'unknown'}")
    for tool in filter(shutil.which, ("strace", "perf", "bpftrace", KVIS)):
        out = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False)
        print((out.stdout + out.stderr).splitlines()[0], flush=True)
    os.execvp("unshare", ["unshare", "-m", "sh", "-c", 'mount -t tracefs t /sys/kernel/tracing; exec "$@"', "sh", sys.executable, *sys.argv])


def installed(rows):
    return [(label, command) for label, command in rows if not command or shutil.which(command[0])]


def stop(tool):
    tool.send_signal(signal.SIGINT)
    tool.wait()


def build(where, source):
    """The path of a program of tests/progs. Builds only this program."""
    binary = os.path.join(where, source[:-2])
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-pthread", "-o", binary, os.path.join(TOP, "tests/progs", source)], check=True)
    return binary


BT = 'tracepoint:raw_syscalls:sys_enter /pid == cpid/ { printf("%d %d\\n", tid, args->id); }'
TRACERS = [  # name, what stands before the workload
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


SHELL = "i=0; while [ $i -lt 500 ]; do %s; i=$((i + 1)); done"
WORKLOADS = {  # a function makes what the command needs in a directory
    "start": lambda where: ["/bin/true"],
    "loop": lambda where: [build(where, "loop.c"), "100000"],
    "forks": lambda where: ["sh", "-c", SHELL % "(:)"],
    "programs": lambda where: ["sh", "-c", SHELL % "/bin/true"],
    "compile": lambda where: ["gcc", "-O2", "-c", "-o", "/dev/null", os.path.join(TOP, "tests/progs/hyb.c")],
    "git": lambda where: ["git", "-C", tree(where), "status", "--short"],
}


def command(before, work):
    return [*before, " ".join(work)] if before[:1] == ["bpftrace"] else [*before, *work]


def timed(before, work):
    """Seconds of a run, or None if it failed. Pauses until the kernel has freed the BPF programs of the previous run."""
    time.sleep(0.05)
    start = time.monotonic()
    bad = subprocess.run(command(before, work), stdin=subprocess.DEVNULL, check=False, **QUIET).returncode
    return None if bad else time.monotonic() - start


def peak_kb(before, work):
    tool, kb = subprocess.Popen(command(before, work), **QUIET), 0
    while tool.poll() is None:
        with open(f"/proc/{tool.pid}/status") as f:
            found = re.search(r"VmHWM:\s+(\d+)", f.read())
        kb = int(found[1]) if found else kb
        time.sleep(0.01)
    return kb


def bench(name, work, runs):
    rows = installed(TRACERS)
    if name not in ("start", "loop"):  # bpftrace sees only the first process
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
        print(f"{label:34} {mid:9.4f} {mid / median(got['native']):8.2f} {kb:>8}   {min(got[label]):.4f}-{max(got[label]):.4f}", flush=True)


OPENS = 100000
SNOOPERS = [("native", []), ("kvis open", [KVIS, "open", "-p"]), ("opensnoop (libbpf-tools)", ["opensnoop", "-p"])]


def opener_seconds(loop, snooper):
    """The time of OPENS opens, after a line of input, while a tool watches this process only."""
    opener = subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", loop, str(OPENS)], stdin=subprocess.PIPE)
    tool = subprocess.Popen([*snooper, str(opener.pid)], **QUIET) if snooper else None
    time.sleep(2 if tool else 0)
    start = time.monotonic()
    opener.communicate(b"\n")
    seconds = time.monotonic() - start
    if tool:
        stop(tool)
    return seconds


def print_open(where, runs):
    loop, native = build(where, "loop.c"), None
    print(f"\n{OPENS} opens, each watched   {'seconds':>8} {'ns an open more':>16}")
    for label, snooper in installed(SNOOPERS):
        took = median([opener_seconds(loop, snooper) for _ in range(runs)])
        native = native or took
        print(f"{label:28} {took:8.3f} {(took - native) / OPENS * 1e9:16.0f}", flush=True)


SECONDS = 20  # of a run of kvis monitor
LOOPS = 100000  # of perf bench sched pipe
SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
BPF_ENABLE_STATS = 32
MONITORS = [
    ("kvis monitor", [KVIS, "monitor", "-i", "1"]),
    ("kvis monitor -c runq,depth", [KVIS, "monitor", "-i", "1", "-c", "runq,depth"]),
    ("runqslower", ["runqslower", "3600000000"]),
]


def programs(pid):
    """The run times in ns, by ID, of the BPF programs for which the process has a descriptor."""
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
    """Starts the tool, and returns its process when its programs are attached."""
    tool = subprocess.Popen(cmd, **QUIET)
    while not programs(tool.pid) and tool.poll() is None:
        time.sleep(0.02)
    time.sleep(1)
    return tool


def cpu_ns(pid):
    return sum(int(open(p).read().split()[0]) for p in glob.glob(f"/proc/{pid}/task/*/schedstat"))


def own_cost():
    """The share of a CPU that kvis uses, not counting its first seconds."""
    tool = start([KVIS, "monitor", "-i", "1"])
    time.sleep(2)
    before, at = cpu_ns(tool.pid), time.monotonic()
    time.sleep(SECONDS)
    share = (cpu_ns(tool.pid) - before) / (time.monotonic() - at) / 1e9
    stop(tool)
    return share


def print_monitor(_, runs):
    print(f"\nkvis monitor: {100 * median([own_cost() for _ in range(min(runs, 3))]):.3f} % of a CPU, in {SECONDS} s", flush=True)


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


def print_bpf(_, runs):
    if not shutil.which("perf"):
        sys.exit("bench.py: no perf here")
    tools = installed(MONITORS)
    print(f"\n{'BPF programs':40} {'ns for a switch and a wake-up':>30}")
    got = [[pipe(cmd) for _, cmd in tools] for _ in range(runs)]
    for (label, _), ns in zip(tools, zip(*got)):
        print(f"{label:40} {median(ns) / (2 * LOOPS):30.0f}")  # a round trip has two of each


def main():
    prepare()
    others = {"open": print_open, "monitor": print_monitor, "bpf": print_bpf}
    runs = [int(n) for n in sys.argv[1:2]]
    with tempfile.TemporaryDirectory() as where:
        for name in sys.argv[2:] or [*WORKLOADS, *others]:
            if name in WORKLOADS:
                bench(name, WORKLOADS[name](where), *runs or [9])
            else:
                others[name](where, *runs or [5])


main()
