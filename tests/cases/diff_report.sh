#!/bin/sh
# The page of kvis diff shows in Chromium what --json has: every row of every table, and each run of a command in the timelines.
# tier: browser
# timeout: 120
# needs: chromium gcc python3
. "$TESTS/lib/lib.sh"
export HOME="$PWD"
for i in 1 2 3 4 5 6; do echo "#include <stdio.h>
int f$i(void) { return $i; }" >m$i.c; done
cat >build <<'END'
for i in 1 2 3 4 5 6; do [ -e m$i.o ] || gcc -c m$i.c -o m$i.o & done; wait
cat /nonexistent; sleep 0.1 & sleep 0.2; wait
"./$1"
END
mkdir h
cp /bin/true '<img src=x onerror=alert(1)>'
: >'h/"><svg onload=alert(2)>'; : >"$(printf 'h/a\033[31m\377b')"; mkdir -p 'h/<' && echo x >'h/</script><script>alert(3)<' 2>/dev/null
mkdir -p 'h/<!--<script>' && echo y >'h/<!--<script>/x'
kv trace -v -q -w ta.kvis --json=ta.json -- sh build '<img src=x onerror=alert(1)>' >out 2>err || fail "record A: $(cat err)"
rm m1.o m2.o
kv trace -v -q -w tb.kvis --json=tb.json -- sh -c 'sh build "<img src=x onerror=alert(1)>"; cat h/* h/*/*; true' >out 2>err || fail "record B: $(cat err)"
rm -f m?.o
run trace -q --backend=ptrace -w qa.kvis --json=qa.json -- sh build '<img src=x onerror=alert(1)>'
run trace -q --backend=ptrace -e trace=execve,openat -w qb.kvis --json=qb.json -- sh -c 'exit 3'
run diff --report=t.html --json=t.js ta.kvis tb.kvis; status 0; has err '^kvis: wrote t.html \([0-9.]+ KB\)$'
run diff --report=q.html --json=q.js qa.kvis qb.kvis; status 0
run diff --report ta.kvis ta.kvis; status 0; [ -s report.html ] || fail "no report.html"
before=$(wc -c <ta.kvis); run diff --report=ta.kvis ta.kvis tb.kvis; status 2; has err 'already uses this file'
run diff --report=ta.kvis ta.kvis ta.kvis; status 2; eq "the recording" "$before" "$(wc -c <ta.kvis)"
run diff --report=/dev/full ta.kvis tb.kvis; status 125; has err '/dev/full.*No space'
pages="t q"
if [ "$(id -u)" = 0 ] && kv proc -w pa.kvis --json=pa.json -o rows -- sh build '<img src=x onerror=alert(1)>' >out 2>err; then
    kv proc -w pb.kvis --json=pb.json -o rows -- sh build '<img src=x onerror=alert(1)>' >out 2>err
    run diff --by=line --report=p.html --json=p.js pa.kvis pb.kvis; status 0
    pages="$pages p"
fi
python3 - $pages <<'END' >&9 2>&1 || fail "the page"
import json, sys
from browser import Browser
from report import size, span
count = lambda v: f"{v:,}".replace(",", "\u202f")
plain = lambda s: s.replace("\u00a0", " ").replace("−", "-")
shown = lambda v, f: "–" if v is None else "n/a" if v == "?" else f(v)
both = lambda p, f=count: shown(p[0], f) + ("" if p[0] == p[1] else " → " + shown(p[1], f))
signed = lambda v, f: f(0) if not v else ("+" if v > 0 else "-") + f(abs(v))
def side(r, key):
    return [None if r[k] is None else r[k].get(key, "?") for k in "ab"]
def cells(name, pair, f, *more):
    """A row as it has to be. Without its percent where the JSON has none: a double rounds otherwise."""
    a, b = pair
    if "?" in pair:
        return [name, *more, shown(a, f), shown(b, f), "n/a", ""]
    per = "new" if a is None else "gone" if b is None else "" if not a else (b / a - 1) * 100
    return [name, *more, shown(a, f), shown(b, f), signed((b or 0) - (a or 0), f), per]
