#!/usr/bin/env python3
# The first screen (80 by 24) of kvis trace answers common questions about a program, in agreement with the program and strace.
# tier: quick
# timeout: 60
# needs: tmux git gcc make curl strace dd jq root /usr/bin/python3
import os
import re

os.environ["LC_ALL"] = "C.UTF-8"  # lines contain arrows

from tasks import PYTHON, Program, check, compiles_long, opened, quiet, read, run, task, wait, write


@task("Why is it slow to start?", "kvis trace -q -- {python} slow.py")
def slow_start(terminal):
    write("slow.py", "import time\ntime.sleep(0.3)\nopen('slept', 'w').write(str(time.process_time()))\n")
    screen = yield {"python": PYTHON}
    calls = screen.has(r"^  time in calls   (\w+) ([0-9.]+) ms")
    check(calls[1] == "clock_nanosleep" and float(calls[2]) >= 300, "it slept for 300 ms")
    whole = screen.has(r"^python3: ([0-9.]+) ms = CPU ([0-9.]+) ms")
    screen.has(r"^ +\+ waiting [0-9.]+ ms \(.*other [0-9.]+\)$")
    check(float(whole[1]) >= 300 + float(read("slept")) * 900, "the whole is more than the sleep and the CPU time")
    screen.fits()


@task("Which configuration files does git read?", "kvis trace -- git -C repo status")
def configuration(terminal):
    screen = yield
    quiet("strace", "-f", "-o", "truth", "-e", "trace=openat", "git", "-C", "repo", "status")
    files = {os.path.join("repo", p) if p.startswith(".git/") else p for p in opened(read("truth")) if "config" in p}
    check(len(files) >= 2, f"strace sees only {files}")
    for path in files:
        screen.has(rf"open {re.escape(os.path.abspath(path))} \(read\)$")


@task("Who deletes this file?", "kvis trace -P victim -- sh clean.sh")
def who_deletes(terminal):
    write("victim", "")
    write("clean.sh", "touch other\nsh -c 'echo $$ >deleter; exec rm -f other victim'\ntrue\n")
    screen = yield
    check(not os.path.exists("victim"), "it is still there")
    screen.has(rf"\] {read('deleter').strip()} rm +unlink {os.getcwd()}/victim$")


@task("Where does the build's time go?", "kvis trace -q -- make")
def build_time(terminal):
    quiet("make", "clean")
    compiles_long("a.c")
    screen = yield
    slowest = screen.has(r"^  longest +(\w+) ([0-9.]+) (m?s) · (\w+)")
    check(slowest[1] == "cc1", "the compiler takes the most")
    whole = screen.has(r"^make: ([0-9.]+) (m?s), (\d+) processes")
    ns = [float(m[0]) * (1 if m[1] == "s" else 1e-3) for m in (slowest.groups()[1:3], whole.groups()[:2])]
    check(ns[0] <= ns[1], "a process takes longer than all")
    screen.fits()


HANGS = """
import os
r, w = os.pipe()
os.read(r, 1)
"""


@task("Why does it hang?", "kvis trace -d 1 -p {pid}")
def hangs(terminal):
    write("hang.py", HANGS)
    with Program(PYTHON, "hang.py") as program:
        wait(lambda: "pipe" in read(f"/proc/{program.pid}/wchan"))
        number, fd = read(f"/proc/{program.pid}/syscall").split()[:2]
        screen = yield {"pid": program.pid}
        pipe = os.readlink(f"/proc/{program.pid}/fd/{int(fd, 16)}")
        check(int(number) in (0, 63), "it does not read")
        screen.has(rf"in read {re.escape(pipe)}$")


BUSY = """
import os, time
while True:
    with open("journal", "ab") as f:
        f.write(b"x" * 1000)
    time.sleep(0.05)
"""


@task("What is this process doing?", "kvis trace -d 1 -p {pid}")
def doing(terminal):
    write("busy.py", BUSY)
    with Program(PYTHON, "busy.py") as program:
        wait(lambda: os.path.exists("journal"))
        screen = yield {"pid": program.pid}
        screen.has(rf"open {os.getcwd()}/journal \(write\)$")
        screen.has(rf"write +1000 B +{os.getcwd()}/journal$")


@task("Is the disk the bottleneck?", "kvis trace -q -- dd if=/dev/zero of=big bs=1M count=20 oflag=direct")
def disk(terminal):
    screen = yield
    check(os.path.getsize("big") == 20 << 20, "dd did not write")
    screen.has(r"^  disks +\d+ requests?, [0-9.]+ m?s \(.* read, 20\.\d MB written\)$")
    screen.has(r"^ +\+ waiting [0-9.]+ m?s \(.*disk [0-9.]+")
    screen.has(rf"^ +{os.getcwd()}/big 20\.0 MB written")
    screen.fits()


