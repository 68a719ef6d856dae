#!/usr/bin/env python3
# The report, recording and Perfetto trace of kvis proc agree with its JSON.
# tier: browser
# timeout: 120
# needs: root chromium gcc make python3 prog:cmd
import filecmp
import json
import os
import subprocess
import sys

from lib import BIN, CWD, TESTS, eq, has, hasnt, put, rows, run

os.environ["HOME"] = CWD
from browser import Browser, check, span
from critical import critical_path

MAKEFILE = r"""all: prog odd bad
prog: o1.o o2.o o3.o
	@gcc -o $@ $^
o%.o: gen%.c
	@gcc -O2 -c -o $@ $<
gen%.c:
	@sh -c 'echo "int f$*(void) { return $*; }" >$@; [ $* != 1 ] || echo "int main(void) { return 0; }" >>$@; sleep 0.0$*'
odd: prog
	@sh -c './prog && exec sleep 0.05'
	@sh -c 'printf "%s" "<img src=x onerror=alert(1)>" >/dev/null; exec true "<b>" "$$(printf "a\033[31m\377")"'
bad: prog
	-@sh -c 'kill -TERM $$$$'
	-@sh -c '/nonexistent/x; exit 3' 2>/dev/null
"""


def processes(lines):
    """The rows of each process merged into one, by pid. (No pid is reused in so short a run.)"""
    procs = {}
    for e in lines:
        if e["type"] not in ("command", "process"):
            continue
        p = procs.setdefault(e["pid"], {"pid": e["pid"], "ppid": e["ppid"], "start": e["fork_ns"], "argv": []})
        if e["type"] == "command":
            p["argv"].append(e["argv"])
        if e["end"] in ("exit", "signal"):
            p.update(end=e["ts_ns"], exit=e["signal"] or str(e["exit_code"]), cpu=e.get("cpu_ns"))
    return procs


def table(b):
    """The table's cells by pid and column head. The window is tall enough for all rows."""
    return {int(r["pid"]): r for r in (dict(zip(b.columns(), r)) for r in b.table())}


def same_events(lines, events, procs):
    """The events of the recording match the JSON rows."""
    def execs(error):
        return sorted((e["pid"], e["program"], e["argv"], e.get("error")) for e in events if e["type"] == "exec" and ("error" in e) == error)

    def of(kind):
        return sorted((e["pid"], e["path"], e["argv"], e.get("error")) for e in lines if e["type"] == kind)
    eq("commands", of("command"), execs(False))
    check(of("exec_failed") == execs(True) != [], "failed", execs(True))
    ends = {e["pid"]: (e["ts_ns"], e.get("signal") or str(e["code"])) for e in events if e["type"] == "exit_process"}
    eq("ends", {p["pid"]: (p["end"], p["exit"]) for p in procs.values()}, ends)
    last = events[-1]
    check(last["commands"] == len(execs(False)) and last["processes"] == len(ends), "summary", last)
    check("file_bytes_read" not in last and "syscalls" not in last, "numbers of calls that nobody saw", last)


def page(b, s, procs, own):
    b.size(1500, 4000)
    b.open("r.html")
    b.drawn()
    got = table(b)
    eq("processes", set(procs), set(got))
    eq("bars", len(procs), b.lanes())
    for pid, p in procs.items():
        r = got[pid]
        check(r["exit"] == p["exit"], "exit", p, r)
        check(r["duration"] == span(p["end"] - p["start"]), "duration", p, r)
        check(r["CPU"] == (span(p["cpu"]) if p["cpu"] else ""), "CPU", p, r)
        check(not p["argv"] or p["argv"][-1][0] in r["command"], "command", p, r)
        check(r["critical"] == (span(own[pid]) if pid in own else ""), "critical path", own.get(pid), p, r)
    c = b.cards()
    check(b.js("[...document.querySelectorAll('.card')].every(c => c.scrollWidth <= c.clientWidth)"), "cards are too narrow")
    for name, v in (("processes commands", s["commands"]), ("processes processes", s["forks"] + 1), ("recording lost", 0),
                    ("critical path processes", len(own)), ("ends exit 0", sum(p["exit"] == "0" for p in procs.values())),
                    ("ends by a signal", sum(p["exit"].startswith("SIG") for p in procs.values()))):
        check(c.get(name) == str(v), name, c, v)
    check(c["use CPU"] == span(s["cpu_ns"]), "CPU of all", c["use CPU"], s["cpu_ns"])
    check(not any(k.startswith(("memory", "file", "network", "scheduler", "block")) for k in c), "cards without anything to say", c)
    eq("tabs", ["processes", "flame", "events"], b.js("[...document.querySelectorAll('#tabs button')].map(t => t.textContent)"))
    # a pointer on the middle of each bar shows this process
    left, top, width, _ = b.box("#line")
    lo, hi = b.nanoseconds()
    for k, pid in enumerate(got):
        p = procs[pid]
        x, y = left + 190 + ((p["start"] + p["end"]) / 2 - lo) / (hi - lo) * (width - 190), top + 18 + 20 * k + 8
        tip = b.hover(x, y)
        check(f"pid {pid}" in tip and p["exit"] in tip, "bar", p, tip)
    b.press(x, y)
    check(f"pid {pid}" in b.text("#detail pre"), "a click tells of the process")
    b.key("Escape", "#line")


