#!/usr/bin/env python3
"""Used by the cases perfetto, proc_report.
perfetto.py TRACE JSON: checks that a Chrome trace follows the rules of the format, and that its counts are those of the JSON
lines of the same run (of kvis trace -v). Prints the counts."""
import json
import re
import sys
from collections import Counter, defaultdict


def fail(what, e=None):
    sys.exit(f"{what}: {json.dumps(e)[:300] if e else ''}")


COUNTERS = {"heap", "mapped", "bytes read", "bytes written", "bytes received", "bytes sent", "open files", "RSS", "max RSS"}


def check(events):
    tracks, asyncs, flows = defaultdict(list), defaultdict(list), defaultdict(list)
    commands = defaultdict(list)
    named, owner, latest = set(), {}, {}
    for e in events:
        ph = e.get("ph")
        for key in ("pid", "tid", "ts", "name"):
            if key not in e:
                fail(f"no {key}", e)
        if not isinstance(e["pid"], int) or not isinstance(e["tid"], int) or e["ts"] < 0:
            fail("numbers", e)
        if owner.setdefault(e["tid"], e["pid"]) != e["pid"]:
            fail("a tid in two processes", e)
        # a track's slices and a counter's steps come in the order of time
        if ph in "XC":
            key = (ph, e["tid"]) if ph == "X" else (ph, e["pid"], e["name"])
            if e["ts"] < latest.get(key, 0):
                fail(f"back in time, after {latest[key]}", e)
            latest[key] = e["ts"]
        if ph == "M":
            if e["name"] in ("process_name", "thread_name") and not isinstance(e["args"]["name"], str):
                fail("a name that is none", e)
            named.add((e["name"], e["pid"] if e["name"] == "process_name" else e["tid"]))
        elif ph == "X":
            if e["dur"] < 0:
                fail("a negative duration", e)
            tracks[e["tid"]].append((round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), e))
        elif ph in "BE":
            stack = commands[e["tid"]]
            if (ph == "B") == bool(stack) or (stack and e["ts"] < stack[0]["ts"]):
                fail("a command in another, or none that ends", e)
            if stack and stack[0]["name"] != e["name"]:  # speedscope then ends none
                fail("the end of another command", e)
            stack.append(e) if ph == "B" else stack.pop()
        elif ph in "be":
            asyncs[(e["cat"], e["id"])].append(e)
        elif ph in "sf":
            flows[e["id"]].append(e)
        elif ph == "C":
            if not e["args"] or e["name"] not in COUNTERS or not all(isinstance(v, (int, float)) and v >= 0 for v in e["args"].values()):
                fail("a counter without numbers", e)
        elif ph == "i":
            if e.get("s") != "t":
                fail("an instant without scope", e)
        else:
            fail("an event that ui.perfetto.dev does not take", e)
    for e in events:
        if ("process_name", e["pid"]) not in named or ("thread_name", e["tid"]) not in named:
            fail("a track without a name", e)
    for track in tracks.values():  # slices of one track nest
        track.sort(key=lambda s: (s[0], -s[1]))
        stack = []
        for start, end, e in track:
            while stack and stack[-1] <= start:
                stack.pop()
            if stack and end > stack[-1]:
                fail("slices that overlap", e)
            stack.append(end)
    for key, pair in asyncs.items():
        if [e["ph"] for e in pair] != ["b", "e"] or pair[0]["ts"] > pair[1]["ts"] or pair[0]["name"] != pair[1]["name"]:
            fail(f"async {key}", pair)
    for key, pair in flows.items():
        if [e["ph"] for e in pair] not in (["s", "f"], ["s"]) or (len(pair) == 2 and pair[0]["ts"] > pair[1]["ts"]):
            fail(f"flow {key}", pair)
    return flows


