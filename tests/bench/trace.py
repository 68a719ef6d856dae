#!/usr/bin/env python3
"""Used by make bench.
trace.py [RUNS [WORKLOAD...]]: kvis beside the others of its kind, one table. As root; `make bench` installs
those that it lacks. KVIS=path: another binary than ./kvis. LOOPS, FORKS, FILES: smaller workloads.
ROWS=REGEX: native, and the rows whose name it matches (strace takes 40 s for the loop on some machines).

Runs (9) are interleaved, so that a machine that gets slower slows all. Of each row:
  seconds   wall time from the tracer's start to its end, median, and the range
  native    the same as a share of the program's time alone
  cpu       CPU time of tracer and program, less the program's alone (what the kernel does for a tracer in the
            program's own calls is the program's, to the kernel: it is in here)
  rss       the tracer's VmHWM
  events    what it wrote down, and what it says that it lost; from a run of its own, for the timed ones write
            to /dev/null"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from common import KVIS, QUIET, TOP, as_root_with_tracefs, build, median, runs as runs_of


def size(name, default):
    return os.environ.get(name, str(default))


def of_summary(json):
    """(events, lost) from the last line of kvis's JSON."""
    number = {k: int(v) for k, v in re.findall(r'"(syscalls|commands|lost)":(\d+)', json.splitlines()[-1])}
    return number.get("syscalls", number.get("commands")), number["lost"]


def of_lines(text):
    """The same from the calls of strace and others, and what they say that they lost."""
    return len(re.findall(r"^.*[(]", text, re.M)) or None, sum(map(int, re.findall(r"L(?:OST|ost) (\d+)", text)))


BT = 'tracepoint:raw_syscalls:sys_enter /pid == cpid/ { printf("%d %d(\\n", tid, args->id); }'
# Name, what stands before the workload. {out}: a file, or /dev/null in a timed run. kvis has --json={json} in the run that counts.
ROWS = [
    ("native", []),
    ("strace -f", ["strace", "-f", "-o", "{out}"]),
    ("perf trace", ["perf", "trace", "-o", "{out}"]),
    ("bpftrace, the first process only", ["bpftrace", "-o", "{out}", "-e", BT, "-c"]),
    ("kvis trace -q", [KVIS, "trace", "-q"]),
    ("kvis trace", [KVIS, "trace", "-o", "{out}"]),
    ("kvis trace -v", [KVIS, "trace", "-v", "-o", "{out}"]),
    ("kvis trace -v --json", [KVIS, "trace", "-v", "-q", "--json={json}"]),
    ("kvis trace -v -w", [KVIS, "trace", "-v", "-q", "-w", "{kvis}"]),
    ("kvis trace -v --backend=ptrace", [KVIS, "trace", "-v", "-o", "{out}", "--backend=ptrace"]),
    ("strace -c -f", ["strace", "-c", "-f", "-o", "{out}"]),
    ("kvis trace -c", [KVIS, "trace", "-c", "-o", "{out}"]),
    ("strace --seccomp-bpf -e openat", ["strace", "-f", "--seccomp-bpf", "-e", "trace=openat", "-o", "{out}"]),
    ("kvis trace -e openat", [KVIS, "trace", "-e", "trace=openat", "-o", "{out}"]),
    ("kvis proc", [KVIS, "proc", "-o", "{out}"]),
]
PEERS = {"strace": "strace", "perf": "linux-perf", "bpftrace": "bpftrace", "opensnoop": "libbpf-tools", "git": "git"}


def tree(where, files):
    """A git work tree of so many files, all committed and none of them changed."""
    top = os.path.join(where, "tree")
    for i in range(files):
        d = os.path.join(top, f"d{i // 500}", f"e{i // 50 % 10}")
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, f"f{i}.c"), "w") as f:
            f.write(f"int f{i};\n")
    git = ["git", "-C", top, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *args], check=True)
    return top


