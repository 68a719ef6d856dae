#!/usr/bin/env python3
"""Used by the cases attach, block_io, full_disk, perfetto, proc_report, recording_forged and rss.
perfetto.py TRACE JSON: checks the trace of --perfetto by the format's rules, and compares it with the JSON lines (of kvis
trace -v) of the same run. Prints how many events of each kind it has."""
import bisect
import json
import re
import sys
from collections import Counter, defaultdict


# The messages that kvis writes, with the numbers that protos/perfetto/trace/ of Perfetto gives to their fields.
FIELDS = {"Trace": {1}, "TracePacket": {6, 8, 10, 11, 12, 13, 58, 59, 60}, "TracePacketDefaults": {58}, "ClockSnapshot": {1, 2},
          "Clock": {1, 2}, "InternedData": {1, 3}, "Interned": {1, 2}, "ProcessDescriptor": {1, 6}, "ThreadDescriptor": {1, 2, 5},
          "CounterDescriptor": {3}, "TrackDescriptor": {1, 2, 3, 4, 5, 8}, "DebugAnnotation": {1, 2, 4, 6, 7, 12},
          "TrackEvent": {3, 4, 9, 11, 23, 30, 47, 48}}
FIXED = {("TrackEvent", 47), ("TrackEvent", 48)}  # eight bytes each, all other numbers are varints


