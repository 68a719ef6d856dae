#!/usr/bin/env python3
# The first screen (80 by 24) of kvis proc, open and monitor answers common questions about a machine and its processes.
# tier: quick
# timeout: 60
# needs: root tmux unshare taskset git gcc make curl jq /usr/bin/python3
import os
import re

import perfetto
from tasks import Program, check, compiles_long, quiet, read, run, task, wait, write

SCRIPT = """sort file >sorted
sh -c 'exit 3'
grep -q nothing file
mkdir -p d
rm -r d sorted
"""


def rows_of(screen, regex):
    return [found for row in screen.rows if (found := re.search(regex, row))]


@task("Which commands does this script run?", "kvis proc -- sh script.sh")
def commands(terminal):
    write("script.sh", SCRIPT)
    write("file", "b\na\n")
    screen = yield
    ran = [m[1] for m in rows_of(screen, r"^\d\d:\d\d:\d\d\.\d{3} \d+ +[0-9.]+ \d+ +[0-9.]+ MB (.*)$")]
    check(ran == ["sort file", "sh -c 'exit 3'", "grep -q nothing file", "mkdir -p d", "rm -r d sorted", "sh script.sh"], ran)
    screen.has(r"^ +3 +\d+ +sh -c 'exit 3'$", screen.rows)


@task("Which command of the build takes the time?", "kvis proc --tree -- make")
def build(terminal):
    quiet("make", "clean")
    compiles_long("a.c")
    screen = yield
    took = {m[2]: float(m[1]) for m in rows_of(screen, r"^\d+ +([0-9.]+) 0 +[0-9.]+ MB [│ ├└─]*(cc .*|as .*|make)$")}
    check(took["make"] >= took["cc -O2 -c a.c"] > took["cc -O2 -c m.c"], took)
    screen.has(r"─ cc -O2 -c a\.c$")


@task("Who opens this file?", "kvis open -P {file} -- make")
def who_opens(terminal):
    quiet("make", "clean")
    write("m.sh", "echo $$ >opener; exec cat secret\n")
    write("secret", "x\n")
    write("Makefile.old", read("Makefile"))
    write("Makefile", "all:\n\t@echo one; sh m.sh; echo two\n")
    screen = yield {"file": os.path.abspath("secret")}
    os.rename("Makefile.old", "Makefile")
    screen.has(rf"^{read('opener').strip()} +cat +3 +0 (.*/)?secret$")
    check(len(rows_of(screen, "secret")) == 1, "once")


# Each deletes its own file, which it names by a relative path; the file of the same directory that stays is not shown.
DELETES = "while :; do touch kvis-victim kvis-other; sh -c 'echo $$ >>deleters; exec rm kvis-victim'; rm kvis-other; sleep 0.1; done"


@task("Who deletes this file, on the whole machine?", "kvis trace --all -d 2 -e unlink,unlinkat -P kvis-victim")
def who_deletes(terminal):
    with Program("sh", "-c", DELETES):
        screen = yield {}
    shown = {m[1] for m in rows_of(screen, r"^\[\+[0-9.]+s\] (\d+) rm +unlink(?:at)?\((?:AT_FDCWD, )?\"kvis-victim\"")}
    check(shown and shown <= set(read("deleters").split()), f"{shown} are not all deleters")
    screen.hasnt("kvis-other")
    screen.has(r"^all processes: ")


@task("Which files were written?", "kvis open -f O_WRONLY -f O_RDWR -- make")
def written(terminal):
    quiet("make", "clean")
    screen = yield
    for made in "a.o", "m.o", "app":
        check(os.path.exists(made), f"{made} is not made")
        screen.has(rf"^\d+ +(as|ld) +\d+ +0 {made}$")
    screen.hasnt(r" stdio\.h$")


LOOP = "while :; do sh -c 'exit 0'; /bin/true; sleep 0.1; done"


@task("Which short-lived processes run?", "kvis proc -d 1 -p {pid}")
def short_lived(terminal):
    with Program("sh", "-c", LOOP) as program:
        screen = yield {"pid": program.pid}
        for command in r"sh -c 'exit 0'", "/bin/true", r"sleep 0\.1":
            screen.has(rf"^\d\d:\d\d:\d\d\.\d{{3}} \d+ +[0-9.]+ 0 +[0-9.]+ [KM]B {command}$")


