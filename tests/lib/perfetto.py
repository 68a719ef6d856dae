#!/usr/bin/env python3
"""Used by the cases attach, block_io, full_disk, perfetto, proc_report, recording_forged and rss.
perfetto.py TRACE JSON: checks the trace of --perfetto by the format's rules, and compares it with the JSON lines (of kvis
trace -v) of the same run. Prints how many events of each kind it has."""
import json
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


def argument(a, names):
    """The name and the value of a DebugAnnotation."""
    a, value = list(fields("DebugAnnotation", a)), None
    for number, v in a:
        if number == 2:
            value = bool(v)
        elif number == 4:
            value = v - (v >> 63 << 64)
        elif number == 6:
            value = v.decode()  # strict: kvis escapes what is not UTF-8
        elif number == 7:
            value = v
        elif number == 12:
            value = (value or []) + [dict(fields("DebugAnnotation", v)).get(6, b"").decode()]
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
    """The start by CLOCK_REALTIME, and the trace as a list of dictionaries: ph M (a name), X (a call), B (a program), b (a slice on a track of its own),
    S (a state of a thread), s and f (an arrow), C (a counter), i (an instant). Times are in ns; slices have an "end"."""
    CATEGORY, ARGUMENT, KINDS = 1, 3, {1: "begin", 2: "end", 3: "instant", 4: "counter"}
    start, real, events, tracks, open_ = None, None, [], {}, defaultdict(list)
    names = {CATEGORY: {}, ARGUMENT: {}}

    def described(t):
        name, uuid = t.get(2, b"").decode(), t[1]
        one = {"tid": uuid >> 4, "pid": tracks[t[5]]["pid"] if 5 in t else uuid >> 4, "ts": 0}
        # the field of a kind of track, its descriptor, the fields of the name and of the kernel's number in it
        for field, what, at, number in (3, "process", 6, 1), (4, "thread", 5, 2):
            if field in t:
                d = dict(fields(what.capitalize() + "Descriptor", t[field]))
                tracks[uuid] = {**one, "what": what}
                events.append({**one, "ph": "M", "name": what + "_name", "args": {"name": f"{d.get(at, b'').decode()} {d[number]}"}})
                return
        if 8 in t:
            unit = {2: "files", 3: "bytes"}[dict(fields("CounterDescriptor", t[8]))[3]]
            tracks[uuid] = {**one, "what": "counter", "name": name, "unit": unit}
        else:
            tracks[uuid] = {**one, "what": "state" if name == "state" else "own"}

    def happened(e, ts):
        got = defaultdict(list)
        for number, v in fields("TrackEvent", e):
            got[number].append(v)
        uuid = got[11][0]
        track, kind = tracks[uuid], KINDS[got[9][0]]
        if kind == "end":
            open_[uuid].pop()["end"] = ts
            return
        one = {"pid": track["pid"], "tid": track["tid"], "ts": ts}
        events.append(one)
        if kind == "counter":
            v = got[30][0]
            one.update(ph="C", name=track["name"], args={track["unit"]: v - (v >> 63 << 64)})
            return
        one.update(name=got[23][0].decode(), cat=names[CATEGORY][got[3][0]], args=dict(argument(a, names[ARGUMENT]) for a in got[4]))
        if kind == "begin":
            one["ph"] = {"own": "b", "state": "S"}.get(track["what"], "B" if one["cat"] == "command" else "X")
            open_[uuid].append(one)
            if one["ph"] == "b":
                one.update(tid=track["pid"], id=uuid)
        elif arrow := [("s", v) for v in got[47]] + [("f", v) for v in got[48]]:
            one["ph"], one["id"] = arrow[0]
        else:
            one["ph"] = "i"

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
            names[index][word[1]] = word[2].decode()
        if 60 in p:
            described(dict(fields("TrackDescriptor", p[60])))
        if 11 in p:
            happened(p[11], p[8] - start)
    if unended := [b for begun in open_.values() for b in begun if b["ph"] != "B"]:
        fail("a slice that does not end", unended[0])
    return real, events


def fail(what, e=None):
    sys.exit(f"{what}: {json.dumps(e)[:300] if e else ''}")


COUNTERS = {"heap", "mapped", "bytes read", "bytes written", "bytes received", "bytes sent", "open files", "RSS", "max RSS"}