def workloads(where):
    """(name, command)"""
    forks = size("FORKS", 500)
    shell = "i=0; while [ $i -lt %s ]; do %s; i=$((i + 1)); done"
    return [
        ("start", ["/bin/true"]),
        ("loop", [build(where, "loop.c"), size("LOOPS", 100000)]),
        ("forks", ["sh", "-c", shell % (forks, "(:)")]),
        ("programs", ["sh", "-c", shell % (forks, "/bin/true")]),
        ("compile", ["gcc", "-O2", "-c", "-o", "/dev/null", os.path.join(TOP, "tests/progs/hyb.c")]),
        ("git", ["git", "-C", tree(where, int(size("FILES", 20000))), "status", "--short"]),
    ]


def cpu():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


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


def command(words, cmd, files):
    before = [w.format(**files) if w.startswith(("{", "--json")) else w for w in words]
    return [*before, " ".join(cmd)] if words[:1] == ["bpftrace"] else [*before, *cmd]


def timed(words, cmd):
    """Seconds and CPU seconds of a run, or None: it failed."""
    null = dict.fromkeys(("out", "json", "kvis"), "/dev/null")
    before, start = cpu(), time.monotonic()
    bad = subprocess.run(command(words, cmd, null), stdin=subprocess.DEVNULL, check=False, **QUIET).returncode
    seconds = time.monotonic() - start
    return None if bad else (seconds, cpu() - before)


def counted(words, cmd, where):
    """(peak KB, events, lost) from a run of its own; None for what is not known."""
    if not words:
        return None, None, None
    files = {k: os.path.join(where, "counted." + k) for k in ("out", "err", "json", "kvis")}
    of_kvis = words[0] == KVIS
    json = ["--json={json}"] if of_kvis and "--json={json}" not in words else []
    with open(files["err"], "w") as err:
        tool = subprocess.Popen(command(words + json, cmd, files), stdout=subprocess.DEVNULL, stderr=err)
    peak = Peak(tool.pid)
    tool.wait()
    peak.join()
    text = {key: open(path, errors="replace").read() for key, path in files.items() if os.path.exists(path)}
    for key in text:
        os.unlink(files[key])
    return peak.kb, *(of_summary(text["json"]) if of_kvis else of_lines(text["out"] + text["err"]))


def show(v, form):
    return "-" if v is None else format(v, form)


def bench(name, cmd, where, runs):
    rows = [r for r in ROWS if not r[1] or shutil.which(r[1][0]) and re.search(os.environ.get("ROWS", ""), r[0])]
    if name not in ("start", "loop"):  # it sees the first process only
        rows = [r for r in rows if r[1][:1] != ["bpftrace"]]
    got = {row: [] for row, _ in rows}
    for _ in range(runs):
        for row, words in rows:
            got[row].append(timed(words, cmd))
    print(f"\n{name:34} {'seconds':>9} {'native':>8} {'cpu s':>9} {'rss KB':>8} {'events':>9} "
          f"{'lost':>7}   fastest-slowest of {runs}")
    for row, words in rows:
        if None in got[row] + got["native"]:
            print(f"{row:34} failed")
            continue
        seconds = [s for s, _ in got[row]]
        native, native_cpu = (median([x[k] for x in got["native"]]) for k in (0, 1))
        more = median([c for _, c in got[row]]) - native_cpu if words else None
        kb, events, lost = counted(words, cmd, where)
        print(f"{row:34} {median(seconds):9.4f} {median(seconds) / native:8.2f} {show(more, '9.3f'):>9} {show(kb, 'd'):>8} "
              f"{show(events, 'd'):>9} {show(lost, 'd'):>7}   {min(seconds):.4f}-{max(seconds):.4f}")


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
    print(f"{os.path.getsize(KVIS)} bytes of kvis")


def main():
    as_root_with_tracefs()
    runs = runs_of(9)
    install()
    machine()
    with tempfile.TemporaryDirectory() as where:
        for name, cmd in workloads(where):
            if not sys.argv[2:] or name in sys.argv[2:]:
                bench(name, cmd, where, runs)


main()