@task("Which environment do its commands have?",
      "kvis proc --env=GREETING --json=env.json -o rows -- sh env.sh 2>summary; jq -r '.argv[-1] + \" \" + .env.GREETING' env.json 2>/dev/null")
def environment(terminal):
    write("env.sh", "GREETING=hello sh -c 'exit 0'\nGREETING=bye sh -c :\n")
    screen = yield
    screen.has("^exit 0 hello$")
    screen.has("^: bye$")


@task("A page, a trace and a chart of this build", "kvis proc --report --perfetto=trace --gantt=chart.mmd -o rows -- make")
def pages(terminal):
    quiet("make", "clean")
    screen = yield
    size = os.path.getsize("report.html")
    told = screen.has(r"^kvis: wrote report\.html \(([0-9.]+) KB\)$", screen.rows)
    check(abs(size / 1024 - float(told[1])) < 1, f"{size} bytes")
    names = {event["name"] for event in perfetto.load("trace")}
    check({"make", "cc", "cc1", "as", "ld"} <= names, f"the trace has {names}")
    check("cc -O2 -c a.c" in read("chart.mmd"), "the chart lacks cc")


@task("What changed between two builds?",
      "for run in before after; do kvis proc -w $run.kvis -o rows -- make >out 2>&1; rm m.o app; done; kvis diff before.kvis after.kvis")
def compare(terminal):
    quiet("make", "clean")
    screen = yield
    screen.has(r"^ make: [0-9.]+ m?s → [0-9.]+ m?s \([+-]?\d+%\)")
    screen.has(r"^ +2 +1 .* cc1$")
    screen.has(r"^ +1 +1 .* ld$")
    screen.fits()


@task("How long do tasks wait for a CPU, and requests for a disk?", "kvis monitor -i 0.5 -c runq,block")
def waits(terminal):
    def rows(pattern):
        return [row for row in terminal.shown() if re.match(pattern, row)]
    file = f"{os.environ['OUT']}/tasks.{os.getpid()}"
    with Program("sh", "-c", f"while :; do dd if=/dev/zero of={file} bs=64k count=1000 conv=fsync 2>/dev/null; done"):
        yield {"live": True}
        wait(lambda: rows("disks "))
        terminal.key("r")
        wait(lambda: rows(r".*runq_wait_p99 +[0-9.]+[mu]?s .*[▁-█]"))
        terminal.key("r")
        terminal.key("d")
        wait(lambda: rows("disks .* write p99 ") and rows(r"\w+ .*[0-9][mu]s"))
    os.unlink(file)
    terminal.key("q")


# In a pid namespace kvis sees and names no other processes than those of the test.
SICK = ("unshare", "-pf", "--kill-child", "--mount-proc", "sh", "-c",
        "for i in 1 2 3 4; do taskset -c \"$0\" sh -c 'while :; do :; done' & echo $! >>hogs; done; exec \"$@\"",
        str(min(os.sched_getaffinity(0))))


@task("What is wrong with this machine? (Four programs want one CPU.)", "kvis diagnose -d 2", user=SICK)
def sick(screen):
    hogs = read("hogs").split()
    screen.has(r"^1\. ")
    named = re.findall(r"sh \(pid (\d+)\)", "".join(re.sub("^ +", " ", row) for row in screen.first))
    check(named and named[0] in hogs, f"it names {named}, not {hogs}")
    screen.fits()


@task("Metrics for Prometheus", "kvis monitor --listen=127.0.0.1:{port} -i 0.2 -o rows & curl -s --retry 9 --retry-connrefused http://127.0.0.1:{port}/metrics | grep MemTotal; kill $!")
def prometheus(terminal):
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    screen = yield {"port": port}
    total = int(re.search(r"MemTotal: +(\d+)", read("/proc/meminfo"))[1]) * 1024
    check(float(screen.has(r"^kvis_memory_MemTotal_bytes ([0-9.e+]+)$")[1]) == total, f"not {total}")


run()
