#!/usr/bin/env python3
# kvis diff subtracts two recordings of kvis trace: commands, files, failed calls, and calls with the parts of their time.
# tier: gate asan
# timeout: 40
# needs: python3 prog:loop prog:sec
import json
import os
from pathlib import Path

from lib import BIN, CWD, eq, has, hasnt, put, rows, run

PARTS = "on_cpu_ns", "runq_ns", "disk_ns", "other_ns"


def trace(*words):
    return run("trace", *words)


def diff(*words, status=0):
    return run("diff", *words).status(status)


def differences(*words):
    diff("--json=d", *words)
    with open("d") as f:
        return json.load(f)


def only(d, key, side):
    """The names in a table that occur in only one recording."""
    return [x["name"] for x in d[key] if x["a" if side == "b" else "b"] is None]


def check_text(out):
    has(out, r"^ +1 +- +2 B +- +-2 B +gone  .*/only_a$")
    has(out, r"^ +- +1 +- +3 B +[+]3 B +new  .*/only_b$")
    has(out, r"^ +1 +2 +2 B +4 B +[+]2 B +[+]100%  .*/both$")
    has(out, r"^ +- +1 .* new  head$")
    has(out, r"^ +2 +- +-2 +gone  openat ENOENT$")
    has(out, r"^ calls A calls B +A +B +change +%  call$")
    for line in out.replace("→", ">").splitlines():
        if "/" not in line and "Scheduler" not in line:
            assert len(line.encode()) <= 80, "wider than 80 columns: " + line


def check_commands(d):
    files_a, files_b = ({os.path.basename(n) for n in only(d, "files", side)} for side in "ab")
    assert "only_a" in files_a and "only_a" not in files_b, d
    assert "only_b" in files_b and "both" not in files_a, d
    assert "head" in only(d, "commands", "b"), d["commands"]
    cmds, files = ({x["name"]: x for x in d[k]} for k in ("commands", "files"))
    assert cmds["cat"]["a"]["runs"] == 2 and cmds["cat"]["a"]["failed"] == 1 and cmds["cat"]["b"]["failed"] == 0, cmds["cat"]
    assert cmds["head"]["a"] is None and cmds["head"]["b"]["runs"] == 1, cmds["head"]
    sleep = cmds["sleep"]
    assert sleep["change"] == sleep["b"]["own_ns"] > 190e6 and "percent" not in sleep, sleep
    sh = cmds["sh"]["b"]  # it waited for its children: that is no time of its own
    assert sh["time_ns"] > 200e6 and sh["own_ns"] < sh["time_ns"] - 190e6 and d["b"]["wall_ns"] == sh["time_ns"], (sh, d["b"])
    both = next(f for n, f in files.items() if n.endswith("/both"))
    assert (both["a"]["bytes"], both["b"]["bytes"], both["change"], both["percent"]) == (2, 4, 2, 100.0), both


def truth(events):
    """{call: [timed, cpu, runq, disk, other]} of a live --json."""
    sums = {}
    for e in events:
        if e["type"] == "syscall" and "on_cpu_ns" in e and e["ret"] is not None:
            s = sums.setdefault(e["name"], [0] * 5)
            s[0] += 1
            for i, p in enumerate(PARTS):
                s[i + 1] += e[p]
    return sums


def check_calls(d):
    """The numbers equal those of the runs' own events; numbers that a recording lacks are absent."""
    calls = {c["name"]: c for c in d["calls"]}
    for k in "ab":
        events = rows(k + ".json")
        sums, last = truth(events), events[-1]
        assert d[k]["file"] == k + ".kvis" and d[k]["syscalls"] == sum(c[k]["calls"] for c in calls.values()), k
        hybrid = d[k]["backend"] == "hybrid"
        assert hybrid == bool(sums) and hybrid == ("sched_waits" in d[k]), (k, d[k]["backend"])
        assert d[k].get("sched_wait_ns") == last.get("sched_wait_ns"), "waits for a CPU"
        for name, c in calls.items():
            got = [c[k].get(x) for x in ("timed",) + PARTS]
            assert got == (sums.get(name, [0] * 5) if hybrid else [None] * 5), (k, name, got, sums.get(name))
    assert calls["openat"]["a"]["p99_ns"] >= calls["openat"]["a"]["p50_ns"] > 0
    if d["b"]["backend"] == "hybrid":  # the sleep of B is neither CPU nor disk, and the text's row says so
        slept = [n for n in calls if n.endswith("nanosleep")]
        c = calls[slept[0]]["b"]
        assert c["timed"] == 1 and c["other_ns"] > 190e6 and c["on_cpu_ns"] < 50e6, c
        text = diff("a.kvis", "b.kvis").out
        row = next(line.split() for line in text[text.index("Where the time of system calls went"):].split("\n") if line.split()[-1:] == slept)
        assert abs(float(row[7]) - c["other_ns"] / 1e6) < 0.06 and row[6] == "0.0", row


for name, text in ("only_a", "a\n"), ("only_b", "bb\n"), ("both", "c\n"):
    put(name, text)
trace("-v", "-w", "a.kvis", "--json=a.json", "--", "sh", "-c", "cat both only_a; cat nothing nothing")
trace("-v", "-w", "b.kvis", "--json=b.json", "--", "sh", "-c", "cat both only_b; head -1 both; sleep 0.2")
check_text(diff("a.kvis", "b.kvis").out)
d = d0 = differences("a.kvis", "b.kvis")
check_commands(d)
check_calls(d)
hasnt(diff("a.kvis", "a.kvis").out, "gone|new|Failed|change")

