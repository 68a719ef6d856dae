#!/bin/sh
# timeout: 30
# needs: python3
# kvis diff: what only one of two recordings has, as text and JSON.
. "$TESTS/lib.sh"
echo a >only_a; echo bb >only_b; echo c >both
kv trace -v -w a.kvis -- sh -c 'cat both only_a; cat nothing nothing' >out 2>err
kv trace -v -w b.kvis -- sh -c 'cat both only_b; head -1 both' >out 2>err
run diff a.kvis b.kvis; status 0
has out 'Files only in A'; has out '2 B  .*/only_a$'; has out '3 B  .*/only_b$'; hasnt out '/both$'
has out 'Commands only in B'; has out '/head$'; has out 'ENOENT +openat'; has out 'openat +[0-9]+ +[0-9]+'
run diff --json=d a.kvis b.kvis; status 0
python3 - <<'END' >&9 2>&1 || fail "json"
import json
d = json.load(open("d"))
names = lambda k: {f["name"].rsplit("/", 1)[1] for f in d[k] if "/proc/" not in f["name"]}
assert "only_a" in names("files_only_a") and "only_a" not in names("files_only_b"), d
assert "only_b" in names("files_only_b") and "both" not in names("files_only_a"), d
assert any(p.endswith("/head") for p in d["commands_only_b"]), d["commands_only_b"]
calls = {c["name"]: c for c in d["calls"]}
for k, f in (("a", "a.kvis"), ("b", "b.kvis")):
    assert d[k]["file"] == f and d[k]["syscalls"] == sum(c[k]["calls"] for c in calls.values()), k
assert calls["openat"]["a"]["p99_ns"] >= calls["openat"]["a"]["p50_ns"] > 0
END
run diff a.kvis a.kvis; hasnt out 'only in'; hasnt out 'Failed'
run diff a.kvis; status 2
head -c 3000 a.kvis >cut.kvis; run diff a.kvis cut.kvis; status 125; has err 'cut.kvis: torn at offset'
