#!/usr/bin/env python3
# The critical path of kvis proc follows its definition, for the recorded processes.
# tier: gate
# timeout: 60
# needs: root python3 gcc
from critical import critical_path
from lib import eq, has, put, rows, run


def path(*command):
    """Runs it and checks the path: the summary's steps, and what kvis prints."""
    err = run("proc", "--forks", "--json=json", "-o", "text", "--", *command).err
    *events, summary = rows()[1:]
    steps, longest = [], {}  # a step is a command, or a process that never called exec
    for e in events:
        if e["type"] in ("command", "process") and e["end"] in ("exit", "signal", "exec"):
            steps.append((e["start_ns"], e["ts_ns"], e["pid"], e["ppid"]))
            longest[e["pid"]] = max(e["duration_ns"], longest.get(e["pid"], 0))
    root = max((e for e in events if e["type"] == "command"), key=lambda e: e["ts_ns"])["pid"]
    told = summary["critical_path"]
    eq("the path", critical_path(steps, root), {(s["pid"], s["start_ns"]): s["self_ns"] for s in told})
    assert all(s["self_ns"] <= longest[s["pid"]] for s in told), "a share that is longer than its row"
    eq("in order of time", sorted(told, key=lambda s: s["start_ns"]), told)
    has(err, f"critical path, {len(told)} steps")
    return [s["name"] for s in told], err


# which of these are on the path is up to the scheduler
path("sh", "-c", "sleep 0.25 & sleep 0.1; (sleep 0.2; true); sleep 0.02 & sleep 0.15; wait")
# of a process that calls exec again, each command is a step
names, err = path("sh", "-c", 'sh -c "sleep 0.1; exec sleep 0.01"; exec sleep 0.02')
eq("names", (5, ["sleep 0.1", "sleep 0.01", "sleep 0.02"]), (len(names), [n for n in names if n.startswith("sleep")]))
has(err, r"[0-9.]+ m?s +[0-9]+ +sleep 0\.02$")
names, err = path("sh", "-c", f"/bin/true {'x' * 80}; :")  # a truncated name ends with a mark
assert "/bin/true " + "x" * 66 + "..." in names, names
has(err, r" /bin/true x{66}\.\.\.$")
for i in range(1, 7):
    put(f"f{i}.c", f"int f{i}(int x) {{ return x * {i}; }}\n")
put("Makefile", "all: $(patsubst %.c,%.o,$(wildcard f*.c)); ld -r -o all.o $^\n%.o: %.c; gcc -O2 -c -o $@ $<\n")
names, _ = path("make", "-s", "-j2")
assert len(names) >= 6, names  # sh, make, gcc, cc1, as, ld
names, _ = path("sh", "-c", "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i + 1)); done")
eq("each of a loop is on the path", 151, len(names))
