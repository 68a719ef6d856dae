#!/bin/sh
# --folded writes the time in each call as stacks that flame graph programs read; so does a replay.
# tier: quick asan
# timeout: 120
# needs: gcc python3 prog:cmd prog:diff_threads
. "$TESTS/lib/lib.sh"
one() { # one OPTION... -- COMMAND
    kv trace -v -q -w r.kvis --folded=live --json=json "$@" >out 2>err </dev/null
    kv replay -q --folded=again r.kvis 2>err || fail "replay"
    python3 - live again json >&9 2>want.err <<'END2' || { cat want.err >&9; fail "$*"; }
import collections, json, os, re, sys
sys.path.insert(0, os.environ["TESTS"] + "/lib")
live, again, lines = sys.argv[1:]
def read(path):
    sums, rows = collections.Counter(), collections.Counter()
    for line in open(path, newline="\n"):
        m = re.fullmatch(r"(.+) (\d+)\n", line)  # the form that speedscope takes
        assert m and ";;" not in line and not re.search(r"[\0-\x09\x0b-\x1f]", line), line
        frames = m[1].split(";")
        assert re.fullmatch(r"thread \d+", frames[1]) and 3 <= len(frames) <= 5, line
        sums[frames[1], frames[2]] += int(m[2])
        rows[frames[1], frames[2]] += 1
        if frames[-1][0] == "[":
            sums[frames[-1]] += int(m[2])
    return sums, rows
got, rows = read(live)
assert sorted(open(live)) == sorted(open(again)), "other stacks from the replay"
want, busy = collections.Counter(), collections.Counter()
for line in open(lines):
    e = json.loads(line)
    if e["type"] == "syscall" and e["duration_ns"]:
        want[f"thread {e['tid']}", e["name"]] += e["duration_ns"] / 1000
        for key, leaf in (("runq_ns", "[run queue]"), ("disk_ns", "[disk]"), ("other_ns", "[blocked]")):
            want[leaf] += e.get(key, 0) / 1000
assert len(want) > 10
for key, us in want.items():
    calls = rows[key] if isinstance(key, tuple) else sum(rows.values())
    assert abs(got[key] - us) <= calls + 1 or us < 40, (key, got[key], us)
assert set(got) <= set(want), set(got) - set(want)
print(len(rows), "threads and calls,", sum(rows.values()), "stacks")
END2
}
echo 'int main(void) { return 0; }' >a.c
backends=ptrace
"$KVIS" trace --backend=hybrid -q true 2>/dev/null && backends="ptrace hybrid"
for b in $backends; do
    one --backend=$b -- gcc -o /dev/null a.c
    has live '^cc1;thread [0-9]+;openat;/.*/stdc-predef\.h [0-9]+$'
    one --backend=$b -- "$BIN/diff_threads"
    one --backend=$b -- sh -c 'cat "$(printf "a;b\nc \377 1")"; printf x >"$(printf ";\n;")"; sleep 0.1; cat "$(printf ";\n;")"'
    has live '^cat;thread [0-9]+;openat;a\\x3bb\\nc .* 1 [0-9]+$'
    has live '^cat;thread [0-9]+;close;/.*/\\x3b\\\\n\\x3b [0-9]+$'
done
# more stacks than the table has: several lines of one are added up by who reads them
one -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do eval "a$i=\"\$(seq -s \" \" -f n$i%g 600)\""; done
    for i in $a1 $a2 $a3 $a4 $a5 $a6 $a7 $a8 $a9; do [ -e $i ]; done'
# kvis proc: CPU time of commands, below those that started them
if [ "$(id -u)" = 0 ]; then
    kv proc --folded=cpu -w p.kvis -o rows -- sh -c 'sh -c "i=0; while [ \$i -lt 90000 ]; do i=\$((i + 1)); done; true"; true' 2>err || fail "proc"
    has cpu '^sh;sh [0-9]{4,}$'
    kv replay -q --folded=cpu2 p.kvis 2>err || fail "replay of proc"
    cmp cpu cpu2 >&9 || fail "other stacks from the replay"
fi
run trace --folded=/nonexistent/p -- true; status 125; has err '/nonexistent/p: there is no such directory'
run trace --folded=/dev/full -- ls /; status 125; has err '/dev/full.*No space'; has out bin