# A call that only one recording traces is not a change.
trace("-v", "-e", "trace=openat", "-w", "some.kvis", "--", "cat", "both", "nothing")
trace("-v", "-w", "all.kvis", "--", "cat", "both", "nothing")
d = differences("some.kvis", "all.kvis")
assert d["other_calls"] and [c["name"] for c in d["calls"]] == ["openat"], d["calls"]
assert not [c for c in d["failed"] if c["name"] != "openat"], d["failed"]
out = diff("some.kvis", "all.kvis").out
has(out, "^ Different calls were traced [(]-e[)]")
hasnt(out, " new  [a-z_0-9]+$")
hasnt(diff("all.kvis", "all.kvis").out, "Different calls")

# Names that differ by chance are one: of mkstemp(3), and with the number of a process in them. Others are not.
for f, side in ("1", "a"), ("2", "b"):
    trace("-q", "-w", f"t{f}.kvis", "--", "sh", "-c", f"""mkdir tmp
        for i in Ab3d xYzQ QwEr; do echo x >tmp/cc$i{f}Z.s; cat tmp/cc$i{f}Z.s; done
        echo x >pid.$$; echo x >999999{f}.sql; echo x >word_{f}; echo x >Word{f}Name; echo x >tmp/report{f}; echo x >tmp/a_word_{side}; rm -r tmp""")
d = differences("t1.kvis", "t2.kvis")
for f, side in ("1", "a"), ("2", "b"):
    word = [] if "/tmp/" in CWD else [f"999999{f}.sql", f"Word{f}Name"]  # there it could be mkstemp's
    here = [os.path.relpath(n, CWD) for n in only(d, "files", side) if n.startswith(CWD + "/")]
    eq("files only in " + side, [*word, "tmp/a_word_" + side, "tmp/report" + f, "word_" + f], sorted(here))

out = diff("--by=line", "a.kvis", "b.kvis").out
has(out, r"^ +- +1 .* new  sleep 0.2$")
has(out, r"gone  cat both only_a$")
trace("-q", "-w", "long.kvis", "--", "true", "x" + "ä" * 300)
has(diff("--by=line", "a.kvis", "long.kvis").out, r"new  true xä{251}\.\.\.$")
# B sleeps and A does not, but which of them takes longer depends on the load of the machine.
wall = {"a": d0["a"]["wall_ns"], "b": d0["b"]["wall_ns"]}
longer = max(wall, key=wall.get)
shorter = "ab".replace(longer, "")
limit = int(100 * (wall[longer] / wall[shorter] - 1))  # whole percent, rounded down
if limit > 0:
    said = diff(f"--fail-above={limit - 1}", shorter + ".kvis", longer + ".kvis", status=1).err
    has(said, rf"B took [0-9.]+ % longer than run A .threshold {limit - 1} %.$")
eq("B is not that much longer", "", diff(f"--fail-above={limit + 1}", shorter + ".kvis", longer + ".kvis").err)
eq("B is shorter", "", diff("--fail-above=0", longer + ".kvis", shorter + ".kvis").err)
diff("--fail-above=0", "a.kvis", "a.kvis")
diff("--fail-above=999999", "--json", "a.kvis", "b.kvis")
diff("--fail-above=x", "a.kvis", "b.kvis", status=2)

# n/a where a recording does not have it: no calls, or by ptrace.
trace("-q", "-v", "--backend=ptrace", "-w", "p.kvis", "--", BIN + "/loop", "10")
trace("-q", "-w", "n.kvis", "--backend=ptrace", "--", BIN + "/loop", "10")
out = diff("p.kvis", "n.kvis").out
for row in (r"^ +[0-9]+ +n/a +[0-9.]+ us +n/a +n/a +-  read$", r"^ +[0-9.]+ +n/a +[0-9.]+ +n/a  read$",
            "Where the time went: n/a", "A Scheduler: n/a", "B Scheduler: n/a"):
    has(out, row)
out = diff("n.kvis", "n.kvis").out
has(out, "System calls: n/a .not recorded")
trace("-q", "-w", "n2.kvis", "--backend=ptrace", "--", "sh", "-c", "sleep 0.3; cat both nothing")
hasnt(diff("n.kvis", "n2.kvis").out, r"^ calls A|n/a +- +[a-z_0-9]+$|[+][0-9]{4,}%")

# A recording holds 256 kinds of failures; whether there were others is unknown.
for side, more in ("f", "600 900"), ("g", "133 133"):
    trace("-q", "-e", "trace=getpriority", "--backend=ptrace", "-w", side + ".kvis", "--", "sh", "-c", '"$0" errnos %s && "$0" errnos 133 133' % more, BIN + "/sec").status(0)
has(diff("f.kvis", "g.kvis").out, "^ +1 +- +-1 +gone  getpriority 600$")
d = differences("f.kvis", "g.kvis")
eq("errors without a name", [str(e) for e in range(600, 856)], sorted(f["error"] for f in d["failed"] if "a" in f))
eq("n/a in one", [{"name": "getpriority", "error": "EHWPOISON", "b": 2}], [f for f in d["failed"] if f["error"] == "EHWPOISON"])
has(diff("g.kvis", "f.kvis").out, r"^ +2 +n/a +n/a +-  getpriority EHWPOISON$")
d = differences("p.kvis", "n.kvis")
assert d["calls"] and all(set(c["b"]) == set() and "timed" not in c["a"] for c in d["calls"]), d["calls"][0]
diff("a.kvis", status=2)
put("cut.kvis", Path("a.kvis").read_bytes()[:3000])
has(diff("a.kvis", "cut.kvis", status=125).err, "cut.kvis: truncated at offset")
