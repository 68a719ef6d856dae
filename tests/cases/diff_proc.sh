#!/bin/sh
# kvis diff subtracts two recordings of kvis proc: its numbers for each command agree with those of kvis proc.
# tier: gate asan
# timeout: 60
# needs: root python3
. "$TESTS/lib/lib.sh"
export LC_ALL=C.UTF-8 # lines contain arrows
cat >build <<'END'
for i in 1 2 3; do [ -e made$i ] || sh -c "sleep 0.4; cat /etc/passwd >made$i; exit 0"; done
/bin/true; [ -e made4 ] || /bin/false
sleep 0.05 & wait
exec sleep 0.0$1
END
for k in a b; do
    kv proc --forks -w $k.kvis --json=$k.json -o rows -- sh build 3 >out 2>err || fail "$k"
    rm made3; : >made4
done
run diff a.kvis b.kvis; status 0
has out '^ sh build 3: [0-9.]+ m?s → [0-9.]+ m?s \([-+]?[0-9]+%\), CPU .*%\)$'
eq "wider than 80 columns" "" "$(sed 's/→/>/g' out | grep '.\{81\}')"
has out '^ +5 +3 .* [-+]?[0-9]+%  sleep$'; has out '^ +3 +1 .*  cat$'; hasnt out 'n/a|Files|Calls'
kv diff --json=d a.kvis b.kvis >out2 2>err || fail "diff: $?"
cat >check.py <<'END'
import json
import re
d = json.load(open("d"))
for k in "ab":
    rows = [json.loads(l) for l in open(k + ".json")]
    cmds, first = {}, None
    for e in rows:
        if e["type"] == "command":
            c = cmds.setdefault(e["path"].rsplit("/", 1)[1], [0, 0, 0])
            c[0] += 1
            c[1] += e["duration_ns"]
            c[2] += e["end"] == "exit" and e["exit_code"] != 0
    found = {c["name"]: [c[k]["runs"], c[k]["time_ns"], c[k]["failed"]] for c in d["commands"] if c[k]}
    assert found == cmds, (k, found, cmds)
    assert d[k]["commands"] == sum(c[0] for c in cmds.values()), k
    # only one was at work at a time
    own = sum(c[k]["own_ns"] for c in d["commands"] if c[k])
    assert 0 < own <= d[k]["wall_ns"], (k, own, d[k]["wall_ns"])
by = {c["name"]: c for c in d["commands"]}
assert by["false"]["a"]["failed"] == 1 and by["false"]["b"] is None and by["true"]["a"]["runs"] == by["true"]["b"]["runs"] == 1, by
assert by["sleep"]["a"]["own_ns"] > 370e6 and by["sleep"]["change"] == by["sleep"]["b"]["own_ns"] - by["sleep"]["a"]["own_ns"]
# the change in the text
a, b = d["a"]["wall_ns"], d["b"]["wall_ns"]
shown = re.search(r"^ sh build 3: .*? \(([-+]?[0-9]+)%\), CPU", open("out").read(), re.M)
assert abs(int(shown[1]) - 100 * (b / a - 1)) <= 0.501, (shown[0], a, b)
END
python3 check.py >&9 2>&1 || fail "json"
kv trace -w t.kvis -- true 2>err
run diff a.kvis t.kvis; status 2; has err 'cannot compare a recording by kvis proc .a.kvis. with one by kvis trace .t.kvis.$'
run diff t.kvis a.kvis; status 2; has err 'kvis proc .a.kvis. with one by kvis trace .t.kvis.$'
kv proc -w one.kvis -o rows -- true 2>err
run diff one.kvis one.kvis; status 0; has out '^ A: one.kvis \([0-9.]+ s, 1 command, 1 process, proc\)$'
# Without a command, the time is that of the recording.
kv proc -d 1 -p $$ -w p.kvis -o rows 2>err || fail "-p"
run diff --json=d p.kvis p.kvis; status 0
python3 -c 'import json; a = json.load(open("d"))["a"]; assert a["wall_ns"] == a["duration_ns"] > 9e8, a' >&9 2>&1 || fail "no command"