def main():
    trace = json.load(open(sys.argv[1]))
    events = trace["traceEvents"]
    flows = check(events)
    lines = [json.loads(line) for line in open(sys.argv[2])]
    calls = Counter(e["name"] for e in lines if e["type"] == "syscall")
    slices = Counter(e["name"] for e in events if e["ph"] == "X")
    if calls != slices:
        fail(f"calls {calls - slices}, slices {slices - calls}")
    execs = sum(e["type"] == "exec" and "error" not in e for e in lines)
    begun = sum(e["ph"] == "B" and e["name"] != "(forked)" for e in events)
    if begun and begun != execs:
        fail(f"{execs} execs, {begun} commands")
    spawned = sum(e["type"] in ("spawn_process", "spawn_thread") for e in lines)
    forks = sum(f[0]["name"] == "fork" for f in flows.values())
    if forks > spawned or forks < spawned * 0.9 - 1:
        fail(f"{spawned} children, {forks} arrows")
    wakes, woken = sum(f[0]["name"] == "wake" for f in flows.values()), [e for e in lines if "waker_pid" in e]
    locks = sum(e["name"] == "futex" for e in woken) # others may be woken by a thread's end, and it has none
    if wakes > len(woken) or wakes < locks * 0.5:
        fail(f"{len(woken)} calls were woken, {wakes} arrows")
    requests(events, lines)
    max_rss(events, lines)
    pids = {e["pid"] for e in lines if e.get("pid")}
    tracks = {e["pid"] for e in events if e["pid"]}
    if len(tracks) < len(pids):
        fail(f"{len(pids)} processes, {len(tracks)} tracks")
    gone_with_exec(events, lines)
    if len(sys.argv) > 3:
        again(events, sys.argv[3])
    print(dict(Counter(e["ph"] for e in events)))


def requests(events, lines):
    """Disks' requests and io_uring's, and waits for a CPU: async, each from when it began to when it ended."""
    for cat, kind, took in ("block I/O", "block_io", "duration_ns"), ("io_uring", "io_uring", "duration_ns"), ("sched", "sched_delay", "delay_ns"):
        ends = {e["id"]: e["ts"] for e in events if e["ph"] == "e" and e.get("cat") == cat}
        got = sorted((round(e["ts"] * 1000), round(ends[e["id"]] * 1000)) for e in events if e["ph"] == "b" and e.get("cat") == cat)
        want = sorted((max(0, e["ts_ns"] - e[took]), e["ts_ns"]) for e in lines if e["type"] == kind and took in e)
        if got != want:
            fail(f"{cat}: {len(got)} slices, {len(want)} events", [x for x in zip(got, want) if x[0] != x[1]][:2])


def max_rss(events, lines):
    """Of each process that kvis proc saw end."""
    got = sorted(e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "max RSS")
    want = sorted(e["max_rss_bytes"] for e in lines if e["type"] == "exit_process" and "max_rss_bytes" in e)
    if got != want:
        fail(f"max RSS: {got}, the events say {want}")


def gone_with_exec(events, lines):
    """Heap and mapped memory begin anew with each program: what the counters show at a process's end is what the
    JSON's events add up to since its last exec."""
    grew = {"brk": lambda e: ("heap", e["growth_bytes"]), "mmap": lambda e: ("mapped", e["size"]),
            "munmap": lambda e: ("mapped", -e["size"]), "mremap": lambda e: ("mapped", e["size"] - e["old_size"])}
    now, first = {}, {}
    for e in lines:
        if e["type"] == "exec" and "error" not in e:
            now[e["pid"]] = {"heap": 0, "mapped": 0}
        elif e["type"] in grew and "error" not in e and e["pid"] in now:
            name, n = grew[e["type"]](e)
            now[e["pid"]][name] = max(0, now[e["pid"]][name] + n)
    last = {}
    for e in events:
        if e["ph"] == "C":
            last[(e["pid"], e["name"])] = e["args"]["bytes" if "bytes" in e["args"] else "files"]
        if e["ph"] == "M" and e["name"] == "process_name":
            first[e["pid"]] = e["args"]["name"]
    for pid, want in now.items():
        mine = [p for p, name in first.items() if re.search(rf"\b{pid}\b", name)]
        for name, n in want.items():
            if len(mine) == 1 and last.get((mine[0], name), 0) != n:
                fail(f"{name} of {pid}: {last.get((mine[0], name))}, the events say {n}")


def again(events, pid):
    """A pid that is used twice is two processes, each with its own name, fork arrow, calls and counters."""
    named = {e["pid"] for e in events if e["name"] == "process_name" and re.search(rf"\b{pid}\b", e["args"]["name"])}
    if len(named) != 2:
        fail(f"{len(named)} processes have the name of pid {pid}")
    opened = {p: [e["args"]["args"] for e in events if e["ph"] == "X" and e["pid"] == p and e["name"] == "openat"] for p in named}
    if sorted(a.count('"first"') * 10 + a.count('"second"') for o in opened.values() for a in o) != [1, 10]:
        fail("calls of both", opened)
    for p in named:
        if sum(e["ph"] == "f" and e["pid"] == p and e["name"] == "fork" for e in events) != 1:
            fail(f"fork arrows of {p}")
        written = [e["args"] for e in events if e["ph"] == "C" and e["pid"] == p and e["name"] == "bytes written"]
        if [list(w.values())[0] for w in written] != [len("first") if '"first"' in opened[p][0] else len("second")]:
            fail(f"written by {p}", written)


main()