def fields(message, data):
    """The fields of a protocol buffer: (number, value), where value is an int or bytes."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            c = data[at]
            at += 1
            v |= (c & 127) << shift
            shift += 7
            if c < 128:
                return v

    while at < len(data):
        key = varint()
        if key >> 3 not in FIELDS[message] or (key & 7 == 1) != ((message, key >> 3) in FIXED):
            fail(f"{message}: field {key >> 3}, wire type {key & 7}")
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, int.from_bytes(data[at:at + 8], "little")
            at += 8
        elif key & 7 == 2:
            n = varint()
            yield key >> 3, data[at:at + n]
            at += n
        else:
            fail(f"wire type {key & 7}")
    if at != len(data):
        fail("a truncated message")


def text(b):
    return b.decode()  # strict: kvis escapes what is not UTF-8


def argument(a, names):
    """The name and the value of a DebugAnnotation."""
    a, value = list(fields("DebugAnnotation", a)), None
    for number, v in a:
        if number == 2:
            value = bool(v)
        elif number == 4:
            value = v - (v >> 63 << 64)
        elif number == 6:
            value = text(v)
        elif number == 7:
            value = v
        elif number == 12:
            value = (value or []) + [text(dict(fields("DebugAnnotation", v)).get(6, b""))]
    return names[dict(a)[1]], value


def clock(snapshot):
    """The start by CLOCK_MONOTONIC, which is the clock of all times, and by CLOCK_REALTIME."""
    at = {}
    for number, v in fields("ClockSnapshot", snapshot):
        if number == 1:
            one = dict(fields("Clock", v))
            at[one[1]] = one[2]
        elif v != 3:
            fail("times of another clock")
    return at[3], at[1]


def load(path):
    return load_with_start(path)[0]


def load_with_start(path):
    """The trace as a list of dictionaries: ph M (a name), X (a call), B and E (a program), b and e (a slice on a track
    of its own), S (a state of a thread), s and f (an arrow), C (a counter), i (an instant). Times are in us."""
    CATEGORY, ARGUMENT, KINDS = 1, 3, {1: "begin", 2: "end", 3: "instant", 4: "counter"}
    start, real, events, tracks, open_ = None, None, [], {}, defaultdict(list)
    names = {CATEGORY: {}, ARGUMENT: {}}

    def described(t):
        name, uuid = text(t.get(2, b"")), t[1]
        one = {"tid": uuid >> 4, "pid": tracks[t[5]]["pid"] if 5 in t else uuid >> 4, "ts": 0}
        if 3 in t:
            p = dict(fields("ProcessDescriptor", t[3]))
            tracks[uuid] = {**one, "what": "process"}
            events.append({**one, "ph": "M", "name": "process_name", "args": {"name": f"{text(p.get(6, b''))} {p[1]}"}})
        elif 4 in t:
            p = dict(fields("ThreadDescriptor", t[4]))
            tracks[uuid] = {**one, "what": "thread"}
            events.append({**one, "ph": "M", "name": "thread_name", "args": {"name": f"{text(p.get(5, b''))} {p[2]}"}})
        elif 8 in t:
            tracks[uuid] = {**one, "what": "counter", "name": name, "unit": {2: "files", 3: "bytes"}[dict(fields("CounterDescriptor", t[8]))[3]]}
        else:
            tracks[uuid] = {**one, "what": "state" if name == "state" else "own"}

    def happened(e, ts):
        got = defaultdict(list)
        for number, v in fields("TrackEvent", e):
            got[number].append(v)
        uuid = got[11][0]
        track, kind = tracks[uuid], KINDS[got[9][0]]
        one = {"pid": track["pid"], "tid": track["tid"], "ts": ts}
        if track["what"] == "own":
            one.update(tid=track["pid"], id=uuid)
        if kind == "end":
            begun = open_[uuid].pop()
            if begun["ph"] in "XS":
                begun["dur"] = (round(ts * 1000) - round(begun["ts"] * 1000)) / 1000
            else:
                events.append({**one, "ph": begun["ph"].replace("B", "E").replace("b", "e"), "name": begun["name"], "cat": begun["cat"]})
            return
        if kind == "counter":
            v = got[30][0]
            events.append({**one, "ph": "C", "name": track["name"], "args": {track["unit"]: v - (v >> 63 << 64)}})
            return
        one.update(name=text(got[23][0]), cat=names[CATEGORY][got[3][0]], args=dict(argument(a, names[ARGUMENT]) for a in got[4]))
        if kind == "instant":
            arrow = [("s", v) for v in got[47]] + [("f", v) for v in got[48]]
            one["ph"] = arrow[0][0] if arrow else "i"
            if arrow:
                one["id"] = arrow[0][1]
        else:
            one["ph"] = {"own": "b", "state": "S"}.get(track["what"], "B" if one["cat"] == "command" else "X")
            open_[uuid].append(one)
        events.append(one)

    for n, (_, packet) in enumerate(fields("Trace", open(path, "rb").read())):
        p = dict(fields("TracePacket", packet))
        if p[10] != 1 or p[13] != (1 if n < 2 else 2):
            fail("a packet of another sequence, or one that does not need the interned names")
        if 6 in p:
            start, real = clock(p[6])
        if 59 in p and dict(fields("TracePacketDefaults", p[59])) != {58: 3}:
            fail("times of another clock")
        for index, words in fields("InternedData", p.get(12, b"")):
            word = dict(fields("Interned", words))
            if word[1] in names[index]:
                fail("a name in place of another", word[1])
            names[index][word[1]] = text(word[2])
        if 60 in p:
            described(dict(fields("TrackDescriptor", p[60])))
        if 11 in p:
            happened(p[11], (p[8] - start) / 1000)
    if any(b["ph"] != "B" for begun in open_.values() for b in begun):
        fail("a slice that does not end", [b for begun in open_.values() for b in begun if b["ph"] != "B"][0])
    return events, real


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
            stack.append(e) if ph == "B" else stack.pop()
        elif ph in "be":
            asyncs[(e["cat"], e["id"])].append(e)
        elif ph in "sf":
            flows[e["id"]].append(e)
        elif ph == "C":
            if not e["args"] or e["name"] not in COUNTERS or not all(isinstance(v, (int, float)) and v >= 0 for v in e["args"].values()):
                fail("a counter without numbers", e)
        elif ph not in "iS":
            fail("an unknown event", e)
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
        if [e["ph"] for e in pair] not in (["s", "f"], ["s"]) or (len(pair) == 2 and (pair[0]["ts"] > pair[1]["ts"] or pair[0]["tid"] == pair[1]["tid"])):
            fail(f"flow {key}", pair)
    return flows


def main():
    events, real = load_with_start(sys.argv[1])
    flows = check(events)
    lines = [json.loads(line) for line in open(sys.argv[2])]
    if real != lines[0]["start_realtime_ns"]:
        fail(f"the trace begins at {real}, the JSON at {lines[0]['start_realtime_ns']}")
    compare_calls(events, lines)
    compare_states(events, lines)
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
    waits(events, lines)
    max_rss(events, lines)
    pids = {e["pid"] for e in lines if e.get("pid")}
    if pids - set(tids(events, "process_name").values()) or {e["tid"] for e in lines if e.get("tid")} - set(tids(events).values()):
        fail("a process or thread that has no name")
    gone_with_exec(events, lines)
    if len(sys.argv) > 3:
        again(events, sys.argv[3])
    print(dict(Counter(e["ph"] for e in events)))


def tids(events, what="thread_name"):
    """The kernel's number of each thread, or of each process."""
    key = "tid" if what == "thread_name" else "pid"
    return {e[key]: int(e["args"]["name"].split(" ")[-1]) for e in events if e["name"] == what and e["ph"] == "M"}


def ns(us):
    return round(us * 1000)


