#!/usr/bin/env python3
# --folded writes the time in each call as stacks that flame graph programs read; so does a replay.
# tier: gate asan
# timeout: 120
# needs: gcc python3 prog:cmd prog:diff_threads
import collections
import os
import re
import sys

from lib import BIN, backends, has, put, read, rows, run, say

STATES = (("runq_ns", "[run queue]"), ("disk_ns", "[disk]"), ("other_ns", "[blocked]"))


def stacks(path):
    """The time and lines of each thread's calls, and the time of each state. Checks the format that speedscope accepts."""
    sums, lines = collections.Counter(), collections.Counter()
    for line in open(path, newline="\n"):
        m = re.fullmatch(r"(.+) (\d+)\n", line)
        assert m and ";;" not in line and not re.search(r"[\0-\x09\x0b-\x1f]", line), line
        frames = m[1].split(";")
        assert 3 <= len(frames) <= 5, line
        sums[frames[1], frames[2]] += int(m[2])
        lines[frames[1], frames[2]] += 1
        if frames[-1][0] == "[":
            sums[frames[-1]] += int(m[2])
    return sums, lines


def name_threads(events):
    """Sets e["thread"] to "main", the thread's name (set by itself or its creator), or "thread"."""
    names = {}
    for e in events:
        e["thread"] = "main" if e.get("pid") == e.get("tid") else names.get(e["tid"]) or "thread"
        if e["type"] == "spawn_thread":
            names[e["child_tid"]] = names.get(e["tid"])
        elif e.get("name") == "prctl" and e["args"][0] == "PR_SET_NAME" and e["error"] is None and e["thread"] != "main":
            names[e["tid"]] = e["args"][1].strip('"').replace(";", "\\x3b")


def one(*words):
    """Traces a command: the stacks are those of its calls, live and replayed."""
    run("trace", "-v", "-q", "-w", "r.kvis", "--folded=live", "--json=json", *words)
    run("replay", "-q", "--folded=again", "r.kvis").status(0)
    got, lines = stacks("live")
    assert sorted(open("live", "rb")) == sorted(open("again", "rb")), "other stacks from the replay"
    want, parts = collections.Counter(), collections.Counter()
    events = rows()
    name_threads(events)
    for e in events:
        if e["type"] == "syscall" and e["duration_ns"]:
            call = e["thread"], e["name"]
            want[call] += e["duration_ns"] / 1000
            parts[call] += 1  # its time on a CPU, or all of it
            for key, leaf in STATES:
                want[leaf] += e.get(key, 0) / 1000
                parts[leaf] += e.get(key, 0) > 0
                parts[call] += e.get(key, 0) > 0
    assert len(want) > 10
    # Each stack is rounded to 1 us (none for less than half of that), and there are at most as many as parts of calls.
    for key, us in want.items():
        assert abs(got[key] - us) <= 0.5 * parts[key] + 0.001, (key, got[key], us, parts[key])
    assert set(got) <= set(want), set(got) - set(want)
    say(len(lines), "threads and calls,", sum(lines.values()), "stacks")


# Threads that name themselves: two have one name, and one makes another, which has its name.
NAMED = r'''
import ctypes, os, threading
prctl = ctypes.CDLL(None).prctl
def work(name, more):
    prctl(15, name, 0, 0, 0)
    for i in range(20): os.stat("/")
    if more:
        t = threading.Thread(target=os.stat, args=("/",)); t.start(); t.join()
for t in [threading.Thread(target=work, args=(name, name == b"worker")) for name in (b"worker", b"worker", b"a;b")]: t.start()
'''

put("a.c", "int main(void) { return 0; }\n")
for backend in backends():
    how = f"--backend={backend}"
    one(how, "--", "gcc", "-o", "/dev/null", "a.c")
    has(read("live"), r"^cc1;main;openat;/.*/stdc-predef\.h [0-9]+$")
    one(how, "--", BIN + "/diff_threads")
    one(how, "--", sys.executable, "-c", NAMED)
    assert {k[0] for k in stacks("live")[0] if isinstance(k, tuple)} >= {"main", "worker", "a\\x3bb"}, stacks("live")[0]
    # 50 times, because one close of a file may take less than the half microsecond that makes a line.
    one(how, "--", "sh", "-c", r'''n=0; f=$(printf "a;b\nc \377 1"); g=$(printf ";\n;"); printf x >"$g"; sleep 0.1
        while [ $n -lt 50 ]; do n=$((n + 1)); set -- "$@" "$f" "$g"; done; cat "$@"''')
    has(read("live"), r"^cat;main;openat;a\\x3bb\\nc \\xff 1 [0-9]+$")
    has(read("live"), r"^cat;main;close;/.*/\\x3b\\\\n\\x3b [0-9]+$")
# More stacks than the table holds: a stack has several lines, which readers add up.
one("--", "sh", "-c", r'''for i in 1 2 3 4 5 6 7 8 9; do eval "a$i=\"\$(seq -s \" \" -f n$i%g 600)\""; done
    for i in $a1 $a2 $a3 $a4 $a5 $a6 $a7 $a8 $a9; do [ -e $i ]; done''')
# kvis proc: CPU time of commands, below those that started them.
if os.getuid() == 0:
    run("proc", "--folded=cpu", "-w", "p.kvis", "-o", "rows", "--", "sh", "-c",
        r'sh -c "i=0; while [ \$i -lt 90000 ]; do i=\$((i + 1)); done; true"; true').status(0)
    has(read("cpu"), "^sh;sh [0-9]{4,}$")
    run("replay", "-q", "--folded=cpu2", "p.kvis").status(0)
    assert read("cpu") == read("cpu2"), "other stacks from the replay"
    # If the names of a stack are too long, the first commands are omitted, not the one that used the CPU.
    put("chain", 'n=$1; shift; [ $# = 0 ] || ./$1 chain "$@"; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; true\n')
    names = [f"p{i:02}" + 40 * "x" for i in range(1, 14)]
    for name in names:
        os.symlink("/bin/sh", name)
    run("proc", "--folded=deep", "-o", "rows", "--", "sh", "chain", "sh", *names).status(0)
    has(read("deep"), f"{names[-2]};{names[-1]} [0-9]+$")