def check(events):
    """Checks the rules of the format: the slices of a track and the steps of a counter are in order of time, slices nest, every
    track has a name, arrows lead forward to another thread."""
    nests, flows, own = defaultdict(list), defaultdict(list), set()
    owner, latest = {}, {}
    named = {(e["name"], e["pid" if e["name"] == "process_name" else "tid"]) for e in events if e["ph"] == "M"}
    for e in events:
        ph = e["ph"]
        if owner.setdefault(e["tid"], e["pid"]) != e["pid"] or not {("process_name", e["pid"]), ("thread_name", e["tid"])} <= named:
            fail("a tid in two processes, or without a name", e)
        if e["ts"] < 0 or e.get("end", e["ts"]) < e["ts"]:
            fail("a negative time", e)
        if ph in "XBC":
            key = (ph, e["pid"], e["name"]) if ph == "C" else (ph, e["tid"])
            if e["ts"] < latest.get(key, 0):
                fail(f"back in time, after {latest[key]}", e)
            latest[key] = e["ts"]
        if ph in "XB":  # slices of one track nest; a command is in no other, and the last has no end
            stack = nests[ph, e["tid"]]
            while stack and stack[-1] <= e["ts"]:
                stack.pop()
            end = e.get("end", sys.maxsize)
            if stack and (ph == "B" or end > stack[-1]):
                fail("slices that overlap", e)
            stack.append(end)
        elif ph == "b":
            if e["id"] in own:
                fail("two slices on a track of one", e)
            own.add(e["id"])
        elif ph in "sf":
            flows[e["id"]].append(e)
        elif ph == "C" and (e["name"] not in COUNTERS or min(e["args"].values()) < 0):
            fail("an unknown counter, or below zero", e)
    for key, pair in flows.items():
        if [e["ph"] for e in pair] not in (["s", "f"], ["s"]) or (len(pair) == 2 and (pair[0]["ts"] > pair[1]["ts"] or pair[0]["tid"] == pair[1]["tid"])):
            fail(f"flow {key}", pair)
    return Counter(f[0]["name"] for f in flows.values())


def main():
    real, events = load(sys.argv[1])
    arrows = check(events)
    lines = [json.loads(line) for line in open(sys.argv[2])]
    if real != lines[0]["start_realtime_ns"]:
        fail(f"the trace begins at {real}, the JSON at {lines[0]['start_realtime_ns']}")
    execs = sum(e["type"] == "exec" and "error" not in e for e in lines)
    begun = sum(e["ph"] == "B" and e["name"] != "(forked)" for e in events)
    if begun and begun != execs:
        fail(f"{execs} execs, {begun} commands")
    spawned = sum(e["type"] in ("spawn_process", "spawn_thread") for e in lines)
    if not spawned * 0.9 - 1 <= arrows["fork"] <= spawned:
        fail(f"{spawned} children, {arrows['fork']} arrows")
    woken = [e["name"] for e in lines if "waker_pid" in e]  # one that a thread's end has woken has no arrow
    if not woken.count("futex") * 0.5 <= arrows["wake"] <= len(woken):
        fail(f"{len(woken)} calls were woken, {arrows['wake']} arrows")
    for what in "process_name", "thread_name":
        key = "pid" if what == "process_name" else "tid"
        if {e[key] for e in lines if e.get(key)} - set(tids(events, what).values()):
            fail("a process or thread that has no name")
    for compare in compare_calls, compare_states, requests, waits, max_rss, gone_with_exec:
        compare(events, lines)
    if len(sys.argv) > 3:
        again(events, sys.argv[3])
    print(dict(Counter(e["ph"] for e in events)))


def tids(events, what="thread_name"):
    """The kernel's number of each thread, or of each process."""
    key = "tid" if what == "thread_name" else "pid"
    return {e[key]: int(e["args"]["name"].split(" ")[-1]) for e in events if e["name"] == what and e["ph"] == "M"}


