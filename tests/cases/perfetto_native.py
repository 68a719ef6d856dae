#!/usr/bin/env python3
# The output of --perfetto, decoded with Perfetto's schema, agrees with --json on each call, state, counter, event and arrow.
# tier: full
# timeout: 120
# needs: gcc node npm python3 prog:diff_threads prog:diff_forks prog:pid_again
import collections
import json
import os
import subprocess

from lib import BIN, TESTS, backends, read, rows, run, say
import browser
import perfetto

LIBRARY = browser.from_npm("protobufjs@7", "dist/protobuf.js")
STATES = {"running": "on_cpu_ns", "runnable": "runq_ns", "sleeping": "other_ns", "waits for disk": "disk_ns"}


class Trace:
    """slices: by track, (begin, end, name, arguments, arrow); counts, instants: (track, time, ...)."""

    def __init__(self, path):
        done = subprocess.run(["node", TESTS + "/lib/perfetto.cjs", LIBRARY, TESTS + "/lib/perfetto.proto", path],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        packets = [json.loads(line) for line in done.stdout.splitlines()]
        clock, head = packets[0]["clock_snapshot"], packets[1]
        self.start = int(clock["clocks"][0]["timestamp"])
        assert clock["primary_trace_clock"] == clock["clocks"][0]["clock_id"] == head["trace_packet_defaults"]["timestamp_clock_id"] == 3
        self.real_ns = int(clock["clocks"][1]["timestamp"])
        self.names = {k: {} for k in ("event_categories", "event_names", "debug_annotation_names")}
        self.tracks, self.slices, self.instants, self.counts = {}, collections.defaultdict(list), [], []
        self.begun, self.arrows = collections.defaultdict(list), collections.defaultdict(list)
        for n, packet in enumerate(packets):
            assert packet["trusted_packet_sequence_id"] == 1 and packet["sequence_flags"] == (1 if n < 2 else 2), packet
            for index, words in packet.get("interned_data", {}).items():
                for word in words:
                    assert word["iid"] not in self.names[index], word
                    self.names[index][word["iid"]] = word["name"]
            if "track_descriptor" in packet:
                self.track(packet["track_descriptor"])
            if "track_event" in packet:
                self.event(int(packet["timestamp"]) - self.start, packet["track_event"])
        assert not any(self.begun.values()) or all(s[2] == "command" for b in self.begun.values() for s in b), self.begun

    def track(self, t):
        assert "parent_uuid" not in t or t["parent_uuid"] in self.tracks, t
        self.tracks[t["uuid"]] = {**self.tracks.get(t["uuid"], {}), **t}

    def argument(self, a):
        value = [v for k, v in a.items() if k.endswith("_value") or k == "array_values"]
        value = [w["string_value"] for w in value[0]] if "array_values" in a else value[0] if value else []
        number = "int_value" in a or "pointer_value" in a
        return a.get("name") or self.names["debug_annotation_names"][a["name_iid"]], int(value) if number else value

    def event(self, ts, e):
        uuid, kind = e["track_uuid"], e["type"]
        assert uuid in self.tracks and ts >= 0, e
        name = e.get("name") or self.names["event_names"].get(e.get("name_iid"))
        args = dict(map(self.argument, e.get("debug_annotations", [])))
        cats = [self.names["event_categories"][c] for c in e.get("category_iids", [])]
        for way in "flow_ids", "terminating_flow_ids":
            for flow in e.get(way, []):
                self.arrows[flow].append((way, ts, uuid, name))
        if kind == "TYPE_COUNTER":
            assert "counter" in self.tracks[uuid], e
            self.counts.append((ts, uuid, int(e["counter_value"])))
        elif kind == "TYPE_INSTANT":
            self.instants.append((ts, uuid, name, args, cats[0]))
        elif kind == "TYPE_SLICE_BEGIN":
            assert not self.begun[uuid] and (not self.slices[uuid] or ts >= self.slices[uuid][-1][1]), (ts, e, "overlaps")
            self.begun[uuid].append((ts, name, cats[0], args))
        else:
            begin, name, cat, args = self.begun[uuid].pop()
            assert ts >= begin, e
            self.slices[uuid].append((begin, ts, name, args, cat))

    def thread(self, uuid):
        t = self.tracks[uuid]
        return (t["thread"]["pid"], t["thread"]["tid"]) if "thread" in t else None

    def below(self, uuid, name):
        return [u for u, t in self.tracks.items() if t.get("parent_uuid") == uuid and t.get("name") == name]


def check_calls(trace, events):
    want = collections.defaultdict(list)
    for e in events:
        if e["type"] == "syscall":
            ret = e["ret"] if isinstance(e["ret"], int) and "error" not in e else None
            want[e["pid"], e["tid"]].append((e["ts_ns"], e["duration_ns"], e["name"], ret, e.get("error"), e.get("on_cpu_ns")))
    got = collections.defaultdict(list)
    for uuid, slices in trace.slices.items():
        for begin, end, name, args, cat in slices:
            if cat != "syscall":
                continue
            error = args.get("error")
            got[trace.thread(uuid)].append((begin, end - begin, name, None if error else int(args["ret"]), error, args.get("on_cpu_ns")))
    assert set(got) == set(want), (set(got) ^ set(want))
    for who in want:
        mine, theirs = sorted(got[who], key=str), sorted(want[who], key=str)
        assert len(mine) == len(theirs), who
        for a, b in zip(mine, theirs):
            assert a[0] == b[0] and a[2] == b[2] and a[5] == b[5], (a, b)
            assert b[1] is None or a[1] == b[1], (a, b)
            assert b[3] is None or a[3] == b[3], (a, b)
            assert (b[4] is None) == (a[4] is None) and a[4] in (b[4], None), (a, b)
    return sum(map(len, want.values()))


def waits_of(events):
    return {(e["tid"], e["ts_ns"] - e["delay_ns"], e["ts_ns"]) for e in events if e["type"] == "sched_delay"}


def check_states(trace, events):
    """What the state track has within a call comes to what the call says of its time."""
    kinds = collections.Counter()
    waits = waits_of(events)
    for uuid in list(trace.tracks):
        who = trace.thread(uuid)
        states = [s for u in trace.below(uuid, "state") for s in trace.slices[u]] if who else []
        calls = [e for e in events if who and e["type"] == "syscall" and e["tid"] == who[1] and e.get("on_cpu_ns") is not None and e["duration_ns"]]
        if trace.below(uuid, "state") and len({t["uuid"] for t in trace.tracks.values() if t.get("thread", {}).get("tid") == who[1]}) > 1:
            continue  # its number is another thread's, too
        k = 0
        for c in calls:
            begin, end, sums, names = c["ts_ns"], c["ts_ns"] + c["duration_ns"], collections.Counter(), []
            while k < len(states) and states[k][1] <= begin:
                assert states[k][2] == "runnable", states[k]
                assert (who[1], states[k][0], states[k][1]) in waits or k and states[k - 1][1] == states[k][0], states[k]
                k += 1
            at = begin
            while k < len(states) and states[k][0] < end:
                s = states[k]
                assert s[0] == at and s[1] <= end, (s, c)
                at = s[1]
                sums[s[2]] += s[1] - s[0]
                names.append(s[2])
                k += 1
            assert at == end, (c, at, names, "the call has a gap")
            kinds.update(names)
            if names[0].startswith("mostly"):
                assert len(names) == 1, names
                mine = c["other_ns"] + c["disk_ns"] if names[0][7:] in ("sleeping", "disk waits") else c[STATES[names[0][7:]]]
                assert mine == max(c["other_ns"] + c["disk_ns"], c["runq_ns"], c["on_cpu_ns"]), (c, names)
            else:
                for name, key in STATES.items():
                    assert sums[name] == c[key], (name, sums[name], c)
    return kinds


def check_like_json(trace, chrome):
    """Counters, instants and slices on their own tracks are those that lib/perfetto.py reads, which other cases compare
    with the events."""
    us = lambda e: round(e["ts"] * 1000)
    counters = sorted((us(e), e["name"], list(e["args"].values())[0]) for e in chrome if e["ph"] == "C")
    assert counters == sorted((ts, trace.tracks[u]["name"], v) for ts, u, v in trace.counts)
    got = sorted((ts, name, sorted(args), cat) for ts, _, name, args, cat in trace.instants if cat != "flow")
    want = sorted((us(e), e["name"], sorted(k for k in e.get("args", {}) if not k.endswith("_hex")), e["cat"]) for e in chrome if e["ph"] == "i")
    assert got == want, [p for p in zip(got, want) if p[0] != p[1]][:3]
    said = {"open", "read", "write", "close", "mmap", "munmap", "brk", "rss", "spawn_process", "exec", "stat"}
    assert not said & {i[1] for i in got}, "an instant says what a slice does"
    ends = {e["id"]: us(e) for e in chrome if e["ph"] == "e"}
    asyncs = sorted((us(e), ends[e["id"]], e["cat"]) for e in chrome if e["ph"] == "b" and e["cat"] != "sched")
    assert asyncs == sorted((s[0], s[1], s[4]) for u, t in trace.tracks.items() for s in trace.slices[u] if "thread" not in t and t.get("name") != "state")


def check_arrows(trace, chrome, events):
    forks = [a for a in trace.arrows.values() if a[0][3] == "fork"]
    spawned = sum(e["type"] in ("spawn_process", "spawn_thread") for e in events)
    assert spawned * .9 - 1 <= len(forks) <= spawned, (len(forks), spawned)
    for arrow in trace.arrows.values():
        assert [way for way, *_ in arrow] in (["flow_ids"], ["flow_ids", "terminating_flow_ids"]), arrow
        assert len(arrow) < 2 or arrow[0][1] <= arrow[1][1] and arrow[0][2] != arrow[1][2], arrow
    starts = sorted(a[0][1] for a in trace.arrows.values())
    assert starts == sorted(round(e["ts"] * 1000) for e in chrome if e["ph"] == "s")


def one(*words):
    run("trace", "-v", "-q", "-w", "r.kvis", "--perfetto=p", "--json=json", *words)
    run("replay", "-q", "--perfetto=again", "r.kvis").status(0)
    assert open("p", "rb").read() == open("again", "rb").read(), "other bytes from the replay"
    trace, events, chrome = Trace("p"), rows(), perfetto.load("p")
    assert abs(trace.real_ns - events[0]["start_realtime_ns"]) < 512  # the decoder has doubles
    calls, states = check_calls(trace, events), check_states(trace, events)
    check_like_json(trace, chrome)
    check_arrows(trace, chrome, events)
    for name in "process", "thread":
        named = {t[name].get("pid" if name == "process" else "tid") for t in trace.tracks.values() if name in t}
        assert {e["pid" if name == "process" else "tid"] for e in events if e.get("pid")} <= named
    say(words[-1], calls, "calls,", dict(states))
    return trace, events


with open("a.c", "w") as f:
    f.write("int main(void) { return 0; }\n")
for backend in backends():
    how = f"--backend={backend}"
    one(how, "--", "gcc", "-o", "/dev/null", "a.c")
    one(how, "--", BIN + "/diff_threads")
    one(how, "--", BIN + "/diff_forks")
    one(how, "--", "sh", "-c", 'printf "x" >"$(printf "a\\"<b>\\033[31m\\377")"; kill -TERM $$')
    # A call that sleeps, and some that work.
    trace, _ = one(how, "--", "sh", "-c", "sleep 0.2; dd if=/dev/zero of=/dev/null bs=8M count=4 2>/dev/null")
    if backend == "hybrid":
        state = {u: trace.slices[u] for u, t in trace.tracks.items() if t.get("name") == "state"}
        slept = [s for slices in state.values() for s in slices if s[2].endswith("sleeping") and s[1] - s[0] > 190e6]
        assert slept, "no state says that sleep slept"
        # Two that seldom call the kernel share a CPU: each wait between two calls is a slice.
        loop = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"
        trace, events = one(how, "--", "taskset", "-c", str(min(os.sched_getaffinity(0))), "sh", "-c", f"({loop}) & {loop}; wait")
        shown = {s[:2] for u, t in trace.tracks.items() if t.get("name") == "state" for s in trace.slices[u] if s[2] == "runnable"}
        alone = [w for w in waits_of(events) if not any(c["tid"] == w[0] and c["ts_ns"] < w[2] and w[1] < c["ts_ns"] + (c["duration_ns"] or 1e18)
                                                                         for c in events if c["type"] == "syscall")]
        missed = [w for w in alone if w[1:] not in shown]
        assert len(alone) > 9 and not missed, (len(alone), len(missed), missed[:5])
    if subprocess.run([BIN + "/pid_again"], capture_output=True).stdout:
        trace, _ = one(how, "-o", "text", "--", "sh", "-c", 'exec "$0" >pid', BIN + "/pid_again")
        twice = int(read("pid"))
        assert sum(t.get("process", {}).get("pid") == twice for t in trace.tracks.values()) == 2, "one process of two"