@task("Why does it say that a file is not there?", "kvis trace -Z -e trace=%file -- {python} app.py")
def missing(terminal):
    write("app.py", "try:\n    open('settings/local.ini')\nexcept OSError:\n    raise SystemExit(1)\n")
    screen = yield {"python": PYTHON}
    screen.has(rf"open {os.getcwd()}/settings/local.ini \(read\) failed: ENOENT$", screen.last)


@task("Which hosts does it talk to?", "kvis trace -e trace=%net -- curl -s -o page http://127.0.0.1:{port}/a.c")
def peers(terminal):
    with Program(PYTHON, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0", stdout=open("server", "w"),
                 stderr=open("log", "w")):
        port = wait(lambda: re.search(r"port (\d+)", read("server")))[1]
        screen = yield {"port": port}
        check(read("page") == read("a.c"), "curl did not get it")
        screen.has(rf"connect tcp4 → 127\.0\.0\.1:{port} \(after [0-9.]+ ms\)$")
        screen.has(rf"^  network +tcp4 127\.0\.0\.1:{port} \d+ B sent, \d+")


@task("How many calls does it make, and how long do they take?", "kvis trace -c -- dd if=/dev/zero of=x bs=4k count=500")
def counts(terminal):
    screen = yield
    quiet("strace", "-o", "truth", "dd", "if=/dev/zero", "of=x", "bs=4k", "count=500")
    screen.has(r"^ +seconds +calls +errors +p50 us +p99 us +max us syscall$")
    for call in "read", "write":
        row = screen.has(rf"^ *([0-9.]+) +(\d+) +([0-9.]+) +([0-9.]+) +([0-9.]+) {call}$")
        n = len(re.findall(rf"^{call}\(", read("truth"), re.M))
        check(int(row[2]) == n, f"strace counts {n} calls of {call}")
        check(float(row[3]) <= float(row[4]) <= float(row[5]), "percentiles")
    screen.fits()


@task("Who sends this signal?", "kvis trace -e signal=TERM -- sh signals.sh")
def signals(terminal):
    write("signals.sh", "sleep 30 &\nv=$!\nsh -c \"echo \\$\\$ >sender; kill -TERM $v\"\nwait $v\n")
    screen = yield
    screen.has(rf"(sh|sleep) +signal SIGTERM from {read('sender').strip()}\b")


@task("Which calls take longer than 10 ms?", "kvis trace --min-duration=10ms -- sh slow.sh")
def slow_calls(terminal):
    write("slow.sh", "sleep 0.2\ntrue\nsleep 0.1\n")
    screen = yield
    took = [float(t) for t in re.findall(r"clock_nanosleep\([^<]*<([0-9.]+)", screen.text)]
    check(len(took) == 2 and took[0] >= 0.2 and took[1] >= 0.1, f"sleeps of {took}")
    check(all(float(t) >= 0.01 for t in re.findall(r"= .*?<([0-9.]+)", screen.text)), "shorter calls are shown")


@task("How many page faults does it have?", "kvis trace -q --faults -- {python} faults.py")
def faults(terminal):
    write("faults.py", "import resource\nb = bytearray(20 << 20)\nr = resource.getrusage(resource.RUSAGE_SELF)\n"
          "open('faulted', 'w').write(f'{r.ru_minflt + r.ru_majflt}')\n")
    screen = yield {"python": PYTHON}
    n, truth = int(screen.has(r"^  page faults +(\d+)")[1]), int(read("faulted"))
    check(truth * 0.9 <= n <= truth * 1.1, f"{n} faults; the program knows of {truth}")
    screen.fits()


@task("The same as JSON, for jq",
      "kvis trace -qq --json=run.json -- git -C repo status >out; jq -r 'select(.type == \"write\").filename' run.json")
def json_jq(terminal):
    screen = yield
    screen.has(rf"^{os.getcwd()}/out$")
    check(screen.status == 0, "jq failed")


@task("Record here, look at it elsewhere", "kvis trace -v -w run.kvis -o here -- cat a.c >copy; kvis replay -v run.kvis 2>there; cmp here there && cat there")
def replay(terminal):
    write("a.c", "int a(int n) { return n + 1; }\n")
    screen = yield
    check(screen.status == 0 and read("copy") == read("a.c"), "not the same")
    screen.has(r"execve\(")


@task("What changed between two runs?",
      "kvis trace -qq -w before.kvis -- cat a.c >x; kvis trace -qq -w after.kvis -- cat a.c m.c >x; kvis diff before.kvis after.kvis")
def compare(terminal):
    screen = yield
    screen.has(r"^ cat a\.c.*→ .*", screen.rows)
    size = os.path.getsize("m.c")
    screen.has(rf"- +1 .* {size} B .*/m\.c$")


run()
