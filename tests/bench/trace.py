#!/usr/bin/env python3
"""Used by make bench.
trace.py [RUNS [WORKLOAD...]]: kvis beside the others of its kind, one table. As root; `make bench` installs
those that it lacks. KVIS=path: another binary than ./kvis. LOOPS, FORKS, FILES, REQUESTS: smaller workloads.
ROWS=REGEX: native, and the rows whose name it matches (strace takes 40 s for the loop on some machines).

Runs (9) are interleaved, so that a machine that gets slower slows all. Of each row:
  seconds   wall time from the tracer's start to its end (http: of the client), median, and the range
  native    the same as a share of the program's time alone; base: of the row that the table names
  cpu       CPU time of tracer and program, less the program's alone (what the kernel does for a tracer in the
            program's own calls is the program's, to the kernel: it is in here)
  rss       the tracer's VmHWM
  events    what it wrote down, and what it says that it lost; from a run of its own, for the timed ones write
            to /dev/null
What sees the whole machine (opensnoop, kvis open ...) runs beside the workload, its output goes nowhere."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import KVIS, QUIET, TOP, as_root_with_tracefs, build, median, runs as runs_of, stop, wait_until

PORT = 18089


def size(name, default):
    return os.environ.get(name, str(default))


def lines(path, pattern=rb""):
    with open(path, "rb") as f:
        return sum(1 for line in f if re.search(pattern, line))


def lost_in(path, pattern):
    with open(path, "rb") as f:
        return sum(int(n) for n in re.findall(pattern, f.read()))


def of_summary(where):
    with open(where("json"), "rb") as f:
        text = f.read().splitlines()[-1].decode()
    number = {k: int(v) for k, v in re.findall(r'"(syscalls|commands|lost)":(\d+)', text)}
    return number.get("syscalls", number.get("commands")), number["lost"]


def of_strace(where):
    return lines(where("out"), rb"[(]"), 0


def of_perf(where):
    return lines(where("out"), rb"[(]"), lost_in(where("out"), rb"LOST (\d+) events")


def of_snoop(where):
    return lines(where("out")) - 1, lost_in(where("err"), rb"[Ll]ost (\d+)")


SECCOMP = ["strace", "-f", "--seccomp-bpf", "-e", "trace=openat", "-o", "{out}"]
BT = 'tracepoint:raw_syscalls:sys_enter /pid == cpid/ { printf("%d %d\\n", tid, args->id); }'

# name; the row whose time it is a share of; what stands before the workload; how to read its counts; options
# of the run that counts. {out}: a file, or /dev/null in a timed run. "beside": it sees the whole machine.
WRAP = [
    ("native", None, [], None, []),
    ("strace -f", None, ["strace", "-f", "-o", "{out}"], of_strace, []),
    ("perf trace", "strace -f", ["perf", "trace", "-o", "{out}"], of_perf, []),
    ("bpftrace, the first process only", "strace -f", ["bpftrace", "-o", "{out}", "-e", BT, "-c"], of_snoop, []),
    ("kvis trace -q", "strace -f", [KVIS, "trace", "-q"], of_summary, ["--json={json}"]),
    ("kvis trace", "strace -f", [KVIS, "trace", "-o", "{out}"], of_summary, ["--json={json}"]),
    ("kvis trace -v", "strace -f", [KVIS, "trace", "-v", "-o", "{out}"], of_summary, ["--json={json}"]),
    ("kvis trace -v --json", "strace -f", [KVIS, "trace", "-v", "-q", "--json={json}"], of_summary, []),
    ("kvis trace -v -w", "strace -f", [KVIS, "trace", "-v", "-q", "-w", "{kvis}"], of_summary, ["--json={json}"]),
    ("kvis trace -v --backend=ptrace", "strace -f", [KVIS, "trace", "-v", "-o", "{out}", "--backend=ptrace"],
     of_summary, ["--json={json}"]),
    ("strace -c -f", None, ["strace", "-c", "-f", "-o", "{out}"], None, []),
    ("kvis trace -c", "strace -c -f", [KVIS, "trace", "-c", "-o", "{out}"], of_summary, ["--json={json}"]),
    ("strace --seccomp-bpf -e openat", None, SECCOMP, of_strace, []),
    ("kvis trace -e openat", SECCOMP[0] + " --seccomp-bpf -e openat",
     [KVIS, "trace", "-e", "trace=openat", "-o", "{out}"], of_summary, ["--json={json}"]),
    ("kvis proc", None, [KVIS, "proc", "-o", "{out}"], of_summary, ["--json={json}"]),
]
BESIDE = [
    ("opensnoop (libbpf-tools), beside", None, ["opensnoop"], of_snoop, []),
    ("opensnoop (bcc), beside", None, ["opensnoop-bpfcc"], of_snoop, []),
    ("kvis open, beside", "opensnoop (libbpf-tools), beside", [KVIS, "open"], of_snoop, []),
    ("execsnoop (libbpf-tools), beside", None, ["execsnoop"], of_snoop, []),
    ("kvis proc, beside", "execsnoop (libbpf-tools), beside", [KVIS, "proc"], of_snoop, []),
    ("kvis monitor, beside", None, [KVIS, "monitor", "-i", "1"], None, []),
]
PEERS = {"strace": "strace", "perf": "linux-perf", "bpftrace": "bpftrace", "opensnoop": "libbpf-tools",
         "opensnoop-bpfcc": "bpfcc-tools", "ab": "apache2-utils", "git": "git"}


class Workload:
    """A command; `server`: it runs till it is ended, and the client's time is what counts."""

    def __init__(self, name, cmd, client=None):
        self.name, self.cmd, self.client = name, cmd, client


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