def compare_calls(events, lines):
    """Each call has a slice with its times, its result and its time on a CPU."""
    tid = tids(events)
    got = sorted(((tid[e["tid"]], e["ts"], e["name"], e) for e in events if e["ph"] == "X"), key=lambda x: x[:3])
    want = sorted(((e["tid"], e["ts_ns"], e["name"], e) for e in lines if e["type"] == "syscall"), key=lambda x: x[:3])
    if [a[:3] for a in got] != [b[:3] for b in want]:
        fail(f"{len(want)} calls, {len(got)} slices", [x for x in zip(got, want) if x[0][:3] != x[1][:3]][:1])
    for (*_, a), (*_, b) in zip(got, want):
        ret = b["ret"] if isinstance(b["ret"], int) and not b["error"] else None
        if b["duration_ns"] not in (None, a["end"] - a["ts"]) or any(a["args"].get(k) != b.get(k) for k in ("error", "on_cpu_ns")) or \
                ret not in (None, int(a["args"]["ret"] or 0)):
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
            shown[tid[e["tid"]]].append((e["ts"], e["end"], e["name"]))
    for e in lines:
        if e["type"] != "syscall" or e.get("on_cpu_ns") is None or not e["duration_ns"] or e["tid"] in twice:
            continue
        end = e["ts_ns"] + e["duration_ns"]
        mine = [s for s in shown[e["tid"]] if e["ts_ns"] <= s[0] < end]
        shown[e["tid"]] = [s for s in shown[e["tid"]] if s not in mine]
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
    for cat, kind in ("block I/O", "block_io"), ("io_uring", "io_uring"):
        got = sorted((e["ts"], e["end"]) for e in events if e["ph"] == "b" and e["cat"] == cat)
        want = sorted((max(0, e["ts_ns"] - e["duration_ns"]), e["ts_ns"]) for e in lines if e["type"] == kind and "duration_ns" in e)
        if got != want:
            fail(f"{cat}: {len(got)} slices, {len(want)} events", [x for x in zip(got, want) if x[0] != x[1]][:2])


def waits(events, lines):
    """Waits for a CPU are the state "runnable": each one outside of calls, and within calls none that does not exist."""
    shown = {(e["ts"], e["end"]) for e in events if e["ph"] == "S" and e["name"] == "runnable"}
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
    """The counter max RSS has the peak memory of each process that ended."""
    got = sorted(e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "max RSS")
    want = sorted(e["max_rss_bytes"] for e in lines if e["type"] == "exit_process" and "max_rss_bytes" in e)
    if got != want:
        fail(f"max RSS: {got}, the events say {want}")


def gone_with_exec(events, lines):
    """Heap and mapped memory begin anew with each program: what the counters show at a process's end is what the
    JSON's events add up to since its last exec."""
    grew = {"brk": lambda e: ("heap", e["growth_bytes"]), "mmap": lambda e: ("mapped", e["size"]),
            "munmap": lambda e: ("mapped", -e["size"]), "mremap": lambda e: ("mapped", e["size"] - e["old_size"])}
    now = {}
    for e in lines:
        if e["type"] == "exec" and "error" not in e:
            now[e["pid"]] = {"heap": 0, "mapped": 0}
        elif e["type"] in grew and "error" not in e and e["pid"] in now:
            name, n = grew[e["type"]](e)
            now[e["pid"]][name] = max(0, now[e["pid"]][name] + n)
    last = {(e["pid"], e["name"]): e["args"].get("bytes") for e in events if e["ph"] == "C"}
    number = tids(events, "process_name")
    for pid, want in now.items():
        mine = [p for p, n in number.items() if n == pid]
        got = {name: last.get((mine[0], name), 0) for name in want}
        if len(mine) == 1 and got != want:
            fail(f"memory of {pid}: {got}, the events say {want}")


def again(events, pid):
    """A pid that is used twice is two processes, each with its own fork arrow, calls and counters."""
    mine = [p for p, n in tids(events, "process_name").items() if n == int(pid)]
    found = []
    for p in mine:
        of = [e for e in events if e["pid"] == p]
        opened = " ".join(e["args"]["args"] for e in of if e["ph"] == "X" and e["name"] == "openat")
        written = [e["args"]["bytes"] for e in of if e["ph"] == "C" and e["name"] == "bytes written"]
        found.append(([name for name in ("first", "second") if f'"{name}"' in opened], written, sum(e["ph"] == "f" and e["name"] == "fork" for e in of)))
    if sorted(found) != [(["first"], [len("first")], 1), (["second"], [len("second")], 1)]:
        fail(f"the processes {mine} with pid {pid}", found)


if __name__ == "__main__":
    main()