def compare_calls(events, lines):
    """Each call has a slice with its times, its result and its time on a CPU."""
    tid, parts = tids(events), ("error", "on_cpu_ns")
    got = sorted(((tid[e["tid"]], ns(e["ts"]), e["name"], ns(e["dur"]), e["args"]) for e in events if e["ph"] == "X"), key=lambda x: x[:3])
    want = sorted(((e["tid"], e["ts_ns"], e["name"], e["duration_ns"], e) for e in lines if e["type"] == "syscall"), key=lambda x: x[:3])
    if len(got) != len(want):
        fail(f"{len(want)} calls, {len(got)} slices")
    for a, b in zip(got, want):
        ret = b[4]["ret"] if isinstance(b[4]["ret"], int) and not b[4]["error"] else None
        if a[:3] != b[:3] or b[3] not in (None, a[3]) or any(a[4].get(k) != b[4].get(k) for k in parts) or ret not in (None, int(a[4]["ret"] or 0)):
            fail("a slice is not its call", (a, b))
    said = {"open", "read", "write", "close", "mmap", "munmap", "brk", "rss", "spawn_process", "exec", "stat"}
    if want and said & {e["name"] for e in events if e["ph"] == "i"}:  # kvis proc has no calls, and so no such slices
        fail("an instant says what a slice does")


STATES = {"running": "on_cpu_ns", "runnable": "runq_ns", "sleeping": "other_ns", "waits for disk": "disk_ns"}


def compare_states(events, lines):
    """The states of a thread within a call fill the call, and come to what the call says of its time. Outside of calls
    there are only waits for a CPU (see waits)."""
    tid, shown = tids(events), defaultdict(list)
    twice = [t for t, n in Counter(tid.values()).items() if n > 1]
    for e in events:
        if e["ph"] == "S":
            shown[tid[e["tid"]]].append((ns(e["ts"]), ns(e["ts"] + e["dur"]), e["name"]))
    for e in lines:
        if e["type"] != "syscall" or e.get("on_cpu_ns") is None or not e["duration_ns"] or e["tid"] in twice:
            continue
        states, end = shown[e["tid"]], e["ts_ns"] + e["duration_ns"]
        first, last = bisect.bisect_left(states, (e["ts_ns"],)), bisect.bisect_left(states, (end,))
        mine = states[first:last]
        states[first:last] = []
        if [e["ts_ns"]] + [s[1] for s in mine] != [s[0] for s in mine] + [end]:
            fail("a call with a gap", (e, mine))
        sums = Counter()
        for s in mine:
            sums[s[2]] += s[1] - s[0]
        if mine[0][2].startswith("mostly "):
            most = mine[0][2][7:]
            told = e["other_ns"] + e["disk_ns"] if most in ("sleeping", "disk waits") else e[STATES[most]]
            if len(mine) > 1 or told != max(e["other_ns"] + e["disk_ns"], e["runq_ns"], e["on_cpu_ns"]):
                fail("most of a call", (e, mine))
        elif any(sums[name] != e[key] for name, key in STATES.items()):
            fail("the states of a call", (e, mine))
    if {s[2] for t, states in shown.items() if t not in twice for s in states} - {"runnable"}:
        fail("a state outside of calls")


def requests(events, lines):
    """Requests of disks and of io_uring: slices of their own, each from when it began to when it ended."""
    took = "duration_ns"
    for cat, kind in ("block I/O", "block_io"), ("io_uring", "io_uring"):
        ends = {e["id"]: e["ts"] for e in events if e["ph"] == "e" and e.get("cat") == cat}
        got = sorted((round(e["ts"] * 1000), round(ends[e["id"]] * 1000)) for e in events if e["ph"] == "b" and e.get("cat") == cat)
        want = sorted((max(0, e["ts_ns"] - e[took]), e["ts_ns"]) for e in lines if e["type"] == kind and took in e)
        if got != want:
            fail(f"{cat}: {len(got)} slices, {len(want)} events", [x for x in zip(got, want) if x[0] != x[1]][:2])


def waits(events, lines):
    """Waits for a CPU are the state "runnable": each one outside of calls, and within calls none that does not exist."""
    shown = {(round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)) for e in events if e["ph"] == "S" and e["name"] == "runnable"}
    waited = [(e["tid"], max(0, e["ts_ns"] - e["delay_ns"]), e["ts_ns"]) for e in lines if e["type"] == "sched_delay"]
    calls = defaultdict(list)
    for e in lines:
        if e["type"] == "syscall":
            calls[e["tid"]].append((e["ts_ns"], e["ts_ns"] + (e["duration_ns"] or 1 << 62)))
    alone = [w[1:] for w in waited if not any(a < w[2] and w[1] < b for a, b in calls[w[0]])]
    if set(alone) - shown:
        fail("waits between calls that the trace lacks", sorted(set(alone) - shown)[:3])
    if {b for _, b in shown} - {w[2] for w in waited}:
        fail("a thread that is runnable without a wait", sorted({b for _, b in shown} - {w[2] for w in waited})[:3])


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


if __name__ == "__main__":
    main()
