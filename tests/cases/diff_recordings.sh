#!/bin/sh
# kvis diff shows what only one of two recordings has and where time moved, as text and JSON.
# tier: quick asan
# timeout: 40
# needs: python3 prog:loop
. "$TESTS/lib/lib.sh"
echo a >only_a; echo bb >only_b; echo c >both
kv trace -v -w a.kvis --json=a.json -- sh -c 'cat both only_a; cat nothing nothing' >out 2>err
kv trace -v -w b.kvis --json=b.json -- sh -c 'cat both only_b; head -1 both; sleep 0.2' >out 2>err
run diff a.kvis b.kvis; status 0
has out 'Files only in A'; has out '2 B  .*/only_a$'; has out '3 B  .*/only_b$'; hasnt out '/both$'
has out 'Commands only in B'; has out '/head$'; has out 'ENOENT +openat'; has out 'openat +[0-9]+ +[0-9]+'
run diff --json=d a.kvis b.kvis; status 0
# The figures are those of the calls as the runs themselves told them; what a recording lacks is absent.
cat >check.py <<'END'
import json, re, subprocess, sys
kvis = sys.argv[1]
d = json.load(open("d"))
names = lambda k: {f["name"].rsplit("/", 1)[1] for f in d[k] if "/proc/" not in f["name"]}
assert "only_a" in names("files_only_a") and "only_a" not in names("files_only_b"), d
assert "only_b" in names("files_only_b") and "both" not in names("files_only_a"), d
assert any(p.endswith("/head") for p in d["commands_only_b"]), d["commands_only_b"]
PARTS = "on_cpu_ns", "runq_ns", "disk_ns", "other_ns"
def truth(name): # {call: [timed, cpu, runq, disk, other]} of a live --json
    sums, lines = {}, [json.loads(l) for l in open(name)]
    for e in lines:
        if e["type"] == "syscall" and "on_cpu_ns" in e and e["ret"] is not None:
            s = sums.setdefault(e["name"], [0] * 5)
            s[0] += 1
            for i, p in enumerate(PARTS):
                s[i + 1] += e[p]
    return sums, lines[-1]
calls = {c["name"]: c for c in d["calls"]}
for k, f in ("a", "a.kvis"), ("b", "b.kvis"):
    sums, last = truth(k + ".json")
    assert d[k]["file"] == f and d[k]["syscalls"] == sum(c[k]["calls"] for c in calls.values()), k
    hybrid = d[k]["backend"] == "hybrid"
    assert hybrid == bool(sums) and hybrid == ("sched_waits" in d[k]), (k, d[k]["backend"])
    assert d[k].get("sched_wait_ns") == last.get("sched_wait_ns"), "waits for a CPU"
    for name, c in calls.items():
        got = [c[k].get(x) for x in ("timed",) + PARTS]
        assert got == (sums.get(name, [0] * 5) if hybrid else [None] * 5), (k, name, got, sums.get(name))
assert calls["openat"]["a"]["p99_ns"] >= calls["openat"]["a"]["p50_ns"] > 0
slept = [n for n, c in calls.items() if n.endswith("nanosleep")]
if d["b"]["backend"] == "hybrid": # the sleep of B is neither CPU nor disk, and the text's row says so
    c = calls[slept[0]]["b"]
    assert c["timed"] == 1 and c["other_ns"] > 190e6 and c["on_cpu_ns"] < 50e6, c
    text = subprocess.run([kvis, "diff", "a.kvis", "b.kvis"], capture_output=True, text=True).stdout
    row = next(l.split() for l in text[text.index("Where time went"):].split("\n") if l.split()[:1] == slept)
    assert row[1:3] == ["0", "1"] and row[10] == f"{c['other_ns'] // 10**5 / 10:.1f}", row
END
python3 check.py "$KVIS" >&9 2>&1 || fail "json"
run diff a.kvis a.kvis; hasnt out 'only in'; hasnt out 'Failed'

# n/a where a recording does not have it: no calls, or by ptrace
kv trace -q -v --backend=ptrace -w p.kvis -- "$BIN/loop" 10 2>err
kv trace -q -w n.kvis --backend=ptrace -- "$BIN/loop" 10 2>err
run diff p.kvis n.kvis; status 0
has out '^   read +[0-9]+ +n/a +[0-9.]+ +n/a +[0-9.]+ +n/a +[0-9.]+ +n/a$'
has out 'Where time went: n/a'; has out 'A Scheduler: n/a'; has out 'B Scheduler: n/a'
run diff n.kvis n.kvis; status 0; has out 'Calls: n/a .not recorded'
kv diff --json=d p.kvis n.kvis || fail "json"
python3 - <<'END' >&9 2>&1 || fail "what n.kvis lacks is not absent"
import json
d = json.load(open("d"))
assert d["calls"] and all(set(c["b"]) == set() and "timed" not in c["a"] for c in d["calls"]), d["calls"][0]
END
run diff a.kvis; status 2
head -c 3000 a.kvis >cut.kvis; run diff a.kvis cut.kvis; status 125; has err 'cut.kvis: torn at offset'