def nginx(where):
    """The server's command, or None; from the package, unpacked: installed it would start one."""
    binary = shutil.which("nginx") or os.path.join(where, "usr/sbin/nginx")
    if not os.path.exists(binary):
        subprocess.run("apt-get download -qq nginx && dpkg -x nginx_*.deb .", shell=True, cwd=where,
                       **QUIET, check=False)
    if not os.path.exists(binary) or not shutil.which("ab"):
        return None
    os.makedirs(os.path.join(where, "www"), exist_ok=True)
    with open(os.path.join(where, "www/index.html"), "w") as f:
        f.write("x" * 4000)
    temp = " ".join(f"{k}_temp_path {where}/{k};" for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(os.path.join(where, "nginx.conf"), "w") as f:
        f.write(f"daemon off; master_process off; error_log stderr crit; pid {where}/nginx.pid;\n"
                f"events {{ }}\nhttp {{ {temp} access_log off; server {{ listen 127.0.0.1:{PORT}; root {where}/www; }} }}\n")
    return [binary, "-p", where, "-e", "stderr", "-c", os.path.join(where, "nginx.conf")]


def workloads(where):
    forks = size("FORKS", 500)
    shell = "i=0; while [ $i -lt %s ]; do %s; i=$((i + 1)); done"
    all_of_them = [
        Workload("start", ["/bin/true"]),
        Workload("loop", [build(where, "loop.c"), size("LOOPS", 100000)]),
        Workload("forks", ["sh", "-c", shell % (forks, "(:)")]),
        Workload("programs", ["sh", "-c", shell % (forks, "/bin/true")]),
        Workload("compile", ["gcc", "-O2", "-c", "-o", "/dev/null", os.path.join(TOP, "tests/progs/hyb.c")]),
    ]
    if shutil.which("git"):
        top = tree(where, int(size("FILES", 20000)))
        all_of_them.append(Workload("git", ["git", "-C", top, "status", "--short"]))
    server = nginx(where)
    if server:
        client = ["ab", "-q", "-n", size("REQUESTS", 10000), "-c", "8", f"http://127.0.0.1:{PORT}/index.html"]
        all_of_them.append(Workload("http", server, client))
    return all_of_them


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


def served(cmd, work, where, err=subprocess.DEVNULL):
    """The client's seconds from a server under a tracer, and the tracer's peak; None, None: it failed."""
    pid_file = os.path.join(where, "nginx.pid")
    if os.path.exists(pid_file):
        os.unlink(pid_file)
    tracer = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=err)
    peak = Peak(tracer.pid)
    if not wait_until(lambda: os.path.exists(pid_file) and os.path.getsize(pid_file)):
        tracer.kill()
        tracer.wait()
        return None, None
    time.sleep(0.2)
    start = time.monotonic()
    ok = subprocess.run(work.client, **QUIET, check=False)
    seconds = time.monotonic() - start
    with open(pid_file) as f:
        os.kill(int(f.read()), signal.SIGQUIT)
    tracer.wait()
    peak.join()
    return None if ok.returncode else seconds, peak.kb


def filled(words, files):
    return [w.format(**files) if w.startswith(("{", "--json", "--report", "-w")) else w for w in words]


