#!/usr/bin/env python3
"""Used by the case trace_strace, lib/same_backends.py and vm/same_calls.py.
Compares what `strace -f` and `kvis trace -v --json` record of the same command.

Both record every call of every process. Compared are, per process (found by its place in the
tree of forks and by what it executes, since pids differ):
  - the calls: name and result (number, address or errno), in order where one thread made them
  - the signals, the exit code or signal
  - what the command itself printed and returned.
Only reads and writes of pipes and sockets are left out: how many calls pass the bytes, timing decides.
What may differ is what differs between runs of strace itself: it runs
three times, kvis once by each of its backends. Where the runs of strace agree, kvis must agree
exactly; where they do not, the call must be there in a like number, with an errno that strace saw.
(The calls of CONTENTION are taken to vary unseen in a process with several threads: how long a
tracer stops a thread changes who meets whom. The hybrid backend stops none for them, so there they
may be as few as the program makes alone, down to none.) When kvis differs nevertheless, strace and
that backend run again, up to MAX_RUNS, and then
  - every process must be exactly right in at least one run of kvis, and
  - in every run the numbers of all calls must be right, by name, but for these, the calls that
    vary somewhere in this program under strace, and CHANCE. So a call missed now and then is found.
The last line says how much was compared exactly and which calls were unstable under strace."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

import j

Counter = collections.Counter
HERE = os.getcwd()
RUN = os.path.join(HERE, "run")    # the command's directory: the same name in each run
STRACE_RUNS, MAX_RUNS = 3, 8
CONTENTION = {"futex", "sched_yield"}  # in a process with several threads
STREAM = " on a stream"             # after the name of a read or write on a pipe or socket
CHANCE = set("""getrandom poll ppoll select pselect6 epoll_wait epoll_pwait""".split())
# glibc draws again (tempname.c), one wake-up may bring two readinesses


def stream(call, arg0, pattern):
    return call._replace(name=call.name + STREAM) if call.name in STREAM_CALLS and re.match(pattern, arg0) else call


Call = collections.namedtuple("Call", "name ret err")  # ret: int, None (never returned) or a name


class Thread:
    def __init__(self, tid):
        self.tid, self.calls, self.children, self.end = tid, [], [], None
        self.signals = Counter()


class Process:
    """Everything a process did. `where` is its place: "0" the command, "0.2" its second child."""

    def __init__(self, where):
        self.where, self.program, self.threads, self.end = where, "", [], None
        self.children = 0
        self.signals = Counter()


class Run:
    def __init__(self):
        self.threads = {}          # tid -> Thread
        self.is_thread = set()     # tids made by CLONE_THREAD
        self.programs = {}         # tid -> last program executed
        self.processes = {}        # where -> Process
        self.status = self.stdout = self.backend = None
        self.lost = 0

    def thread(self, tid):
        return self.threads.setdefault(tid, Thread(tid))


# Calls whose result is a pid: compared as the place in the tree that it stands for.
PID_RESULT = set("""clone clone3 fork vfork wait4 getpid gettid getppid set_tid_address getpgrp getpgid
                    setsid getsid""".split())
SPAWN = {"clone", "clone3", "fork", "vfork"}


def build(run, root):
    """Names the places, gives each process its threads and facts, and makes results comparable."""
    place = {}

    def walk(tid, where, process):
        if process is None:
            process = run.processes[where] = Process(where)
        place[tid] = where
        t = run.thread(tid)
        process.threads.append(t)
        process.program = run.programs.get(tid, process.program)
        process.signals += t.signals
        if len(process.threads) == 1 or t.end:
            process.end = t.end or process.end
        for i, child in enumerate(t.children, 1):
            if child in run.is_thread:
                walk(child, f"{where}~{i}", process)
            else:
                process.children += 1
                walk(child, f"{where}.{i}", None)

    walk(root, "0", None)
    for t in run.threads.values():
        if t.tid not in place:
            sys.exit(f"a thread without a parent: {t.tid}: {t.calls[:3]}")
        t.calls = [c._replace(ret="pid " + place.get(c.ret, "of another"))
                   if c.name in PID_RESULT and c.ret and c.ret > 0 else c for c in t.calls]
    return run


LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(?:<.*?>(?:\(deleted\))?)?(?: (.*))?$")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
STREAM_CALLS = set("""read pread64 readv preadv preadv2 recvfrom recvmsg recv write pwrite64 writev pwritev pwritev2
                       sendto sendmsg send""".split())


UNNAMED = {"syscall_0x102": "riscv_hwprobe"}  # by the strace of Debian 13


def strace_line(run, tid, line):
    t = run.thread(tid)
    m = re.match(r"^--- (SIG\w+|stopped by SIG\w+) ", line)
    if m:
        t.signals[m[1]] += not m[1].startswith("stopped")
        return
    m = re.match(r"^\+\+\+ (?:exited with (\d+)|killed by (SIG\w+)(?: \(core dumped\))?) \+\+\+$", line)
    if m:
        t.end = m[1] or m[2]
        return
    m = LINE.match(line) or re.match(r"^(\w+)\((.*?),? ?<unfinished \.\.\.>\)?()()$", line)
    if not m:
        sys.exit(f"cannot read this line of strace: {line}")
    name, text, ret, tail = m.groups()
    name = UNNAMED.get(name, name)
    err = (re.match(r"E[A-Z0-9]+", tail or "") or [None])[0] if ret in ("-1", "?") else None
    ret = None if ret in ("?", "") else int(ret, 8 if re.match(r"0\d", ret) else 0)  # umask is octal
    t.calls.append(stream(Call(name, ret, err), text, r"\d+<(TCP|UDP|UNIX|\\x70\\x69\\x70\\x65\\x3a)"))
    if name in SPAWN and ret and ret > 0:
        t.children.append(ret)
        if "CLONE_THREAD" in text:
            run.is_thread.add(ret)
    elif name in ("execve", "execveat") and err is None and ret == 0:
        run.programs[tid] = os.path.basename(bytes.fromhex(STRING.search(text)[1].replace(r"\x", "")).decode())


def read_strace(prefix):
    run = Run()
    files = {int(f.rsplit(".", 1)[1]): f for f in glob.glob(glob.escape(prefix) + ".*")}
    for tid, name in files.items():
        with open(name, encoding="ascii") as f:
            for line in f:
                strace_line(run, tid, line.rstrip("\n"))
    children = {c for t in run.threads.values() for c in t.children}
    roots = set(files) - children
    if len(roots) != 1:
        sys.exit(f"strace: {len(roots)} processes without a parent")
    return build(run, roots.pop())


def kvis_event(run, e):
    kind, tid = e["type"], e["tid"]
    t = run.thread(tid)
    err = e.get("error")
    if kind == "syscall":
        ret = int(e["ret"], 0) if isinstance(e["ret"], str) else e["ret"]
        call = Call(e["name"], -1 if err and ret is not None else ret, err)
        t.calls.append(stream(call, str(e["args"][0]), r"\d+<(pipe:|tcp|udp|unix)") if e["args"] else call)
        if e["name"] in SPAWN and not err and ret:
            t.children.append(ret)
    elif kind == "spawn_thread":
        run.is_thread.add(e["child_tid"])
    elif kind == "exec" and not err:
        run.programs[tid] = os.path.basename(e["program"])
    elif kind == "signal":
        t.signals[e["signal"]] += 1
    elif kind in ("exit_thread", "exit_process"):
        run.thread(e["exit_pid"]).end = str(e["signal"] if e.get("signal") else e["code"])


def read_kvis(name):
    run = Run()
    with open(name, "rb") as f:
        objects = j.load(f)
    for e in objects[1:-1]:
        kvis_event(run, e)
    run.lost, run.backend = objects[-1]["lost"], objects[0]["backend"]
    return build(run, next(e["tid"] for e in objects[1:] if e["type"] == "syscall"))


class Report:
    """Compares one run of kvis with those of strace. With `loose`, the names of calls that vary under strace
    somewhere in this program, calls are counted by name instead, and these may vary."""

    def __init__(self, loose=None):
        self.loose, self.lines, self.bad = loose, [], set()
        self.exact, self.unstable = 0, Counter()

    def differ(self, where, what):
        self.lines.append(f"{where}: {what}")
        self.bad.add(where)

    def counters(self, where, what, straces, kvis, vary=(), fewer=()):
        """Tables of numbers, exact except for the keys in `vary` and those that vary in straces. Numbers
        of keys in `fewer` may be lower, but not higher than in the straces."""
        for key in sorted({k for c in straces + [kvis] for k in c}, key=str):
            s = [c[key] for c in straces]
            low, high = min(s), max(s)
            name = key[0] if isinstance(key, tuple) else key
            if name in fewer:
                low = 0
            elif low == high and name not in vary:
                self.exact += 1
            else:
                low, high = low // 4 - 4, high * 4 + 8  # numbers like these, because timing decides
            if not low <= kvis[key] <= high:
                self.differ(where, f"{what} {key}: strace {s}, kvis {kvis[key]}")

    def sequence(self, where, note, want, got):
        self.exact += len(want)
        if want == got:
            return
        i = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))

        def show(calls):
            return " ".join(f"{c.name}={c.err or (hex(c.ret) if isinstance(c.ret, int) and c.ret > 9 else c.ret)}"
                            for c in calls[max(i - 2, 0):i + 4])
        self.differ(where, f"call {i} of {len(want)} ({len(got)} in kvis){note}:\n"
                           f"    strace … {show(want)} …\n    kvis   … {show(got)} …")

    def calls(self, where, straces, kvis, hybrid):
        """Calls of a process. straces: a list of runs, kvis: a run; a run: calls by thread."""
        def by_name(threads):
            table = collections.defaultdict(list)
            for calls in threads:
                for c in calls:
                    table[c.name].append(c)
            if len(threads) > 1:  # which thread gets which piece of work is chance
                for v in table.values():
                    v.sort(key=str)
            return table
        tables, ktable = [by_name(t) for t in straces], by_name(kvis)
        names = {n for t in tables + [ktable] for n in t}
        varies = {n for n in names if any(t[n] != tables[0][n] for t in tables)}
        for n in varies:
            self.unstable[n] += 1
        if len(kvis) > 1:
            varies |= names & CONTENTION
        if self.loose is not None:
            varies |= names & (self.loose | CHANCE)
            self.counters(where, "number of", [Counter({n: len(t[n]) for n in names - varies}) for t in tables],
                          Counter({n: len(ktable[n]) for n in names - varies}))
            names = varies
        ordered = [[c for calls in t for c in calls if c.name in names - varies] for t in straces + [kvis]]
        if len(kvis) == 1 and all(len(t) == 1 and o == ordered[0] for t, o in zip(straces, ordered)):
            self.sequence(where, "", ordered[0], ordered[-1])
        else:
            for n in sorted(names - varies):
                self.sequence(where, f" of {n}, in no order", tables[0][n], ktable[n])

        def count(table):
            return Counter((n, None if n in CONTENTION else c.err) for n in varies for c in table[n])
        self.counters(where, "number of", [count(t) for t in tables], count(ktable),
                      varies if self.loose is not None else CONTENTION,
                      CONTENTION if hybrid and len(kvis) > 1 else ())


def blur(calls, leave_out):
    """The calls that are compared. Which of several children ends first is the scheduler's choice: see reaped(). A
    fork that meets a signal begins again as if it had not begun (ERESTARTNOINTR)."""
    return [c._replace(ret="a child") if c.name == "wait4" and isinstance(c.ret, str) else c
            for c in calls if c.name not in leave_out and not c.name.endswith(STREAM) and c.err != "ERESTARTNOINTR"]


def seen(thread):
    """The calls of a thread. If SIGKILL ended the thread, only the hybrid backend knows the result of its last call: there
    was no stop at its end."""
    cut = len(thread.calls) - (thread.end == "SIGKILL")
    return thread.calls[:cut] + [c._replace(ret=None, err=None) for c in thread.calls[cut:]]


def reaped(process):
    """The children that wait4 returned. Whether a signal interrupts wait4 before that, the scheduler decides."""
    return Counter(c.ret for t in process.threads for c in t.calls if c.name == "wait4" and isinstance(c.ret, str))


def compare(straces, kvis, loose=None):
    """A Report; its lines are the differences."""
    rep = Report(loose)
    trees = [sorted((p.where, p.program) for p in r.processes.values()) for r in straces]
    tree = sorted((p.where, p.program) for p in kvis.processes.values())
    if tree not in trees:
        rep.differ("tree", f"strace {set(trees[0]) - set(tree)}, kvis {set(tree) - set(trees[0])}")
    for where in sorted(set.intersection(*(set(r.processes) for r in straces + [kvis]))):
        s, k = [r.processes[where] for r in straces], kvis.processes[where]
        label = f"{where} {k.program}"
        # A SIGCHLD that meets a pending one is lost in it, and its handler runs between any two calls: the scheduler decides.
        coalesce = {"SIGCHLD", "rt_sigreturn"} if any(p.signals["SIGCHLD"] for p in s + [k]) else set()
        if coalesce and not min(1, *(p.signals["SIGCHLD"] for p in s)) <= k.signals["SIGCHLD"] <= k.children:
            rep.differ(label, f"{k.signals['SIGCHLD']} SIGCHLD of {k.children} children")
        calls = [[blur(seen(t), coalesce) for t in p.threads] for p in s + [k]]
        rep.calls(label, calls[:-1], calls[-1], kvis.backend == "hybrid")
        rep.counters(label, "reaped", [reaped(p) for p in s], reaped(k))
        rep.counters(label, "threads", [Counter(n=len(p.threads)) for p in s], Counter(n=len(k.threads)))
        rep.counters(label, "end", [Counter([str(p.end)]) for p in s], Counter([str(k.end)]))
        signals = [Counter({n: c for n, c in p.signals.items() if n not in coalesce}) for p in s + [k]]
        rep.counters(label, "signal", signals[:-1], signals[-1])
    rep.counters("command", "exit status", [Counter([r.status]) for r in straces], Counter([kvis.status]))
    if len({r.stdout for r in straces}) == 1:
        rep.counters("command", "stdout", [Counter([r.stdout]) for r in straces], Counter([kvis.stdout]))
    rep.counters("summary", "lost", [Counter()], Counter(lost=kvis.lost))
    return rep


def judge(straces, kvises):
    """Returns the first Report, and the differences that remain: see the rule at the head of this file."""
    reports = [compare(straces, k) for k in kvises]
    never_right = set.intersection(*(r.bad for r in reports))
    wrong = [line for line in reports[0].lines if line.split(": ")[0] in never_right]
    for r, k in zip(reports, kvises):
        if r.lines and not wrong:
            wrong = compare(straces, k, frozenset(r.unstable)).lines
    return reports[0], wrong


ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "HOME": RUN, "TMPDIR": RUN, "MALLOC_ARENA_MAX": "1"}


def execute(tracer, argv):
    """Runs the command in a fresh copy of the template; addresses are not randomised."""
    shutil.rmtree(RUN, ignore_errors=True)
    shutil.copytree("template", RUN, symlinks=True)
    env = dict(ENV, **{k: v for k, v in os.environ.items() if k in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "KVIS_CASE")})
    with open("stdout", "wb") as out, open("stderr", "wb") as err:
        # stderr is a pipe: kvis writes there as well, and in a file that would move the offset.
        done = subprocess.run(["setarch", "-R"] + tracer + argv, cwd=RUN, env=env, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=subprocess.PIPE)
        err.write(done.stderr)
    with open("stdout", "rb") as f:
        return done.returncode, f.read()


def run_strace(argv, n):
    prefix = os.path.join(HERE, f"strace.{n}", "log")
    os.makedirs(os.path.dirname(prefix))
    status = execute(["strace", "-ff", "-o", prefix, "-a1", "-xx", "-yy", "-s0", "-e", "signal=all",
                      "-e", "quiet=attach,path-resolution,personality,thread-execve", "--"], argv)
    run = read_strace(prefix)
    run.status, run.stdout = status
    return run


def run_kvis(argv, n, backend):
    name = os.path.join(HERE, f"kvis.{n}.{backend}.json")
    status = execute([os.environ["KVIS"], "trace", "-v", f"--backend={backend}", f"--json={name}", "--"], argv)
    shutil.copy("stderr", f"kvis.{n}.{backend}.stderr")
    try:
        run = read_kvis(name)
    except (OSError, ValueError, LookupError) as e:
        with open("stderr", errors="replace") as f:
            sys.exit(f"kvis: exit status {status[0]}: {type(e).__name__} {e}\n{f.read()[-2000:]}")
    run.status, run.stdout = status
    return run


def template(**files):
    """The files that the program finds in its directory; NAME__c is NAME.c."""
    for d in glob.glob("strace.*") + ["template"]:
        shutil.rmtree(d, ignore_errors=True)
    os.makedirs("template")
    for name, text in files.items():
        with open(os.path.join("template", name.replace("__", ".")), "w") as f:
            f.write(text)


def prog(name):
    return [os.path.join(os.environ["BIN"], name)]


def check_backend(argv, straces, kvis, backend):
    """The number of differences; both run again while there are some. New runs go into straces."""
    kvises = [kvis]
    rep, wrong = judge(straces, kvises)
    while wrong and len(kvises) < MAX_RUNS - STRACE_RUNS:
        if len(straces) < MAX_RUNS:
            straces.append(run_strace(argv, len(straces)))
        kvises.append(run_kvis(argv, 100 + len(kvises), backend))
        rep, wrong = judge(straces, kvises)
    for line in wrong[:40]:
        print(line)
    r = straces[0]
    unstable = ", ".join(f"{n} ({c})" for n, c in rep.unstable.most_common()) or "none"
    print(f"{kvis.backend}: {len(r.processes)} processes, {len(r.threads)} threads, "
          f"{sum(len(t.calls) for t in r.threads.values())} calls; {rep.exact} items compared exactly; "
          f"{len(straces)} runs of strace, {len(kvises)} of kvis; unstable under strace (processes): {unstable}")
    return len(wrong)


def check_program(argv, **files):
    template(**files)
    straces = [run_strace(argv, n) for n in range(STRACE_RUNS)]
    wrong = 0
    for backend in "auto", "ptrace":
        kvis = run_kvis(argv, 100, backend)
        wrong += check_backend(argv, straces, kvis, backend)
        if kvis.backend != "hybrid":  # that was all there is
            break
    if wrong:
        sys.exit(f"{wrong} differences")
