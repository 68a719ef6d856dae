#!/usr/bin/env python3
# A forged recording cannot make kvis print impossible values: no part exceeds the whole, JSON is valid, and the number of
# tracks, the memory for names and the time are bounded.
# tier: gate asan
# timeout: 120
import os
import re

import perfetto
import recording
from lib import eq, has, rows, run

FIELD, KIND, EVENT, ENTER, LEFT, WHERE, DELAYS, END = 4, 5, 7, 8, 16, 18, 19, 20
SLOTS = 4096


def put(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def putz(v):
    return put(v << 1 if v >= 0 else (-v << 1) - 1)


def text(s):
    return put(SLOTS << 1 | 1) + put(len(s)) + s


def write(name, records):
    records = [put(FIELD) + text(b"bytes") + put(3), put(KIND) + text(b"rss") + put(1) + put(0)] + records
    records += [put(END) + putz(0)]
    blocks = [b"".join(records[at:at + 1000]) for at in range(0, len(records), 1000)]
    open(name, "wb").write(recording.join(recording.head(5), blocks))


def kvis(*words):
    return run(*words, timeout=60)


def replay(name, *options):
    """Returns the summary and standard error."""
    done = kvis("replay", "--json=json", *options, name).status(0)
    return rows()[-1], done.err


# CPU time that is longer than the call, or whose sum overflows; 600 rows of one kind.
where = [put(WHERE) + text(b"read") + put(0) + put(5) + put(2 * 10**9 + i) + put(3 * 10**9)
         + put(i % 2 and 2**64 - 10**9) + put(0) + b"f" + text(b"/f%d" % i) for i in range(600)]
left = put(LEFT) + putz(7) + putz(3) + put(1) + text(b"a" * 40) + text(b'tcp"\x1b[31m\\') + b"-" + text(b"")
write("where.kvis", where + [left, put(DELAYS) + put(1) * 3 + put(0)])
summary, shown = replay("where.kvis", "-C")
where = summary["where_time_went"]
assert len(where) == 10 and summary["where_time_went_overflow"] >= 590 - 1, (len(where), summary["where_time_went_overflow"])
assert all(0 <= w["other_ns"] <= w["duration_ns"] for w in where), ("more time than there was", where[0])
line = [line for line in shown.split("\n") if line.startswith("   read ")][0].split()
assert float(line[5]) <= float(line[1]), ("more time than there was, in text", line)
eq("open at exit", [{"pid": 7, "fd": 3, "kind": "file", "sock_type": 'tcp"?[31m\\'}], summary["open_at_exit"])

# A thread in each record: those beyond the limit are on one track, and kvis says so.
threads = 66000
write("threads.kvis", [put(EVENT) + b"\0" + put(0) + put(1) + putz(i) + putz(i) + putz(1) + putz(4096)
                       for i in range(1, threads + 1)])
_, errors = replay("threads.kvis", "-q", "--perfetto=trace")
names = sum(e["name"] == "thread_name" for e in perfetto.load("trace")[1])
left_out = re.search(r"^kvis: trace: .*; the other threads share one track \((\d+) records\)$", errors, re.M)
assert names == 65536 and left_out and int(left_out[1]) >= threads - names, (names, left_out)

# Numbers that no kernel has: no counter of the trace falls below zero.
forged = []
for k, (kind, field, number) in enumerate((("brk", "growth_bytes", 3), ("mmap", "size", 3), ("munmap", "size", 3), ("close", "opener_pid", 1)), 1):
    forged += [put(FIELD) + text(field.encode()) + put(number), put(KIND) + text(kind.encode()) + put(1) + put(k)]
for k in range(5):
    forged += [put(EVENT) + b"\0" + put(k) + put(1) + putz(7) * 2 + putz(10**8) + putz(n)
               for n in (2**63 - 1, 2**63 - 1, -2**63, 2**63 - 1, -1, -2**63, -2**63)]
write("counters.kvis", forged)
replay("counters.kvis", "-q", "--perfetto=trace")
counted = [e for e in perfetto.load("trace")[1] if e["ph"] == "C"]
assert {e["name"] for e in counted} == {"heap", "mapped", "RSS", "open files"}, counted
assert min(v for e in counted for v in e["args"].values()) >= 0, counted

# Unfinished calls and child processes whose ids would all fall into one bucket of a hash table.
ids = [4096 * i for i in range(1, 60001)]
write("calls.kvis", [put(ENTER) + put(0) + putz(i) * 2 + putz(1) + text(b"read") + put(0) * 2 for i in ids])
has(kvis("replay", "-q", "calls.kvis").status(1).err, "invalid process id")  # that no kernel has
write("newer.kvis", [put(EVENT) + put(64) + put(0) + put(1) + putz(7) * 2 + putz(1) + putz(1)])
has(kvis("replay", "-q", "newer.kvis").status(1).err, r"newer kvis, version \?: unknown flags 64")
spawn = [put(FIELD) + text(b"child_pid") + put(1), put(KIND) + text(b"spawn_process") + put(1) + put(1)]
write("spawns.kvis", spawn + [put(EVENT) + b"\0" + put(1) * 2 + putz(7) * 2 + putz(1) + putz(i) for i in ids])
for how in ["replay", "-q", "--perfetto=trace"], ["replay", "-q", "--folded=stacks"], ["diff", "spawns.kvis"]:
    run(*how, "spawns.kvis", timeout=10)

# Two short references make each command line: kvis diff limits the memory for them, and says how many it omits.
argv = [b"a\0%03d" % i + 500 * b"x" for i in range(400)]
exec_kind = [put(FIELD) + text(b"program") + put(0), put(FIELD) + text(b"argv") + put(7),
             put(KIND) + text(b"exec") + put(2) + put(1) + put(2)]
slots = [put(1) + text(b"any") + put(k << 1 | 1) + put(len(a)) + a for k, a in enumerate(argv)]
execs = [put(EVENT) + b"\0" + put(1) + put(3) + putz(7) * 2 + putz(1) + text(b"p%03d" % (i // 400)) + put(i % 400 << 1)
         for i in range(400 * 400)]
write("lines.kvis", exec_kind + slots + execs)
done = kvis("diff", "--by=line", "lines.kvis", "lines.kvis")
omitted = re.search(r"Omitted: (\d+) .* 64 MiB of names", done.err + done.out)
assert omitted and 80000 < int(omitted[1]) < 2 * len(execs), (omitted, done.err[-500:])

# A recording of a machine with larger pages: what page faults brought in is counted in its pages, not in ours; also in a replay of a replay.
page = os.sysconf("SC_PAGE_SIZE")
kvis("trace", "-q", "--faults", "-w", "own.kvis", "true")
summary, _ = replay("own.kvis")
if "page_faults" in summary and len(str(page)) == len(str(2 * page)):
    old = open("own.kvis", "rb").read()
    blocks = [re.sub(b"(page_bytes.*?)%d" % page, rb"\g<1>%d" % (2 * page), block, count=1, flags=re.S) for _, block in recording.blocks(old)]
    open("larger.kvis", "wb").write(recording.join(old[:recording.HEAD], blocks))
    replay("larger.kvis", "-w", "again.kvis")
    larger, _ = replay("again.kvis")
    assert summary["page_faults"], "no faults"
    eq("bytes of faults", larger["page_faults"] * 2 * page, larger["page_fault_bytes"])
