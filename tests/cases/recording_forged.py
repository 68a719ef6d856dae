#!/usr/bin/env python3
# A forged recording cannot make kvis print impossible values: no part exceeds the whole, JSON is valid, and the number of
# tracks, the memory for names and the time are bounded.
# tier: gate asan
# timeout: 120
import json
import os
import re
import subprocess
import sys

import perfetto
import recording

KVIS = os.environ["KVIS"]
FIELD, KIND, EVENT, ENTER, NUM, LEFT, WHERE, DELAYS, END = 4, 5, 7, 8, 11, 16, 18, 19, 20
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


def replay(name, *options):
    r = subprocess.run([KVIS, "replay", "--json=json", *options, name], capture_output=True, timeout=60)
    if r.returncode:
        sys.exit(f"{name}: status {r.returncode}: {r.stderr[-500:]}")
    return json.loads(open("json").read().split("\n")[-2]), r.stderr.decode()


# Time on a CPU beyond that of the call, or so much that a sum of it is small again; 600 rows in one place.
where = [put(WHERE) + text(b"read") + put(0) + put(5) + put(2 * 10**9 + i) + put(3 * 10**9)
         + put(i % 2 and 2**64 - 10**9) + put(0) + b"f" + text(b"/f%d" % i) for i in range(600)]
left = put(LEFT) + putz(7) + putz(3) + put(1) + text(b"a" * 40) + text(b'tcp"\x1b[31m\\') + b"-" + text(b"")
write("where.kvis", where + [left, put(DELAYS) + put(1) * 3 + put(0)])
summary, shown = replay("where.kvis", "-C")
rows = summary["where_time_went"]
if len(rows) != 10 or summary["where_time_went_overflow"] < 590 - 1:
    sys.exit(f"{len(rows)} rows, {summary['where_time_went_overflow']} others")
if not all(0 <= w["other_ns"] <= w["duration_ns"] for w in rows):
    sys.exit(f"more time than there was: {rows[0]}")
line = [line for line in shown.split("\n") if line.startswith("   read ")][0].split()
if float(line[5]) > float(line[1]):
    sys.exit(f"the text says {line}")
if summary["open_at_exit"] != [{"pid": 7, "fd": 3, "kind": "file", "sock_type": 'tcp"?[31m\\'}]:
    sys.exit(f"{summary['open_at_exit']}")

# A thread in each record: those beyond the limit share one track, and kvis says so.
threads = 66000
write("threads.kvis", [put(EVENT) + b"\0" + put(0) + put(1) + putz(i) + putz(i) + putz(1) + putz(4096)
                       for i in range(1, threads + 1)])
_, errors = replay("threads.kvis", "-q", "--perfetto=trace")
names = sum(e["name"] == "thread_name" for e in perfetto.load("trace"))
left_out = re.search(r"^kvis: trace: (\d+) records share one track", errors, re.M)
left_out = int(left_out[1]) if left_out else 0
if names != 65536 or left_out < threads - names:
    sys.exit(f"{names} tracks, {left_out} records of other threads")

# Unfinished calls and child processes whose ids would all fall into one bucket of a hash table.
ids = [4096 * i for i in range(1, 60001)]
write("calls.kvis", [put(ENTER) + put(0) + putz(i) * 2 + putz(1) + text(b"read") + put(0) * 2 for i in ids])
r = subprocess.run([KVIS, "replay", "-q", "calls.kvis"], capture_output=True, timeout=10)
if r.returncode != 1 or b"invalid process id" not in r.stderr:
    sys.exit(f"ids that no kernel has: status {r.returncode}: {r.stderr[-500:]}")
write("newer.kvis", [put(EVENT) + put(32) + put(0) + put(1) + putz(7) * 2 + putz(1) + putz(1)])
r = subprocess.run([KVIS, "replay", "-q", "newer.kvis"], capture_output=True, timeout=10)
if r.returncode != 1 or b"newer kvis, version ?: unknown flags 32" not in r.stderr:
    sys.exit(f"a flag of an event that kvis does not know: status {r.returncode}: {r.stderr[-500:]}")
spawn = [put(FIELD) + text(b"child_pid") + put(1), put(KIND) + text(b"spawn_process") + put(1) + put(1)]
write("spawns.kvis", spawn + [put(EVENT) + b"\0" + put(1) * 2 + putz(7) * 2 + putz(1) + putz(i) for i in ids])
for how in ["replay", "-q", "--perfetto=trace"], ["replay", "-q", "--folded=stacks"], ["diff", "spawns.kvis"]:
    subprocess.run([KVIS, *how, "spawns.kvis"], capture_output=True, timeout=10)

# Two short references make each command line: kvis diff limits the memory for them, and says how many it omits.
argv = [b"a\0%03d" % i + 500 * b"x" for i in range(400)]
exec_kind = [put(FIELD) + text(b"program") + put(0), put(FIELD) + text(b"argv") + put(7),
             put(KIND) + text(b"exec") + put(2) + put(1) + put(2)]
slots = [put(1) + text(b"any") + put(k << 1 | 1) + put(len(a)) + a for k, a in enumerate(argv)]
execs = [put(EVENT) + b"\0" + put(1) + put(3) + putz(7) * 2 + putz(1) + text(b"p%03d" % (i // 400)) + put(i % 400 << 1)
         for i in range(400 * 400)]
write("lines.kvis", exec_kind + slots + execs)
r = subprocess.run([KVIS, "diff", "--by=line", "lines.kvis", "lines.kvis"], capture_output=True, timeout=60)
omitted = re.search(rb"Omitted: (\d+) .* 64 MiB of names", r.stderr + r.stdout)
if not omitted or not 80000 < int(omitted[1]) < 2 * len(execs):
    sys.exit(f"too many command lines: {r.returncode}: {(r.stdout + r.stderr)[-500:]}")

# A recording of a machine with larger pages: what page faults brought in is counted in its pages, not in ours; also in a replay of a replay.
page = os.sysconf("SC_PAGE_SIZE")
subprocess.run([KVIS, "trace", "-q", "--faults", "-w", "own.kvis", "true"], stderr=subprocess.DEVNULL, timeout=60)
summary, shown = replay("own.kvis")
if "page_faults" in summary and len(str(page)) == len(str(2 * page)):
    old = open("own.kvis", "rb").read()
    larger = []
    for _, block in recording.blocks(old):
        key = block.find(b"page_bytes")
        if key >= 0:
            block = block[:key] + block[key:].replace(b"%d" % page, b"%d" % (2 * page), 1)
        larger.append(block)
    open("larger.kvis", "wb").write(recording.join(old[:recording.HEAD], larger))
    replay("larger.kvis", "-w", "again.kvis")
    larger, shown = replay("again.kvis")
    if not summary["page_faults"] or larger["page_fault_bytes"] != larger["page_faults"] * 2 * page:
        sys.exit(f"{larger['page_faults']} faults of {2 * page} bytes are {larger['page_fault_bytes']} bytes")