def command(row, work, files, more):
    before = filled(row[2] + more, files)
    return [*before, " ".join(work.cmd)] if row[2][:1] == ["bpftrace"] else [*before, *work.cmd]


def timed(row, work, where, beside):
    """Seconds and CPU seconds of a run, or None: it failed."""
    null = dict.fromkeys(("out", "json", "kvis"), "/dev/null")
    tool = None
    if beside:
        tool = subprocess.Popen(row[2], **QUIET)
        time.sleep(1)
    before, start = cpu(), time.monotonic()
    cmd = work.cmd if beside else command(row, work, null, [])
    if work.client:
        seconds, _ = served(cmd, work, where)
    else:
        bad = subprocess.run(cmd, stdin=subprocess.DEVNULL, check=False, **QUIET).returncode
        seconds = None if bad else time.monotonic() - start
    if tool:
        stop(tool)
    return None if seconds is None else (seconds, cpu() - before)


def counted(row, work, where, beside):
    """(peak KB, events, lost) from a run of its own; None for what is not known."""
    files = {k: os.path.join(where, "counted." + k) for k in ("out", "err", "json", "kvis")}
    with open(files["out"], "wb") as out, open(files["err"], "wb") as err:
        if beside:
            tool = subprocess.Popen(row[2], stdout=out, stderr=err)
            peak = Peak(tool.pid)
            time.sleep(1)
            subprocess.run(work.cmd, **QUIET, check=False)
            time.sleep(1)
            tool.send_signal(signal.SIGINT)
        elif work.client:
            kb = served(command(row, work, files, row[4]), work, where, err)[1]
        else:
            tool = subprocess.Popen(command(row, work, files, row[4]), stdout=subprocess.DEVNULL, stderr=err)
            peak = Peak(tool.pid)
        if not work.client:
            tool.wait()
            peak.join()
            kb = peak.kb
    events = row[3](files.__getitem__) if row[3] else (None, None)
    for path in files.values():
        if os.path.exists(path):
            os.unlink(path)
    return kb, *events


def show(v, form):
    return "-" if v is None else format(v, form)


def print_row(row, runs, base, native, counts):
    seconds = [s for s, _ in runs]
    mid = median(seconds)
    of_base = f"{mid / base:.2f}" if base else "-"
    more = median([c for _, c in runs]) - native[1] if row[2] else None
    if more is not None and more < 0:  # a tool that does not wait for its children has not their time
        more = None
    kb, events, lost = counts
    print(f"{row[0]:34} {mid:9.4f} {mid / native[0]:8.2f} {of_base:>7} {show(more, '9.3f'):>9} {show(kb, 'd'):>8} "
          f"{show(events, 'd'):>9} {show(lost, 'd'):>7}   {min(seconds):.4f}-{max(seconds):.4f}")


def bench(work, where, runs):
    rows = [(r, False) for r in WRAP if not r[2] or shutil.which(r[2][0])]
    if work.name not in ("start", "loop"):  # it sees the first process only
        rows = [r for r in rows if r[0][2][:1] != ["bpftrace"]]
    rows += [(r, True) for r in BESIDE if shutil.which(r[2][0]) and not work.client]
    rows = [r for r in rows if r[0][0] == "native" or re.search(os.environ.get("ROWS", ""), r[0][0])]
    got = {r[0]: [] for r, _ in rows}
    for _ in range(runs):
        for r, beside in rows if None not in got["native"] else []:
            got[r[0]].append(timed(r, work, where, beside))
    print(f"\n{work.name:34} {'seconds':>9} {'native':>8} {'base':>7} {'cpu s':>9} {'rss KB':>8} {'events':>9} "
          f"{'lost':>7}   fastest-slowest of {runs}")
    if None in got["native"]:
        print(f"\n{work.name}: does not run here")
        return
    native = [median([x[k] for x in got["native"]]) for k in (0, 1)]
    for r, beside in rows:
        if None in got[r[0]]:
            print(f"{r[0]:34} failed")
            continue
        base = median([s for s, _ in got[r[1]]]) if got.get(r[1]) and None not in got[r[1]] else None
        counts = (None, None, None)
        if r[2]:
            counts = counted(r, work, where, beside)
        print_row(r, got[r[0]], base, native, counts)


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
        for work in workloads(where):
            if not sys.argv[2:] or work.name in sys.argv[2:]:
                bench(work, where, runs)


main()
