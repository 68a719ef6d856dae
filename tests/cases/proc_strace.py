#!/usr/bin/env python3
# kvis proc sees every execve, execveat and exit that strace sees in the same run.
# tier: gate full asan
# timeout: 120
# needs: root strace make
import collections
import glob
import os
import re

from lib import eq, rows, run, say, some


def unhex(s):
    """strace -xx: every byte is \\xNN."""
    return bytes.fromhex(s.replace("\\x", ""))


def seen(path, argv):
    """What a script's interpreter finds: itself, an option, the script's path, the rest."""
    head = open(path, "rb").read(256)
    if head[:2] != b"#!":
        return argv
    words = head[2:].split(b"\n")[0].strip().split(None, 1)
    return seen(words[0], words + [path] + argv[1:])


def by_strace(prefix):
    """By pid: the arguments of each program, the execs that failed, the end."""
    execs, fails, ends = collections.defaultdict(list), collections.defaultdict(list), {}
    for name in glob.glob(prefix + ".*"):
        pid = int(name.rsplit(".", 1)[1])
        for line in open(name):
            if m := re.match(r"\+\+\+ (?:exited with (\d+)|killed by (\w+))", line):
                ends[pid] = int(m[1]) if m[1] else m[2]
            elif m := re.match(r'execve\("([^"]*)", \[(.*?)\], .*\) += (\S+)( E\w+)?', line):
                argv = [unhex(a) for a in re.findall(r'"([^"]*)"', m[2])]
                if m[3] == "0":
                    execs[pid].append(seen(unhex(m[1]), argv))
                elif argv:
                    fails[pid].append((argv, m[4].strip()))
    return execs, fails, ends


def by_kvis(lines, tree):
    """The same. If a number came again, strace has the file of the last process that had it; which failed execs were its, is unknown."""
    execs, fails, ends, again = collections.defaultdict(list), collections.defaultdict(list), {}, set()

    def argv(e):
        return [bytes.fromhex(x) for x in e["argv_hex"]] if "argv_hex" in e else [x.encode() for x in e["argv"]]
    for e in sorted((e for e in lines if "start_ns" in e and e["pid"] in tree), key=lambda e: e["start_ns"]):
        if e["pid"] in ends:
            execs.pop(e["pid"], None)
            ends.pop(e["pid"])
            again.add(e["pid"])
        if e["type"] == "command" and argv(e)[0] != b"strace":
            execs[e["pid"]].append(argv(e))
        if e["end"] in ("exit", "signal"):
            ends[e["pid"]] = e["signal"] or e["exit_code"]
    for e in lines:
        if e["type"] == "exec_failed" and e["pid"] in tree and e["comm"] != "strace":
            fails[e["pid"]].append((argv(e), e["error"]))
    return execs, fails, ends, again


def compare(name, *command):
    """Both watch the command."""
    run("proc", "-x", "--forks", "--ring=16M", f"--json={name}.json", "-o", "/dev/null", "--",
        "strace", "-ff", "-xx", "-s", "100000", "-o", name + ".log", "-e", "trace=execve,execveat", *command)
    lines = rows(name + ".json")
    eq("lost", 0, lines[-1]["lost"])
    execs, fails, ends = by_strace(name + ".log")
    got, got_fails, got_ends, again = by_kvis(lines, {*execs, *ends})
    say(sum(map(len, execs.values())), "execs,", sum(map(len, fails.values())), "failed,", len(ends), "ends")
    assert execs
    eq("argv", execs, got)
    eq("ends", ends, got_ends)
    eq("failed", *({pid: f for pid, f in both.items() if pid not in again} for both in (fails, got_fails)))


with open("script", "w") as f:
    f.write(r"""i=0
while [ $i -lt $1 ]; do
    /bin/echo "$i" 'two
lines' >/dev/null
    (exec /bin/true $i)
    sh -c "exit $((i % 7))"
    sh -c 'kill -KILL $$' 2>/dev/null
    echo x | cat | tr x y >/dev/null &
    env nowhere 2>/dev/null
    i=$((i + 1))
done
wait
""")
compare("shell", "sh", "script", str(some(8, 500, 50)))
os.mkdir("src")
with open("src/Makefile", "w") as f:
    f.write("all: a b c\n%: %.c\n\tgcc -O1 -o $@ $<\n")
for name in "abc":
    with open(f"src/{name}.c", "w") as f:
        f.write("int main(void) { return 0; }\n")
compare("build", "make", "-s", "-j2", "-C", "src")
