#!/usr/bin/env python3
# kvis trace -p shows the same events with observe and with ptrace (lib/same_backends.py), for a script that forks, threads,
# sockets and signals. Paths are right in a program that keeps changing its directory, and files in a program that keeps
# changing a descriptor. An observed program has no tracer. (The case observe tests a ring that is too small.)
# tier: quick asan
# timeout: 120
# needs: root setarch python3
import os
import re
import subprocess
import sys
from collections import Counter

from lib import TESTS, backends, fail, read, rows, run, skip, start, until_true

SCRIPT = """trap 'echo got it' USR1
mkdir -p dir && echo hello >dir/in
(cd dir && cat in >out; cd .. && ls dir >/dev/null)
ln -sf dir link; sleep 0.1; readlink link >/dev/null; cd link; cat ../dir/in >/dev/null; cd "$OLDPWD"
cat dir/in | while read -r line; do echo "$line"; done
exec 5<dir/out 6>dir/new; read -r line <&5; echo "$line" >&6; exec 5<&- 6>&-
kill -USR1 $$
sh -c 'kill -TERM $$'
./nosuch
env -i /bin/sh -c 'exec cat dir/in'
exit 3
"""
SCENES = ["io:files", "net:tcp4", "net:unix", "proc:threads", "proc:forks", "proc:vfork", "proc:daemon", "sig:rt", "sig:restart", "fd:dup",
          "fd:clone_files", "chg:names"]


def watch(pid):
    """An observing kvis, when it traces."""
    open("text", "w").close()
    kvis = start("trace", "--backend=observe", "--json=observe", "-o", "text", "-p", pid, stderr=subprocess.PIPE, text=True)
    until_true(20, lambda: "(observe)" in read("text"), "kvis does not trace")
    if not re.search(r"TracerPid:\t0$", read(f"/proc/{pid}/status"), re.M):
        fail("it has a tracer")
    return kvis


def events(kvis):
    err = kvis.communicate()[1]
    if kvis.returncode or err:
        fail(f"exit status {kvis.returncode}: {err}")
    return rows("observe")


def deep():
    """A path that is too long for /proc is absolute, or marked as cut."""
    walk = "import os\nfor i in range(20): os.mkdir(250 * chr(97 + i)); os.chdir(250 * chr(97 + i))\nopen('leaf', 'w')"
    program = subprocess.Popen([sys.executable, "-S", "-c", f"input()\n{walk}"], stdin=subprocess.PIPE)
    kvis = watch(program.pid)
    program.communicate(b"\n")
    paths = [e["path"] for e in events(kvis) if e["type"] in ("mkdir", "open") and e["pid"] == program.pid]
    wrong = [path for path in paths if not path.startswith(("/", "…/"))]
    if program.returncode or wrong or not paths[-1].endswith("/leaf"):
        fail(f"{program.returncode}, {paths[-1]}: {wrong}")


def moves():
    """Each open of a program that keeps changing its directory has the directory of that moment."""
    here = os.path.realpath("moves")
    for d in "a", "b/c":
        os.makedirs(f"{here}/{d}", exist_ok=True)
    for name in "a/x", "b/c/y", "b/z":
        open(f"{here}/{name}", "w").close()
    for backend, n in ("observe", 20000), ("hybrid", 1000):
        code = (f"import os\ninput()\nd = os.open({here + '/b'!r}, 0)\nfor i in range({n}):\n os.chdir({here + '/a'!r}); os.close(os.open('x', 0))\n"
                " os.chdir('../b/c'); os.close(os.open('y', 0))\n os.fchdir(d); os.close(os.open('z', 0))")
        words = [sys.executable, "-S", "-c", code]
        if backend == "hybrid":
            run("trace", "--backend=hybrid", "--json=hybrid", "-o", "text", "--", *words, stdin=None, input="\n").status(0)
            seen = rows("hybrid")
        else:
            program = subprocess.Popen(words, stdin=subprocess.PIPE)
            kvis = watch(program.pid)
            program.communicate(b"\n")
            seen = events(kvis)
        want = {f"{here}/{name}": n for name in ("a/x", "b/c/y", "b/z")} | {f"{here}/b": 1}
        got = Counter(e["path"] for e in seen if e["type"] == "open" and e["path"].startswith(here))
        if got != want or seen[-1]["lost"]:
            fail(f"{backend}: {got}, {seen[-1]['lost']} lost")


def flips():
    """Descriptor 50 has the right file from the first call, although it changes while kvis attaches."""
    code = ("import os\na, b = (os.open(n, os.O_WRONLY | os.O_CREAT) for n in ('one', 'two'))\nfor n in range(100, 200): os.dup2(a, n)\n"
            "print(flush=True)\nwhile True: os.dup2(a, 50); os.write(50, b'1'); os.dup2(b, 50); os.write(50, b'22')")
    program = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE)
    program.stdout.readline()
    for backend in "ptrace", "auto":
        got = Counter()
        for _ in range(40):
            run("trace", f"--backend={backend}", "--json=flips", "-o", "text", "-d", "0.02", "-p", str(program.pid)).status(0)
            got += Counter((e["bytes"], os.path.basename(e["filename"])) for e in rows("flips") if e["type"] == "write")
        if got.keys() != {(1, "one"), (2, "two")}:
            fail(f"{backend}: writes have the wrong file: {got}")
    program.kill()


if "hybrid" not in backends():
    skip("no hybrid backend")
subprocess.run([sys.executable, f"{TESTS}/lib/same_backends.py", f"attached:sh:{SCRIPT}", *(f"attached:{s}" for s in SCENES)], check=True)
deep()
moves()
flips()
