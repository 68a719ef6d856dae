#!/usr/bin/env python3
"""Used by the case proc_report.
proc_report.py JSON EVENTS PAGE: compares the report of a `kvis proc --forks -x --json` run in Chromium
(rows, bars, cards, critical path), and the events of its recording, with the JSON rows."""
import json
import sys

from browser import Browser, check, span


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def processes(rows):
    """One a pid (none is used twice in so short a run): what its rows say together."""
    procs = {}
    for e in rows:
        if e["type"] not in ("command", "process"):
            continue
        p = procs.setdefault(e["pid"], {"pid": e["pid"], "ppid": e["ppid"], "start": e["fork_ns"], "argv": []})
        if e["type"] == "command":
            p["argv"].append(e["argv"])
        if e["end"] in ("exit", "signal"):
            p.update(end=e["ts_ns"], exit=e["signal"] or str(e["exit_code"]), cpu=e.get("cpu_ns"),
                     rss=e.get("max_rss_bytes"), written=e["written_bytes"])
    return procs


def critical(procs, root):
    """From the end backwards: what P waited for at t is its child that ended last at or before t."""
    own, todo = {}, [(root, procs[root]["end"])]
    while todo:
        pid, t = todo.pop()
        at = procs[pid]["start"]
        kids = [c for c in procs.values() if c["ppid"] == pid and c["end"] <= t and c["pid"] not in own and c["start"] < t]
        last = max(kids, key=lambda c: c["end"], default=None)
        own[pid] = own.get(pid, 0) + t - (last["end"] if last else at)
        if last:
            todo += [(pid, last["start"]), (last["pid"], last["end"])]
    return own


def nanoseconds(text):
    n, unit = text.split()
    return float(n) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]


def near(text, ns):
    """Rounding differs between the two languages where a digit is a 5."""
    return text == span(ns) or abs(nanoseconds(text) - ns) <= 0.006 * max(ns, 1) + 1


def table(b):
    """Rows by the heads of their columns; the window is tall enough for all."""
    return b.js("""(() => { const h = [...document.querySelectorAll('#table .head button')].map(x => x.textContent.replace(/ [▾▴]/, ''));
        return [...document.querySelectorAll('#table .row:not(.head)')].map(r => Object.fromEntries([...r.children].map(
        (c, i) => [h[i], c.textContent]))); })()""")


def same_events(rows, events):
    execs = [(e["pid"], e["program"], e["argv"]) for e in events if e["type"] == "exec" and "error" not in e]
    commands = [(e["pid"], e["path"], e["argv"]) for e in rows if e["type"] == "command"]
    check(sorted(execs) == sorted(commands), "commands", set(map(str, execs)) ^ set(map(str, commands)))
    bad = [(e["pid"], e["program"], e["error"]) for e in events if e["type"] == "exec" and "error" in e]
    check(sorted(bad) == sorted((e["pid"], e["path"], e["error"]) for e in rows if e["type"] == "exec_failed") != [], "failed", bad)
    ends = {e["pid"]: (e["ts_ns"], e.get("signal") or str(e["code"])) for e in events if e["type"] == "exit_process"}
    check(ends == {p["pid"]: (p["end"], p["exit"]) for p in processes(rows).values()}, "ends", ends)
    last = events[-1]
    check(last["type"] == "summary" and last["commands"] == len(commands) and last["processes"] == len(ends), "summary", last)
    check("file_bytes_read" not in last and "syscalls" not in last, "numbers of calls that nobody saw", last)


