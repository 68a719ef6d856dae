#!/usr/bin/env python3
"""Used by the cases hybrid_same, hybrid_every and attach_same.
same_backends.py PROGRAM...: compares the same command through both backends of `kvis trace -v --json`.

PROGRAM: PROG:SCENE of tests/progs, or "sh:COMMAND"; "attached:PROGRAM": kvis -p attaches (ptrace and observe) to a shell
that then executes the program, and what comes after that is compared, without the summary. Each runs twice with ptrace and
once with BPF, without address randomization, in a fresh copy of one directory. Threads are identified by their place in the
tree of forks. Each thread must have the same events in the same order: every field, except for times, and words that differ
between the runs with ptrace (an inode, a port). The summaries are compared in the same way. Events that depend on chance
(CHANCE) are ignored, and in a tree of several processes also which of them closes a shared file last. If something differs,
more runs of both follow, up to MAX_RUNS, and then
  - every thread must be the same in at least one run of the hybrid backend, and
  - where the runs by ptrace agree on what events a thread has, every run must have just those.
Exit status: 0 the same, 1 not, 77 it cannot run here."""
import collections
import json
import os
import re
import shutil
import sys

import diff_strace

MAX_RUNS = 5
CHANCE = {"SIGCHLD", "rt_sigreturn", "futex", "sched_yield", "getrandom", "restart_syscall",  # see diff_strace.py
          "clock_nanosleep"}  # the programs of tests/progs sleep until something has come to pass
BACKEND_KEYS = {"backend", "records", "throttle_stops", "stops", "events", "table", "slowest", "peak_rss_bytes"}  # of the summary
LISTS = {"files", "peers", "connections", "failed", "regions", "time_in_calls"}  # rows of the summary in no fixed order
LONGEST = 8  # rows of longest_processes: where there are more processes, which of them those are, time decides
BY_BPF = {"sched_delay", "block_io"}  # these events exist with observe only, as some of the keys below
IN_ONE = {"pid", "tid", "max_rss_bytes", "sleep_state", "waker_comm", "waker_pid", "waker_interrupt"}
WORD = re.compile(r"\w+|[^\w]")


def as_text(value, name):
    """A value as JSON, pids replaced by places."""
    text = re.sub(r"(?<=socket:\[)\d+|(?<=pipe:\[)\d+", "*", json.dumps(value, sort_keys=True))
    text = re.sub(r"\"error\": \"ERESTART\w+\"(?=.*\"ret\": null)", '"error": null', text)  # it ended in the call
    text = re.sub(r'("SIGKILL"\].*"name": "t?g?kill", "ret": )0', r"\1null", text)  # of itself: killed before ptrace tells
    return re.sub(r"(?<![\w.])\d{3,}(?![\w.])", lambda m: name.get(int(m[0]), m[0]), text)


def row_order(row):
    """Rows of the summary by what they are about; names made up by mkstemp do not count."""
    return re.sub(r"(?<=[_/.t])[A-Za-z0-9]{6}(?=\")", "XXXXXX", json.dumps(row, sort_keys=True))


def without_times(pairs):
    return {k: v for k, v in pairs if not k.endswith("_ns")}


ATTACH = """
kvis=$1 backend=$2 json=$3; shift 3
mkfifo "$json.go"
sh -c 'read go <"$0.go"; exec "$@"' "$json" "$@" &
program=$!
"$kvis" trace -q -v --backend="$backend" --json="$json" -p $program &
kvis=$!
until [ -s "$json" ]; do sleep 0.02; done
echo >"$json.go"
wait $program
status=$?
wait $kvis && exit $status"""


class Run:
    def __init__(self, path, backend, status, attached):
        with open(path, "rb") as f:
            rows = [json.loads(line, object_pairs_hook=without_times) for line in f]
        if not rows or rows[0]["type"] != "header" or rows[-1]["type"] != "summary":
            sys.exit(f"{path}: no header or no summary")
        if rows[0]["backend"] != backend:
            sys.exit(print(f"the backend is {rows[0]['backend']}") or 77)
        self.status, self.summary, self.lost = status, rows[-1], rows[-1]["lost"]
        self.threads = collections.defaultdict(list)
        self.place = {}
        events = rows[1:-1]
        if attached:
            at = next(i for i, e in enumerate(events) if e["type"] == "exec" and not e.get("error"))
            events = [e for e in events[at + 1:] if e["type"] not in BY_BPF and e.get("signal") != "SIGKILL"]
            for e in events:
                if e.get("name") == "execve":
                    del e["args"][1:]  # which are in the event exec, if it has succeeded
                if e["type"] == "exec" and e.get("error"):
                    e["argv"] = e["argv_cut"] = None
        self.name_threads(events)
        name = {tid: f"<{where}>" for tid, where in self.place.items()}
        left_out = CHANCE | ({"close"} if any("." in where for where in self.place.values()) else set())
        for e in events:
            what = (e["type"], e.get("name") or e.get("signal") or "")
            where = self.place.get(e["tid"], "?")
            if e["type"] in left_out or what[1] in CHANCE:
                continue
            if e["type"] == "close" and "opener_pid" not in e:
                continue  # inherited, closed at the end: in 1 of 100 runs kvis's own pipe is taken for one
            self.threads[where].append((what, as_text({k: v for k, v in e.items() if k not in IN_ONE}, name)))
        self.summary["syscalls"] -= sum(e.get("name") in CHANCE for e in events)
        self.threads["summary"] = [] if attached else self.sum_up(name)

    def name_threads(self, events):
        children = collections.Counter()
        for e in events:
            if not self.place:
                self.place[e["tid"]] = "0"
            if e["type"] in ("spawn_process", "spawn_thread"):
                of = self.place.get(e["tid"], "?")
                children[of] += 1
                child = e.get("child_pid") or e.get("child_tid")
                self.place[child] = of + ("." if e["type"] == "spawn_process" else "~") + str(children[of])

    def sum_up(self, name):
        out = []
        for k, v in sorted(self.summary.items()):
            if k in BACKEND_KEYS:
                continue
            rows = [v]
            if k in LISTS:
                rows = sorted((r for r in v if isinstance(r, str) or r.get("name") not in CHANCE), key=row_order)
            elif k == "longest_processes":
                rows = sorted(v, key=lambda r: as_text(r, name)) if len(v) < LONGEST else []
            out += [((k, str(i)), as_text(r, name)) for i, r in enumerate(rows)]
        return out


