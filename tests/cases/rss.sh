#!/bin/sh
# Resident memory over time is what the program itself reads, with both backends and in every output.
# tier: quick asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
cat >grow.py <<'P'
import os
import time
page = os.sysconf("SC_PAGESIZE")
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * page
def still(name):
    print(name, resident(), flush=True)
    time.sleep(0.7)
still("small")
b = bytearray(b"x" * (64 << 20))
still("large")
del b
still("small_again")
P
for backend in ptrace auto; do
    kv trace -q --backend=$backend -w r.kvis --json=json --perfetto=p.json -- python3 grow.py >facts 2>err || fail "kvis: $?"
    cat >truth.py <<'P'
import json
E = [json.loads(line) for line in open("json")]
pid = E[1]["pid"]
told = [(e["ts_ns"], e["bytes"]) for e in E if e["type"] == "rss" and e["pid"] == pid]
assert told and told == sorted(told), told
facts = {k: int(v) for k, v in (line.split() for line in open("facts"))}
near = lambda a, b: abs(a - b) <= 1 << 20 # the print after it takes some
for name, want in facts.items():
    assert any(near(v, want) for _, v in told), (name, want, told)
assert max(v for _, v in told) - facts["small"] > 60 << 20, told
last = max(i for i, (_, v) in enumerate(told) if v - facts["small"] > 60 << 20)
# The process that ends gives its memory back: what is told then is less.
assert any(near(v, facts["small_again"]) for _, v in told[last + 1:]), told
assert all(v < facts["small_again"] + (60 << 20) for _, v in told[last + 1:]), told
ends = [e["ts_ns"] for e in E if e["type"] == "exit_process"]
assert all(t <= ends[-1] for t, _ in told)
every = sorted(e["bytes"] for e in E if e["type"] == "rss") # of what python3 may be called by, too
drawn = sorted(e["args"]["bytes"] for e in json.load(open("p.json"))["traceEvents"] if e["ph"] == "C" and e["name"] == "RSS")
assert drawn == every, (drawn, every)
P
    python3 truth.py >&9 2>&1 || fail "$backend: not what the program says"
    kv replay --json=again r.kvis 2>err || fail "replay: $?"
    grep '"type":"rss"' json >a
    grep '"type":"rss"' again >b
    cmp a b || fail "$backend: replayed, it is something else"
done
kv trace -q --json=json -- python3 grow.py >facts 2>err || fail "kvis: $?"
hasnt json '"type":"rss"'
