#!/usr/bin/env python3
# -P PATH shows every call that touches the path: by its name, as written and resolved, and by its descriptors, including
# those in sets and in calls that fail. strace -P is the reference; calls that only kvis shows are listed.
# kvis replay -P finds the same calls in a recording.
# tier: gate full asan
# timeout: 180
# needs: root strace prog:touch
import os
import subprocess

from lib import BIN, CWD, eq, fail, put, read, rows, run, say, some, start, until_true

PROG = BIN + "/touch"
# strace looks at the first path of rename(2), and at the descriptor of fsconfig(2) only by command.
BESIDE = ["rename", "fsconfig"]
BACKENDS = ("ptrace", "hybrid")


def fresh(name):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    put(name, b"x" * 1000)
    os.chmod(name, 0o600)


def calls(file="json"):
    return [e["name"] for e in rows(file) if e["type"] == "syscall" and e["ret"] is not None]


def events(file):
    return [(e["type"], e.get("path"), e.get("new_path")) for e in rows(file) if e["type"] not in ("syscall", "header", "summary")]


def trace(backend, *words):
    run("trace", "-v", f"--backend={backend}", "--json=json", "-o", "text", *words).status(0)
    return calls()


def kvis(backend, wanted, how, name, *more):
    fresh(name)
    return trace(backend, *more, "-P", wanted, PROG, how, name)


for how, wanted in (("direct", CWD + "/data"), ("direct", "data"), ("relative", "data")):
    fresh("data")
    subprocess.run(["strace", "-f", "-o", "strace.out", "-P", wanted, PROG, how, CWD + "/data"], stderr=subprocess.DEVNULL, check=True)
    truth = [line.split(None, 1)[1].split("(")[0] for line in read("strace.out").splitlines() if "+++" not in line]
    if len(truth) < 40 or truth.count("pselect6") != 2 or truth.count("poll") != 2:
        fail(f"strace shows {truth}")
    for backend in BACKENDS:
        eq(f"{backend} -P {wanted}, {how}", sorted(truth + BESIDE), sorted(kvis(backend, wanted, how, CWD + "/data")))
    say(how, wanted, len(truth), "calls of strace's")

# A relative name leads to the file, too (except an argument of mount(2), which may be any text).
for backend in BACKENDS:
    got = kvis(backend, CWD + "/data", "relative", CWD + "/data")
    eq(f"{backend}, a relative name", sorted(truth + BESIDE), sorted(got + ["mount"]))

# A file is that file under every name: symbolic links to it or to its directory, links of /proc, hard links, "..", and
# what it is renamed to. A call that looks at a link itself, or only makes one with that text, does not touch it.
MANY = '''
import os
os.stat(f"/proc/{os.getpid()}/cwd/data"); os.lstat("/proc/self/root" + os.getcwd() + "/data")
os.stat("lnk"); os.stat("/proc/self/cwd/hard"); os.chmod("lnk", 0o600); os.lstat("lnk"); os.readlink("lnk"); os.symlink("data", "lnk2"); os.unlink("lnk2")
os.stat(f"/proc/self/task/{os.getpid()}/cwd/data"); os.stat("/proc/self/root/proc/thread-self/root/proc/self/cwd/lnk")
os.access("/proc/4194304root/data", os.F_OK); here = os.getcwd(); os.chdir("dlnk"); os.stat("/proc/self/cwd"); os.chdir("/proc/thread-self/root" + here)
f = os.open("hard", os.O_RDONLY); os.read(f, 1); os.stat(f"/dev/fd/{f}"); os.lstat(f"/proc/self/fd/{f}"); os.close(f)
f = os.open("dlnk/../data2", os.O_RDONLY); os.read(f, 1); os.close(f)
f = os.open("dlnk/in", os.O_RDONLY | os.O_CREAT); os.fsync(f); os.close(f); os.unlink("dlnk/in")
os.rename("data", "moved"); os.truncate("moved", 5); os.unlink("moved"); os.unlink("hard")
f = os.open("other", os.O_RDWR | os.O_CREAT); os.write(f, b"x"); os.close(f)
'''
for wanted, truth in (("data", "newfstatat newfstatat newfstatat newfstatat chmod newfstatat newfstatat openat read newfstatat close rename truncate unlink unlink"),
                      ("lnk", "newfstatat newfstatat newfstatat newfstatat chmod newfstatat readlink newfstatat newfstatat openat read newfstatat close "
                              "rename truncate unlink unlink"),
                      ("absent", ""), ("real", "chdir newfstatat openat fsync close unlink"), ("data2", "openat read close")):
    for backend in BACKENDS:
        for name in ("data", "data2", "real/x"):
            fresh(name)
        for link, text in (("lnk", "data"), ("dlnk", "real")):
            os.path.lexists(link) or os.symlink(text, link)
        os.link("data", "hard")
        got = trace(backend, "-P", wanted, "/usr/bin/python3", "-S", "-E", "-c", MANY)
        eq(f"{backend} -P {wanted}, under many names", truth.split(), got)
        os.unlink("other")