b = Browser()
for page in sys.argv[1:]:
    d = json.load(open(page + ".js"))
    proc = d["a"]["backend"] == "proc"
    b.size(1400, 1000)
    b.open(page + ".html")
    b.js("for (const e of [...document.querySelectorAll('#changes button')]) e.click()")
    got = b.js("Object.fromEntries([...document.querySelectorAll('#changes section')].map(s => [s.id, [...s.querySelectorAll('tbody tr')]"
               ".map(r => [...r.children].slice(0, -1).map(c => c.textContent))]))")
    esc = lambda name: b.js(f"esc({json.dumps(name)})")
    want = {}
    want["commands"] = [cells(esc(c["name"]), side(c, "own_ns"), span, both(side(c, "runs")), both([(c[k] or {}).get("failed", 0) for k in "ab"]),
                              *([both(side(c, "cpu_ns"), span)] if proc else [])) for c in d["commands"]]
    want["calls"] = [cells(c["name"], side(c, "total_ns"), span, both(side(c, "calls")), both(side(c, "p50_ns"), span), both(side(c, "p99_ns"), span))
                     for c in d["calls"] if c.get("change") or c["a"].get("calls") != c["b"].get("calls")]
    for key in "files", "peers":
        want[key] = [cells(esc(f["name"]), side(f, "bytes"), size, both(side(f, "opens"))) for f in d[key]]
    want["failed"] = [cells(f"{f['name']} {f['error']}", [f["a"], f["b"]], count) for f in d["failed"]]
    parts = {"on a CPU": "on_cpu_ns", "waiting for a CPU": "runq_ns", "waiting for a disk": "disk_ns", "blocked": "other_ns"}
    timed = all(any("timed" in c[k] for c in d["calls"]) for k in "ab")
    sums = [cells("all calls: " + what, [sum(c[k].get(key, 0) for c in d["calls"]) for k in "ab"], span) for what, key in parts.items()]
    rows = [cells(f"{c['name']}: {what}", side(c, key), span) for c in d["calls"] for what, key in parts.items()]
    want["waits"] = [r for r in sums if r[1:3] != ["0 ns"] * 2] + [r for r in rows if r[3] != "0 ns"] if timed else []
    for name, rows in want.items():
        there = [[plain(t) for t in r] for r in got.pop(name, [])]
        if name == "waits":  # those of one change have no order
            there, rows = sorted(there), sorted(rows, key=lambda r: [str(t) for t in r])
        assert len(there) == len(rows), (page, name, len(there), len(rows))
        for t, r in zip(there, rows):
            r = [plain(str(x)) if not isinstance(x, float) else x for x in r]
            if isinstance(r[-1], float):
                assert t[-1] == "" and not r[-1] or abs(float(t[-1].split()[0]) - r[-1]) < .051, (page, name, t, r)
                t, r = t[:-1], r[:-1]
            assert t == r, (page, name, t, r)
    numbers = {r[0]: [plain(t) for t in r[1:]] for r in got.pop("whole")}
    assert not got, got.keys()
    for name, key, f in (("wall time", "wall_ns", span), ("peak memory of a process", "max_rss", size), ("calls", "syscalls", count), ("commands", "commands", count),
                         ("processes", "processes", count), ("files: read", "file_in", size), ("waiting for a CPU", "sched_wait_ns", span)):
        pair = [d[k].get(key) for k in "ab"]
        if any(pair):
            assert numbers[name][:2] == ["n/a" if v is None or (not v and key == "max_rss") else f(v) for v in pair], (page, name, numbers[name], pair)
    assert f"{span(d['a']['wall_ns'])} → {span(d['b']['wall_ns'])}" in plain(b.js("document.querySelector('#stands').textContent")), "the first line"
    # each program that was executed has a bar, and where it begins and how long it is are what the run's own events say
    shown_runs = b.js("[...document.querySelectorAll('.lanes')].map(l => [...l.querySelectorAll('span')].map(s => [s.title.match(/, pid (\\d+)/)[1], s.style.left, s.style.width]))")
    end = max(float(d[k]["wall_ns"]) for k in "ab")
    for k, bars in zip("ab", shown_runs):
        events = [json.loads(line) for line in open(page + k + ".json")]
        execs = sorted(e["pid"] for e in events if e["type"] == ("command" if proc else "exec") and "error" not in e)
        assert sorted(int(x[0]) for x in bars) == execs, (page, k, bars, execs)
        first = min(bars, key=lambda x: float(x[1][:-1]))
        assert float(first[1][:-1]) == 0 and abs(float(first[2][:-1]) / 100 * end - d[k]["wall_ns"]) < end / 50, (page, k, first, d[k]["wall_ns"])
assert not b.bad, b.bad
b.close()
END