def page(b, path, rows, procs, root):
    procs[root]["start"] = min(e["start_ns"] for e in rows if e["type"] == "command" and e["pid"] == root)
    own = critical(procs, root)
    check(sum(own.values()) == procs[root]["end"] - procs[root]["start"], "the parts of the path are not the whole")
    b.size(1500, 4000)
    b.open(path)
    b.drawn()
    got = {int(r["pid"]): r for r in table(b)}
    check(set(got) == set(procs), "processes", set(got) ^ set(procs))
    check(int(b.js("document.body.dataset.lanes")) == len(procs), "bars")
    for pid, p in procs.items():
        r = got[pid]
        check(r["exit"] == p["exit"], "exit", p, r)
        check(near(r["duration"], p["end"] - p["start"]), "duration", p, r)
        check(near(r["CPU"], p["cpu"]) if p["cpu"] else r["CPU"] == "", "CPU", p, r)
        check(not p["argv"] or p["argv"][-1][0] in r["command"], "command", p, r)
        check(near(r["critical"], own[pid]) if pid in own else r["critical"] == "", "critical path", own.get(pid), p, r)
    c = b.cards()
    s = rows[-1]
    check(b.js("[...document.querySelectorAll('.card')].every(c => c.scrollWidth <= c.clientWidth)"), "cards are too narrow")
    for name, v in (("processes commands", s["commands"]), ("processes processes", s["forks"] + 1), ("recording lost", 0),
                    ("critical path processes", len(own)), ("ends exit 0", sum(p["exit"] == "0" for p in procs.values())),
                    ("ends by a signal", sum(p["exit"].startswith("SIG") for p in procs.values()))):
        check(c.get(name) == str(v), name, c, v)
    check(near(c["use CPU"], s["cpu_ns"]), "CPU of all", c["use CPU"], s["cpu_ns"])
    check(not any(k.startswith(("memory", "file", "network", "scheduler", "block")) for k in c), "cards without anything to say", c)
    tabs = b.js("[...document.querySelectorAll('#tabs button')].map(t => t.textContent)")
    check(tabs == ["processes", "flame", "events"], "tabs", tabs)
    bars(b, procs, got)
    controls(b, procs, own)


def bars(b, procs, got):
    """Under the middle of each bar, the pointer is told of that process."""
    left, top, width, _ = b.box("#line")
    lo, hi = (1e9 * t for t in b.seconds())
    for k, pid in enumerate(got):
        p = procs[pid]
        x = left + 190 + ((p["start"] + p["end"]) / 2 - lo) / (hi - lo) * (width - 190)
        b.mouse("mouseMoved", x, top + 18 + 20 * k + 8, button="none", clickCount=0)
        tip = b.text("#tip")
        check(f"pid {pid}" in tip and (p["exit"] in tip), "bar", p, tip)
    b.mouse("mousePressed", x, top + 18 + 20 * k + 8), b.mouse("mouseReleased", x, top + 18 + 20 * k + 8)
    check(f"pid {pid}" in b.text("#detail pre"), "a click tells of the process")
    b.key("Escape", "#line")


def controls(b, procs, own):
    pids = lambda: {int(r["pid"]) for r in table(b)}  # noqa: E731
    b.click("#hot")
    check(pids() == set(own) and int(b.js("document.body.dataset.lanes")) == len(own), "critical path only", pids() ^ set(own))
    b.click("#hot")
    b.fill("#find", "cc1")
    want = {pid for pid, p in procs.items() if any("cc1" in " ".join(a).lower() for a in p["argv"])}
    check(want and pids() == want, "search", pids() ^ want)
    b.fill("#find", "onerror=")
    check(pids() and b.js("document.images.length") == 0, "a hostile argument")
    b.fill("#find", "")
    check(len(pids()) == len(procs), "no search")
    pid = max((p for p in procs if procs[p]["argv"]), key=lambda p: len(procs[p]["argv"]))
    told = json.loads(b.js(f"""(() => {{ let text; navigator.clipboard.writeText = s => (text = s, Promise.resolve());
        [...document.querySelectorAll('#table .row:not(.head)')].find(r => r.children[1].textContent === '{pid}').click();
        document.querySelector('#copy').click();
        return text; }})()"""))
    p = procs[pid]
    check((told["pid"], told["ppid"] or p["ppid"], told["end_ns"]) == (pid, p["ppid"], p["end"]), "copied", told, p)
    check([e["argv"] for e in told["execs"] if "error" not in e] == p["argv"] and told.get("cpu_ns") == p["cpu"], "copied commands", told, p)
    check(str(told.get("signal", told.get("code"))) == p["exit"], "copied end", told, p)
    check("waited for" in b.js("document.querySelector('#legend span:last-child').title"), "the path is not explained")


def main():
    rows, events = lines(sys.argv[1]), lines(sys.argv[2])
    procs = processes(rows)
    root = next(e["pid"] for e in events if e["type"] == "exec")
    same_events(rows, events)
    b = Browser()
    try:
        page(b, sys.argv[3], rows, procs, root)
        b.in_both_themes(1200, 900, sys.argv[3])
        check(not b.bad, "errors in the page", b.bad)
    finally:
        b.close()
    print(f"{len(procs)} processes, {len(critical(procs, root))} on the critical path")


main()
