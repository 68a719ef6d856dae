#!/usr/bin/env python3
# kvis proc --tree draws each command below its parent; a replay has the rows, the tree and the summary of the run.
# tier: gate asan
# timeout: 60
# needs: root python3 script
import os
import re
import subprocess

from lib import KVIS, eq, fail, has, put, read, rows, run

JOB = r'''sh -c 'sleep 0.02 & sleep 0.01; wait; exec /bin/echo "a  b"'
(/bin/true sub; :)
sh -c '/bin/true deep; /nowhere/x; exit 3'
sh -c 'kill -TERM $$'
exec sh -c 'sh -c "sh -c \"sh -c /bin/true\"; :"; /bin/true last'
'''
os.environ["LC_ALL"] = "C.UTF-8"
ROW = r"(\d+) +([\d.]+|-) (\S+) +(?:[\d.]+ \w+|-) ((?:│  |   )*(?:├─ |└─ )?)(.*)"


def check_tree(text, commands):
    tree, above = [], {}
    lines = text.split("\n")
    eq("head of the tree", ["PID", "SECONDS", "EXIT", "RSS", "COMMAND"], lines[0].split())
    for line in lines[1:-1]:
        pid, _, end, marks, command = re.fullmatch(ROW, line).groups()
        depth = len(marks) // 3
        above[depth] = int(pid)
        tree.append((int(pid), above.get(depth - 1) if depth else None, end, command))
    assert len(tree) == len(commands), (len(tree), len(commands))
    top, pids = commands[-1]["pid"], {e["pid"] for e in commands}  # one whose parent has no row is below who made that
    parents = {(e["pid"], e["ppid"] if e["ppid"] in pids else top) for e in commands if e["pid"] != top}
    assert {(p, up) for p, up, _, _ in tree if p != top} == parents, tree
    ends = {command: end for _, _, end, command in tree}
    assert ends["/bin/echo 'a  b'"] == "0" and ends["sh -c 'kill -TERM $$'"] == "SIGTERM", ends
    assert [p for p, up, _, _ in tree if up is None] == [top, top], "the command and what it became"


def table(path):
    """The rows up to the first empty line, without the memory of replaced commands, which is not recorded."""
    return [re.sub(r" exec {5}.* (B|KB|MB|-) ", " exec      - ", line, count=1) for line in read(path).split("\n\n")[0].splitlines()]


def without_ppid(path):
    """The rows, and their PPIDs, but that of the command, which is not in a recording."""
    lines = table(path)
    ppids = sorted(ppid for pid, ppid in (row.split()[1:3] for row in lines[1:]) if pid != lines[-1].split()[1])
    return [re.sub(r"^([^ ]* [0-9]*) *[-0-9]* *[0-9]* ", r"\1 ", row) for row in lines], ppids


def summary(err):
    return [line for line in err.splitlines() if re.match(r" *[0-9.]* s|kvis: [0-9]* commands", line)]


def proc(*words):
    return run("proc", *words, "--", "sh", "job").status(0)


put("job", JOB)
live = proc("--tree", "--json=json", "-o", "tree", "-w", "r.kvis")
check_tree(read("tree"), [e for e in rows() if e["type"] == "command"])
again = run("replay", "--tree", "-o", "tree2", "r.kvis").status(0)
eq("the replayed tree", table("tree"), table("tree2"))
has(again.err, "critical path")
eq("the replayed summary", summary(live.err), summary(again.err))
proc("-o", "live", "-w", "r.kvis")
run("replay", "-o", "again", "r.kvis").status(0)
eq("the replayed rows", without_ppid("live"), without_ppid("again"))

# On a terminal no line of names in the summary is wider than that.
subprocess.run(["script", "-qec", f"stty cols 60; '{KVIS}' proc -o rows -- sh -c '/bin/false {'x' * 90}; :'", "terminal"],
               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
lines = [line.rstrip() for line in read("terminal").split("\n") if line.startswith(" ")]
assert len(lines) >= 4 and all(len(line) <= 60 for line in lines), lines
assert [line for line in lines if line.endswith("x...")], lines

proc("-x", "--tree", "-o", "failed")
has(read("failed"), r"^[0-9]+ +- ENOENT +- .*└─ /nowhere/x$")
has(run("proc", "--tree", "-f", "json", "--", "true").status(2).err, "--tree and --format=json")
proc("--tree", "-o", "cut", "-n", "true")
if "─" in read("cut"):
    fail("hidden parents: " + read("cut"))
