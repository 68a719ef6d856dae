#!/bin/sh
# kvis diff subtracts two recordings of kvis trace: commands, files, failed calls, calls and where their time went.
# tier: quick asan
# timeout: 40
# needs: python3 prog:loop
. "$TESTS/lib/lib.sh"
echo a >only_a; echo bb >only_b; echo c >both
kv trace -v -w a.kvis --json=a.json -- sh -c 'cat both only_a; cat nothing nothing' >out 2>err
kv trace -v -w b.kvis --json=b.json -- sh -c 'cat both only_b; head -1 both; sleep 0.2' >out 2>err
run diff a.kvis b.kvis; status 0
has out '^ +1 +- +2 B +- +-2 B +gone  .*/only_a$'; has out '^ +- +1 +- +3 B +[+]3 B +new  .*/only_b$'
has out '^ +1 +2 +2 B +4 B +[+]2 B +[+]100%  .*/both$'
has out '^ +- +1 .* new  head$'; has out '^ +2 +- +-2 +gone  openat ENOENT$'; has out '^ calls A calls B +A +B +change +%  call$'
eq "wider than 80 columns" "" "$(sed 's/→/>/g' out | grep -v '/' | grep '.\{81\}' | grep -v 'Scheduler\|Block I/O')"
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
cmds, files = ({x["name"]: x for x in d[k]} for k in ("commands", "files"))
assert cmds["cat"]["a"]["runs"] == 2 and cmds["cat"]["a"]["failed"] == 1 and cmds["cat"]["b"]["failed"] == 0, cmds["cat"]
assert cmds["head"]["a"] is None and cmds["head"]["b"]["runs"] == 1, cmds["head"]
assert cmds["sleep"]["change"] == cmds["sleep"]["b"]["own_ns"] > 190e6 and "percent" not in cmds["sleep"], cmds["sleep"]
sh = cmds["sh"]["b"]  # it waited for its children: that is no time of its own
assert sh["time_ns"] > 200e6 and sh["own_ns"] < sh["time_ns"] - 190e6 and d["b"]["wall_ns"] == sh["time_ns"], (sh, d["b"])
both = next(f for n, f in files.items() if n.endswith("/both"))
assert (both["a"]["bytes"], both["b"]["bytes"], both["change"], both["percent"]) == (2, 4, 2, 100.0), both
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
    row = next(l.split() for l in text[text.index("Where time went"):].split("\n") if l.split()[-1:] == slept)
    assert abs(float(row[7]) - c["other_ns"] / 1e6) < 0.06 and row[6] == "0.0", row
END
python3 check.py "$KVIS" >&9 2>&1 || fail "json"
run diff a.kvis a.kvis; hasnt out 'gone|new|Failed|change'

# What was not traced in one of them is no change.
kv trace -v -e trace=openat -w some.kvis -- cat both nothing >out 2>err
kv trace -v -w all.kvis -- cat both nothing >out 2>err
run diff --json=d some.kvis all.kvis; status 0
want_d='assert d["other_calls"] and [c["name"] for c in d["calls"]] == ["openat"], d["calls"]'
python3 -c "import json; d = json.load(open('d')); $want_d
assert not [c for c in d['failed'] if c['name'] != 'openat'], d['failed']" 2>&9 || fail "another -e"
run diff some.kvis all.kvis; has out '^ Different calls were traced [(]-e[)]'; hasnt out ' new  [a-z_0-9]+$'
run diff all.kvis all.kvis; hasnt out 'Different calls'

# Names that differ by chance are one: of mkstemp(3), and with the number of a process in them. Others are not.
for f in 1 2; do
    side=$(echo $f | tr 12 ab)
    kv trace -q -w t$f.kvis -- sh -c 'mkdir tmp
        for i in Ab3d xYzQ QwEr; do echo x >tmp/cc$i'$f'Z.s; cat tmp/cc$i'$f'Z.s; done
        echo x >pid.$$; echo x >word_'$f'; echo x >Word'$f'Name; echo x >tmp/report'$f'; echo x >tmp/a_word_'$side'; rm -r tmp' >out 2>err
done
run diff --json=d t1.kvis t2.kvis; status 0
cat >folded.py <<'END'
import json, os
d = json.load(open("d"))
word = lambda name: [] if "/tmp/" in os.getcwd() else [name]  # there it could be mkstemp's
name = lambda k: sorted(f["name"].split("/work/")[-1].split("/", 1)[1] for f in d[k] if "/work/" in f["name"])
assert name("files_only_a") == word("Word1Name") + ["tmp/a_word_a", "tmp/report1", "word_1"], name("files_only_a")
assert name("files_only_b") == word("Word2Name") + ["tmp/a_word_b", "tmp/report2", "word_2"], name("files_only_b")
END
python3 folded.py >&9 2>&1 || fail "folded"

# --by=line; --fail-above
run diff --by=line a.kvis b.kvis; has out '^ +- +1 .* new  sleep 0.2$'; has out 'gone  cat both only_a$'
run diff --fail-above=10 a.kvis b.kvis; status 1; has err 'B took [0-9.]+ % longer than A .threshold 10 %.$'
run diff --fail-above=10 b.kvis a.kvis; status 0; [ ! -s err ] || fail "it says more"
run diff --fail-above=0 a.kvis a.kvis; status 0
run diff --fail-above=999999 --json a.kvis b.kvis; status 0
run diff --fail-above=x a.kvis b.kvis; status 2

# n/a where a recording does not have it: no calls, or by ptrace
kv trace -q -v --backend=ptrace -w p.kvis -- "$BIN/loop" 10 2>err
kv trace -q -w n.kvis --backend=ptrace -- "$BIN/loop" 10 2>err
run diff p.kvis n.kvis; status 0
has out '^ +[0-9]+ +n/a +[0-9.]+ us +n/a +n/a +-  read$'; has out '^ +[0-9.]+ +n/a +[0-9.]+ +n/a  read$'
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