def controls(b, procs, own):
    b.click("#hot")
    check(set(table(b)) == set(own) and b.lanes() == len(own), "critical path only", set(table(b)) ^ set(own))
    check(b.js("document.querySelector('#legend span:last-child').title"), "the path is not explained")
    b.click("#hot")
    for text, want in ("cc1", {pid for pid, p in procs.items() if any("cc1" in " ".join(a).lower() for a in p["argv"])}), ("", set(procs)):
        b.fill("#find", text)
        check(want and set(table(b)) == want, "search", set(table(b)) ^ want)
    b.fill("#find", "onerror=")
    check(table(b) and b.js("document.images.length") == 0, "a hostile argument")
    b.fill("#find", "")
    pid, p = max(procs.items(), key=lambda p: len(p[1]["argv"]))
    told = json.loads(b.js(f"""(() => {{ let text; navigator.clipboard.writeText = s => (text = s, Promise.resolve());
        [...document.querySelectorAll('#table .row:not(.head)')].find(r => r.children[1].textContent === '{pid}').click();
        document.querySelector('#copy').click();
        return text; }})()"""))
    check((told["pid"], told["ppid"] or p["ppid"], told["end_ns"]) == (pid, p["ppid"], p["end"]), "copied", told, p)
    check([e["argv"] for e in told["execs"] if "error" not in e] == p["argv"] and told.get("cpu_ns") == p["cpu"], "copied commands", told, p)
    check(str(told.get("signal", told.get("code"))) == p["exit"], "copied end", told, p)


os.mkdir("build")
put("build/Makefile", MAKEFILE)
run("proc", "-x", "--forks", "--json=../json", "-o", "../text", "-w", "../r.kvis", "--report=../r.html", "--perfetto=../p", "--",
    "make", "-j2", cwd="build").status(0)
lines = rows()
s = lines[-1]
check(s["lost"] == 0 and s["ends_unseen"] == 0 and s["commands"] > 15, "the build", s)
shown = run("replay", "--json=events", "r.kvis").status(0).err
has(shown, " gcc -O2 -c -o o1.o gen1.c")
has(shown, "^make: [0-9.]+ m?s, [0-9]+ commands, [0-9]+ processes, CPU ")
hasnt(shown, "emory|I/O|calls")
procs = processes(lines)
events = rows("events")
root = next(e["pid"] for e in events if e["type"] == "exec")
same_events(lines, events, procs)
procs[root]["start"] = min(e["start_ns"] for e in lines if e["type"] == "command" and e["pid"] == root)
own = {pid: ns for (pid, _), ns in critical_path([(p["start"], p["end"], p["pid"], p["ppid"]) for p in procs.values()], root).items()}
with Browser() as b:
    page(b, s, procs, own)
    controls(b, procs, own)
    b.size(1200, 900, True)
    b.open("r.html")
# the replay writes the same page, trace and events
run("replay", "-q", "--report=r2.html", "--perfetto=p2", "-w", "r2.kvis", "r.kvis").status(0)
run("replay", "-q", "--json=events2", "r2.kvis").status(0)
for one, other in ("r.html", "r2.html"), ("p", "p2"), ("events", "events2"):
    check(filecmp.cmp(one, other, False), "other bytes from the replay", other)
subprocess.run([sys.executable, TESTS + "/lib/perfetto.py", "p", "events"], check=True)
# -T records threads; filters select rows, not recorded events
run("proc", "-T", "-n", "nothing_has_this_name", "-w", "t.kvis", "-o", "rows", "--", BIN + "/cmd", "threads").status(0)
run("replay", "--json=events", "-q", "t.kvis").status(0)
kinds = [e["type"] for e in rows("events")]
check("exec" in kinds and "spawn_thread" in kinds, "threads", kinds)
eq("ends of threads", kinds.count("spawn_thread") + kinds.count("exit_process"), kinds.count("exit_thread"))