def shape(events):
    return [what for what, _ in events]


def is_like(text, others):
    """Whether each word is equal in all texts, except for words that differ among the others."""
    words, *rows = [WORD.findall(t) for t in [text, *others]]
    if len(set(map(len, rows))) > 1:
        return True
    return len(words) == len(rows[0]) and all(len(set(column)) > 1 or column[0] == w for w, column in zip(words, zip(*rows)))


def differs(runs, got):
    """A text about the first difference from the ptrace runs of a thread, or None."""
    alike = [events for events in runs if shape(events) == shape(got)]
    if not alike:
        want = runs[0]
        i = next((i for i, (a, b) in enumerate(zip(want, got)) if a[0] != b[0]), min(len(want), len(got)))
        show = lambda x: " ".join(":".join(w) for w, _ in x[max(0, i - 2):i + 5])
        return f"event {i} of {len(want)} ({len(got)}):\n    ptrace … {show(want)}\n    hybrid … {show(got)}"
    for i, (what, text) in enumerate(got):
        others = [events[i][1] for events in alike]
        if text not in others and not is_like(text, others):
            return f"event {i}, {':'.join(what)}:\n    ptrace {others[0]}\n    hybrid {text}"
    return None


def lines_of(ptraces, hybrids):
    """The differences, by the rule at the head of this file."""
    out = []
    for where in sorted({w for r in ptraces + hybrids for w in r.threads}):
        runs = [r.threads[where] for r in ptraces]
        how = [differs(runs, h.threads[where]) for h in hybrids]
        if all(how):
            out.append(f"{where}: {how[0]}")
        elif where != "summary" and all(shape(r) == shape(runs[0]) for r in runs):
            count = collections.Counter(shape(runs[0]))
            got = [collections.Counter(shape(h.threads[where])) for h in hybrids]
            out += [f"{where}: in one run: {g - count} too many, {count - g} missing" for g in got if g != count]
    return out


def run(argv, backend, n, attached):
    path = os.path.join(diff_strace.HERE, f"{backend}.{n}.json")
    for old in path, path + ".go":
        if os.path.exists(old):
            os.unlink(old)
    tracer = [os.environ["KVIS"], "trace", "-q", "-v", f"--backend={backend}", "--no-ebpf", f"--json={path}"]
    if attached:
        tracer = ["sh", "-c", ATTACH, "attach", os.environ["KVIS"], backend, path]
    status, out = diff_strace.execute(tracer + ["--"] * (not attached), argv)
    with open("stderr", errors="replace") as f:
        err = f.read()
    if status == 99:  # of t.h: no such scene, or the program is wrong
        sys.exit(f"{argv}: {out.decode(errors='replace')[-300:]}")
    if status in (77, 125):
        sys.exit(print((out.decode(errors="replace").splitlines() or [err])[-1]) or 77 if status == 77 else err)
    return Run(path, backend, status, attached)


def one(what):
    """Compares the backends on one command. True when they agree."""
    for d in ("template", "run"):
        shutil.rmtree(d, ignore_errors=True)
    diff_strace.template()
    attached = what.startswith("attached:")
    head, _, scene = what.removeprefix("attached:").partition(":")
    other = "observe" if attached else "hybrid"
    argv = ["sh", "-c", scene] if head == "sh" else diff_strace.prog(head) + scene.split()
    ptraces = [run(argv, "ptrace", n, attached) for n in range(2)]
    hybrids = [run(argv, other, 0, attached)]
    wrong = lines_of(ptraces, hybrids)
    while wrong and len(hybrids) < MAX_RUNS:
        ptraces.append(run(argv, "ptrace", len(ptraces), attached))
        hybrids.append(run(argv, other, len(hybrids), attached))
        wrong = lines_of(ptraces, hybrids)
    wrong += [f"lost {h.lost}" for h in hybrids if h.lost]
    wrong += [f"exit status {h.status}, by ptrace {ptraces[0].status}" for h in hybrids if h.status != ptraces[0].status]
    for line in wrong[:8]:
        print(f"{what}: {line}")
    h = hybrids[-1]
    print(f"{'not the same' if wrong else 'same'}: {what}: {len(h.threads) - 1} threads, "
          f"{sum(len(v) for v in h.threads.values())} events, {h.summary['records']} recorded, {len(hybrids)} runs")
    return not wrong


sys.exit(not all([one(what) for what in sys.argv[1:]]))
