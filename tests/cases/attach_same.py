#!/usr/bin/env python3
# kvis trace -p shows the same events with observe and with ptrace, for a script that forks, a server with threads, and signals.
# Paths are right in a program that keeps changing its directory, and files in a program that keeps changing a descriptor.
# An observed program has no tracer. (The case observe tests a ring that is too small.)
# tier: quick asan
# timeout: 120
# needs: root
import json
import os
import re
import socket
import subprocess
import sys
from collections import Counter

from lib import backends, fail, read, rows, run, say, skip, start, until_true

SCRIPT = """read -r go
trap 'echo got it' USR1
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
SERVER = """import os, socket, sys, threading, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(s):
    with open("page") as f:
        over.append(s.recv(100) == b"END"); s.sendall(f.read().encode()); s.close()
over = [False]
while not over[-1]:
    s = listener.accept()[0]
    t = threading.Thread(target=serve, args=(s,)); t.start(); t.join()
time.sleep(0.3)  # the last thread ends before the process
os._exit(4)
"""
TIMING = {"futex", "restart_syscall", "wait4", "getrandom", "gettid", "mmap", "munmap", "mprotect", "madvise", "rt_sigprocmask", "rt_sigreturn"}
# (how often, where, or with which result, depends on who comes first)


def watch(backend, pid, options):
    """kvis on pid, when it traces."""
    open("text", "w").close()
    kvis = start("trace", f"--backend={backend}", f"--json={backend}", "-o", "text", *options, "-p", pid,
                 stderr=subprocess.PIPE, text=True)
    until_true(20, lambda: "kvis: tracing" in read("text"), "kvis traces")
    want = backend if backend != "auto" else "observe"
    tracer = int(re.search(r"TracerPid:\t(\d+)", read(f"/proc/{pid}/status"))[1])
    if (tracer == kvis.pid) != (want == "ptrace") or f"({want})" not in read("text"):
        fail(f"{backend}: TracerPid {tracer}: {read('text')}")
    return kvis


def events(path, kvis):
    err = kvis.communicate()[1]
    if kvis.returncode or err:
        fail(f"{path}: exit status {kvis.returncode}: {err}")
    return rows(path)


def script(backend, options):
    subprocess.run(["rm", "-rf", "dir", "link"], check=True)
    program = subprocess.Popen(["sh", "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until_true(20, lambda: read(f"/proc/{program.pid}/syscall").split()[:2] in (["0", "0x0"], ["63", "0x0"]), "read(0)")
    kvis = watch(backend, program.pid, options)
    program.communicate("go\n")
    if program.returncode != 3:
        fail(f"{backend}: the script ends with {program.returncode}")
    return events(backend, kvis)


def server(backend, options):
    program = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    port = int(program.stdout.readline())
    kvis = watch(backend, program.pid, options)
    for i in range(5):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"END" if i == 4 else b"GET")
            got = b""
            while part := s.recv(1000):
                got += part
        if got != b"x" * 5000:
            fail(f"{backend}: the server sends {len(got)} bytes")
    if program.wait() != 4:
        fail(f"{backend}: the server ends with {program.returncode}")
    return events(backend, kvis)


def deep():
    """A path that is too long for /proc is absolute, or marked as cut."""
    walk = "import os\nfor i in range(20): os.mkdir(250 * chr(97 + i)); os.chdir(250 * chr(97 + i))\nopen('leaf', 'w')"
    program = subprocess.Popen([sys.executable, "-S", "-c", f"input()\n{walk}"], stdin=subprocess.PIPE)
    kvis = watch("observe", program.pid, ())
    program.communicate(b"\n")
    paths = [e["path"] for e in events("observe", kvis) if e["type"] in ("mkdir", "open") and e["pid"] == program.pid]
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
            kvis = watch(backend, program.pid, ())
            program.communicate(b"\n")
            seen = events(backend, kvis)
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


def facts(seen):
    """What the program did, by its own order, without numbers that differ between runs."""
    pids, out = {}, Counter()
    for e in seen:  # in the order of their births
        for key in "pid", "child_pid":
            if key in e:
                pids.setdefault(e[key], f"P{len(pids)}")

    def plain(value, pids=pids):
        text = json.dumps(value)
        text = re.sub(r"(pipe|socket):\[\d+\]", r"\1", re.sub(r"127.0.0.1:\d+", "HOST", text))
        return re.sub(r"\b0x[0-9a-f]+\b", "ADDRESS", re.sub(r"\b\d{3,}\b", lambda m: pids.get(int(m[0]), m[0]), text))

    keep = ("path", "fd", "bytes", "access", "program", "argv", "child_pid", "exit_pid", "code", "signal", "sender_pid", "error", "filename",
            "new_path", "target", "count", "remote_addr", "kind")
    for e in seen:
        kind = e["type"]
        if kind == "close" and e.get("kind") == "pipe":
            continue  # who closes it last depends on that, too
        if kind == "syscall" and e["name"] not in TIMING:
            args = e["args"][:1] if e["name"] == "execve" else e["args"]  # the rest is in the event exec
            out[f"{pids[e['pid']]} {e['name']} {plain(e['ret']) if e['name'] not in ('mmap', 'brk', 'rt_sigreturn', 'wait4', 'clone', 'clone3', 'vfork') else ''} {e['error']}"
                f" {plain([a for a in args if '<' in a or '/' in a])}"] += 1
        elif kind in ("open", "read", "write", "copy", "sendfile", "close", "exec", "spawn_process", "spawn_thread", "exit_process", "list",
                      "symlink", "mkdir", "accept", "send", "recv", "connect", "rename", "unlink"):
            if kind == "exec" and e.get("error"):
                e = {k: v for k, v in e.items() if k != "argv"}
            out[f"{pids[e['pid']]} {kind} {plain({k: e[k] for k in keep if k in e})}"] += 1
        elif kind == "signal" and e["signal"] != "SIGCHLD":  # which is ignored, and not delivered then
            out[f"{pids[e['pid']]} signal {plain([e['signal'], e.get('sender_pid')])}"] += 1
    s = seen[-1]
    out["summary " + plain([s["processes"], s["threads"], s["lost"], sorted((plain(f["path"]), f["bytes_read"], f["bytes_written"])
                                                                           for f in s["files"] if "/pipe" not in f["path"])], {})] += 1
    return out


def same(what, of):
    a, b = (facts(of(backend, ["-v"])) for backend in ("ptrace", "auto"))
    for fact in sorted((a - b) + (b - a)):
        say(f"{what}: {fact}: by ptrace {a[fact]}, watched {b[fact]}")
    if a != b:
        fail(f"{what}: not the same")
    say(f"{what}: {sum(a.values())} facts")


if "hybrid" not in backends():
    skip("no hybrid backend")
with open("page", "w") as page:
    page.write("x" * 5000)
same("a script", script)
same("a server", server)
deep()
moves()
flips()