# The same for a process that is followed by its number, and for a link that /proc makes.
for backend in ("ptrace", "observe"):
    fresh("data")
    for way in ("../lnk", "/proc/self/cwd/../data"):
        with subprocess.Popen(["sh", "-c", f"read x; cd real; exec cat {way}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as p:
            tracer = start("trace", "-v", f"--backend={backend}", "--json=json", "-o", "text", "-P", "data", "-p", p.pid, stderr=subprocess.DEVNULL)
            until_true(20, lambda: os.path.exists("text") and "1 thread" in read("text"), "kvis does not attach")
            p.stdin.write(b"\n")
            p.stdin.close()
            tracer.wait()
        os.unlink("text")
        eq(f"{backend} -p -P data, as {way}", set(), {"openat", "read", "close"} - set(calls()))

# Directories, the root, and names that are globs too; and the same out of a recording.
NAMES = (("d/e/data", "d/"), ("d/e/data", CWD + "/d//"), ("d/e/data", "d/*/data"), ("a[1]/data", "a[1]/data"),
         ("d/e/data", "/"), ("d/e/data", "d"), ("d/e/data", "./d"), ("a[1]/data", "a[1]/"))
for name, wanted in some(NAMES[:5], NAMES, NAMES[:5]):
    for backend in BACKENDS:
        got = kvis(backend, wanted, "direct", f"{CWD}/{name}", "-w", "run.kvis")
        ours = [n for n in ("poll", "close", "dup2", "pselect6", "newfstatat", "rename") if n not in got]
        if ours or ("brk" in got) or (wanted != "/" and got.count("poll") != 2):
            fail(f"{backend} -P {wanted}: {ours} missing of {got}")
        live = events("json")
        os.unlink("run.kvis")
        whole = f"{backend}.{name[0]}.kvis"
        if not os.path.exists(whole):
            fresh(f"{CWD}/{name}")
            trace(backend, "-w", whole, PROG, "direct", f"{CWD}/{name}")
        run("replay", "-v", "--json=replayed", "-o", "text", "-P", wanted, whole).status(0)
        eq(f"{backend} -P {wanted}: calls replayed", got, calls("replayed"))
        # The event of mount names its other path, that of a failed open below the file no name that a glob matches: a
        # replay selects only the calls.
        live, replayed = ([e for e in found if e[0] != "change" and not ("*" in wanted and str(e[1]).endswith("/below"))]
                          for found in (live, events("replayed")))
        eq(f"{backend} -P {wanted}: events replayed", live, replayed)
for wanted in ("e", "dat", "d/e/dat", "a[2]", "d?"):
    eq(f"-P {wanted}", [], kvis("ptrace", wanted, "direct", f"{CWD}/d/e/data"))

# A recording is replayed in another directory: a name still matches as the program wrote it, in each call that takes a
# path.
for backend in BACKENDS:
    fresh("data")
    trace(backend, "-w", "run.kvis", PROG, "relative", CWD + "/data")
    os.makedirs("elsewhere", exist_ok=True)
    run("replay", "-v", "--json=../replayed", "-o", "../text", "-P", "data", "../run.kvis", cwd="elsewhere").status(0)
    got = calls("replayed")
    if "rename" not in got or "mount" not in got or got.count("mkdir") + got.count("mkdirat") != 1:
        fail(f"{backend}, replayed elsewhere: {got}")
