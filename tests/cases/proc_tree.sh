#!/bin/sh
# kvis proc --tree draws each command below its parent; a replay has the rows, the tree and the summary of the run.
# tier: quick asan
# timeout: 60
# needs: root python3
. "$TESTS/lib/proc.sh"
cat >job <<'END'
sh -c 'sleep 0.02 & sleep 0.01; wait; exec /bin/echo "a  b"'
(/bin/true sub; :)
sh -c '/bin/true deep; /nowhere/x; exit 3'
sh -c 'kill -TERM $$'
exec sh -c 'sh -c "sh -c \"sh -c /bin/true\"; :"; /bin/true last'
END
kv proc --tree --json=json -o tree -w r.kvis -- sh job >out 2>err || fail "proc"
cat >check.py <<'END'
import json, re, sys
rows = [e for e in map(json.loads, open("json")) if e["type"] == "command"]
tree, above = [], {}
lines = open("tree").read().split("\n")
assert lines[0].split() == ["PID", "SECONDS", "EXIT", "RSS", "COMMAND"], lines[0]
for line in lines[1:-1]:
    pid, seconds, end, marks, text = re.fullmatch(r"(\d+) +([\d.]+|-) (\S+) +(?:[\d.]+ \w+|-) ((?:│  |   )*(?:├─ |└─ )?)(.*)", line).groups()
    depth = len(marks) // 3
    above[depth] = int(pid)
    tree.append((int(pid), above.get(depth - 1) if depth else None, end, text))
assert len(tree) == len(rows), (len(tree), len(rows))
top, pids = rows[-1]["pid"], {e["pid"] for e in rows}  # one whose parent has no row is below who made that
assert {(p, up) for p, up, _, _ in tree if p != top} == {(e["pid"], e["ppid"] if e["ppid"] in pids else top) for e in rows if e["pid"] != top}, tree
ends = {text: end for _, _, end, text in tree}
assert ends["/bin/echo 'a  b'"] == "0" and ends["sh -c 'kill -TERM $$'"] == "SIGTERM", ends
assert [p for p, up, _, _ in tree if up is None] == [top, top], "the command and what it became"
END
python3 check.py >&9 2>&1 || { cat tree >&9; fail "the tree"; }
# Of the replay: but for what is not in a recording, PPID of the command and memory of what was replaced, the same.
kv replay --tree -o tree2 r.kvis 2>replayed || fail "replay"
for f in tree tree2; do sed 's/ exec \{5\}.* \(B\|KB\|MB\|-\) / exec      - /' $f | sed '/^$/,$d' >$f.rows; done
diff tree.rows tree2.rows >&9 || fail "another tree"
sed '/^ *[0-9.]* s\|^kvis: [0-9]* commands/!d' err >summary
sed '/^ *[0-9.]* s\|^kvis: [0-9]* commands/!d' replayed >summary2
grep -q 'critical path' replayed && diff summary summary2 >&9 || fail "another summary"
kv proc -o live -w r.kvis -- sh job >out 2>err || fail "proc"
kv replay -o again r.kvis 2>replayed || fail "replay"
fields() { sed '/^$/,$d; s/ exec \{5\}.* \(B\|KB\|MB\|-\) / exec      - /' "$1" | sed 's/^\([^ ]* [0-9]*\) *[-0-9]* *[0-9]* /\1 /'; }
fields live >rows; fields again >rows2
diff rows rows2 >&9 || fail "other rows"
eq "PPIDs" "$(awk 'NR > 2 && NF {print $3}' live | sort | sed "/^$(awk 'NF {p = $3} END {print p}' live)\$/d")" "$(sed '/^$/,$d' again | awk 'NR > 2 {print $3}' | sort | sed '/^-$/d')"
# On a terminal no line of names in the summary is wider than that.
python3 - "$KVIS" >&9 2>&1 <<'END' || fail "a summary wider than the terminal"
import fcntl, os, pty, struct, subprocess, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
p = subprocess.Popen([sys.argv[1], "proc", "-o", "rows", "--", "sh", "-c", "/bin/false " + "x" * 90 + "; :"], stderr=theirs)
os.close(theirs)
text = b""
try:
    while more := os.read(ours, 9999):
        text += more
except OSError:
    pass
lines = [line.rstrip() for line in text.decode().split("\n") if line.startswith(" ")]
assert p.wait() == 0 and len(lines) >= 5 and all(len(line) <= 60 for line in lines), lines
assert [line for line in lines if line.endswith("x...")], lines
END
run proc -x --tree -o failed -- sh job; has failed '^[0-9]+ +- ENOENT +- .*└─ /nowhere/x$'
run proc --tree -f json -- true; status 2; has err -- '--tree and --format=json'
run proc --tree -o cut -n true -- sh job; eq "hidden parents" 0 "$(grep -c '─' cut)"
