#!/bin/sh
# The summary is complete or gives the number of omitted entries, and text, JSON, the replay of a recording and diff
# agree: with 101 programs, 5002 files, a long sleep after 2000 other rows of the table of times, and an inherited file.
# tier: quick asan
# timeout: 120
# needs: root /usr/bin/python3
. "$TESTS/lib/lib.sh"
cat >many.py <<'P'
import os
import sys
import time
os.mkdir("files")
for i in range(5002):
    with open(f"files/{i}", "w") as f:
        f.write("x" * (i + 1))
for i in range(2000): # each is a row of its own: read of that file
    fd = os.open(f"files/{i}", os.O_RDONLY)
    os.read(fd, 1)
    os.close(fd)
time.sleep(0.7)
for i in range(101):
    os.link(sys.argv[1], f"program{i}")
    os.spawnv(os.P_WAIT, f"program{i}", [f"program{i}"])
print("done" * 2000)
P
cp /bin/true ./nothing
for backend in ptrace auto; do
    rm -rf files program*
    kv trace -C --backend=$backend -w r.kvis --json=json -- /usr/bin/python3 many.py ./nothing >inherited 2>err || fail "kvis: $?"
    sed -n '1p;$p' json >ends # the header and the summary
    # the lists, with what they leave out
    want 'len([p for p in S["subprocesses"] if "/program" in p]) + S["subprocesses_overflow"] == 101' ends
    want 'len(S["files"]) + S["files_overflow"] >= 5002 + 1' ends
    want 'len(S["files"]) == 1000 and max(f["bytes_written"] for f in S["files"] if "/files/" in f["path"]) == 5002' ends
    want 'S["peers_overflow"] == S["connections_overflow"] == 0' ends
    # an inherited file counts as written, although it was not opened
    eq "bytes of a file that was inherited" "$(wc -c <inherited)" "$(js '[f["bytes_written"] for f in S["files"] if f["path"].endswith("/inherited")]' ends | tr -d '[]')"
    want 'S["files_written"] == 5002 + 1' ends
    # text and JSON have the same numbers
    has err "^  files +$(js 'S["files_read"]' ends) read .*, $(js 'S["files_written"]' ends) written "
    has err '^ {18}.* (read|written) \(\+[0-9]+\)$'
    if [ $backend = auto ]; then
        want '[w["duration_ns"] >= 7e8 for w in S["where_time_went"] if w["name"] == "clock_nanosleep"] == [True]' ends
        want 'S["where_time_went_overflow"] + len(S["where_time_went"]) > 2000' ends
        has err '^   clock_nanosleep '
        has err '^   \.\.\. and others, [0-9.]+ ms in total$' # how many is not known
    fi
    # a recording contains the same summary, for text and JSON
    kv replay -C --json=again r.kvis >err2 2>&1 || fail "replay: $?"
    eq "the summary of the replay" "$(tail -n 1 json)" "$(tail -n 1 again)"
    eq "the text of the replay" "$(sed '1,/^python3: /d' err)" "$(sed '1,/^python3: /d' err2)"
    kv diff --json=d r.kvis r.kvis >out 2>err || fail "diff: $?"
    python3 -c 'import json; d = json.load(open("d")); assert d["a"] == d["b"] and not [x for x in d["files"] + d["commands"] if not x["a"] or not x["b"]], d' ||
        fail "a recording differs from itself"
done
# neither text nor JSON has numbers that depend on calls that -e excludes
gives 0 trace -C --json=json -e trace=openat,close -- /bin/true
want '"files_read" not in S and "file_bytes_read" not in S'
hasnt err '^  files '
