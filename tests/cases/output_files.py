#!/usr/bin/env python3
# kvis writes only to the outputs that the user named: it does not replace devices, FIFOs and links, it does not follow links
# planted by others, and an output without a reader or on a full disk gives one message and ends kvis.
# timeout: 120
# tier: gate
# needs: root strace
import os, re, stat, subprocess, threading, time

import lib
from lib import KVIS, end, put, read as text, start, until_true

def check(what, good, *more):
    if not good:
        lib.fail(f"{what}: {more}")

def kvis(words, **more):
    run = lib.run(*words.split(), **more)
    return run, (run.st, run.err[-300:])

def kind(path):
    return stat.filemode(os.lstat(path).st_mode)[0] if os.path.lexists(path) else "none"

def read_fifo(path):
    """Reads a FIFO in a thread. The function returned waits for its end, and returns the bytes read."""
    got = []
    t = threading.Thread(target=lambda: got.append(open(path, "rb").read()), daemon=True)
    t.start()
    def result():
        t.join(60)
        return got[0] if got else None
    return result

OPEN = {"x86_64": ("2", "257"), "aarch64": ("56",)}[os.uname().machine] # open, openat
def waits_in_open(pid):
    try:
        return text(f"/proc/{pid}/syscall").split()[0] in OPEN
    except OSError:
        return False

# --prometheus
PROM = "monitor -n 1 -i 0.1 -c load --prometheus="
os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
os.mknod("full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
os.mkfifo("fifo")
os.mkdir("dir")
put("a.prom", "before\n")
put("target", "before\n" * 10000)
os.symlink("target", "link")
os.symlink("nowhere", "dangling")
before = open("a.prom")
for name in "a.prom", "new.prom":
    run, ends = kvis(PROM + name)
    check(name, run.st == 0 and "kvis_load1 " in text(name), ends)
check("a file that is replaced", before.read() == "before\n")
for name, want in (("null", 0), ("full", 125), ("link", 0), ("dangling", 125), ("dir", 125), ("fifo", 125), ("/dev/kvis-no-device", 125)):
    was = kind(name)
    run, ends = kvis(PROM + name)
    now = kind(name)
    if now != was == "none":
        os.unlink(name)
    check(f"--prometheus={name}: {was}, now {now}", now == was and run.st == want and run.err.count("cannot write") == (want != 0), ends)
    check("a dangling link: the reason", name != "dangling" or "link" in run.err and "directory" not in run.err, ends)
check("behind a link", text("target").startswith("# HELP") and "before" not in text("target"), text("target")[:80])
check("a dangling link makes no file", kind("nowhere") == "none")
result = read_fifo("fifo")
until_true(10, lambda: any(waits_in_open(f"self/task/{t}") for t in os.listdir("/proc/self/task")), "no reader")
run, ends = kvis(PROM + "fifo")
check("a FIFO with a reader", run.st == 0 and b"kvis_load1 " in (result() or b""), ends)
os.symlink("/dev/stdout", "stdout") # never the one in /dev: a kvis that replaces it destroys the machine's
run, ends = kvis(PROM + "stdout")
check("/dev/stdout", run.st == 0 and run.out.startswith("# HELP"), ends)
check("nothing is left behind", not [n for n in os.listdir() if n.endswith(".tmp")], os.listdir())
subprocess.run(["strace", "-o", "calls", "-e", "openat,open", KVIS, *"monitor -n 2 -i 0.05 -c load --prometheus=s.prom".split()],
               stdout=subprocess.DEVNULL)
names = re.findall(r'"(s\.prom[^"]*)", ([A-Z_|]+)', text("calls"))
check("temporary files are new, and none has the name of another", len(names) > 1 and len({n for n, _ in names}) == len(names)
      and all("O_CREAT" in f and "O_EXCL" in f for _, f in names), names)

# --report without a name
def plant(how):
    if kind("report.html") != "none":
        os.unlink("report.html")
    if how == "link":
        os.symlink(os.path.abspath("../victim"), "report.html")
    elif how == "hard link":
        os.link("../victim", "report.html")
    elif how == "FIFO":
        os.mkfifo("report.html")
    elif how:
        put("report.html", "old")
        os.chown("report.html", how == "another's" and 65534 or 0, 0)

kvis("trace -q --backend=ptrace -w r.kvis -- true")
put("victim", "precious")
os.mkdir("shared")
os.mkdir("own")
os.chmod("shared", 0o777)
os.chdir("shared")
RUNS = ["trace -q --backend=ptrace --report -- true", "proc --report -- true", "replay -q --report ../r.kvis",
        "monitor -n 1 -i 0.1 -c load --report", "diagnose -d 0.1 --report"]
for words in RUNS:
    for how in ("link", "FIFO", "hard link", "another's") if words == RUNS[0] else ("link",):
        plant(how)
        run, ends = kvis(words)
        check(f"{words}: a {how} is refused", run.st == 125 and "report.html" in run.err and "--report=FILE" in run.err, ends)
        check(f"{words}: what a {how} names is not written", text("../victim") == "precious")
        check("another's file is as it was", how != "another's" or text("report.html") == "old")
# One's own file is replaced; a link is followed if the user named it, or in a directory of one's own.
for how, words, where, written in (("own", RUNS[0], ".", "report.html"), (None, RUNS[0], ".", "report.html"),
                                   ("link", RUNS[0].replace("--report", "--report=report.html"), ".", "../victim"),
                                   ("link", RUNS[0], "../own", "report.html")):
    os.chdir(where)
    plant(how)
    was = kind("report.html")
    run, ends = kvis(words)
    check(f"a report over {how}", run.st == 0 and "</html>" in text(written) and was in ("none", kind("report.html")), ends)
os.chdir("..")

# If nothing is traced, output files keep their contents; otherwise they are replaced.
put("interp", "#!/nonexistent/interpreter\n")
os.chmod("interp", 0o755)
OUTPUT = ("-o ", "-w ", "--json=", "--report=", "--perfetto=", "--folded=")
NAMED = " ".join(f"{option}old{i}" for i, option in enumerate(OUTPUT))
VAIN = ("-- /no/such/command", "-- no-such-command", "-- ./interp", "-- ./dir", "-u no-such-user -- true", "-p 999999999",
        "--no-accel -- ./interp", "--backend=ptrace -- ./interp", "-v -s 60000 -- ./interp " + "A" * 60000)
def fill(n):
    for i in range(len(OUTPUT)):
        put(f"old{i}", "precious\n" * n)

for vain in VAIN:
    fill(2)
    backend = "auto" if vain in VAIN[:3] else "ptrace"  # which starts in a third of the time
    run, ends = kvis(f"trace --backend={backend} {NAMED} {vain}")
    left = [option for i, option in enumerate(OUTPUT) if text(f"old{i}") != "precious\n" * 2]
    check(f"{vain[:60]}: what the files held", run.st and not left, left, ends)
sleeper = subprocess.Popen(["sleep", "100"])
for good in ("-- true", f"-p {sleeper.pid} -d 1"):
    fill(100000)
    run, ends = kvis(f"trace {NAMED} {good}")
    left = [option for i, option in enumerate(OUTPUT) if "precious" in text(f"old{i}")]
    check(f"{good}: nothing of before", run.st == 0 and not left, left, ends)
    check(f"{good}: the recording is whole", kvis("replay old1")[0].st == 0)
sleeper.kill()
sleeper.wait()

# A FIFO: what its reader gets; without one, the first SIGINT ends kvis, and no command was begun. A full disk: one message, and the command is run.
COMMANDS = ["trace -o fifo", "trace -v --backend=ptrace -o fifo",
            *(f"trace --backend=ptrace {option}fifo" for option in ("--json=", "-w ", "--report=", "--perfetto=", "--folded=")),
            "open -o fifo", "open --json=fifo", "proc -o fifo", "proc --json=fifo", "proc -w fifo", "proc --report=fifo",
            "proc --perfetto=fifo", "proc --gantt=fifo", "diagnose --json=fifo", "diagnose --report=fifo"]
COMMANDS = [words + " -- touch started" for words in COMMANDS]
OUTPUTS = COMMANDS + [
    *(f"monitor -n 1 -i 0.1 -c load {option}fifo" for option in ("--csv=", "--report=", "-o ")),
    "replay -w fifo r.kvis", "replay --report=fifo r.kvis", "diff -o fifo r.kvis r.kvis", "check --json=fifo diff"]
def stays_in_open(pid):
    for _ in range(3):
        if not waits_in_open(pid):
            return False
        time.sleep(0.03)
    return True

for words in OUTPUTS:
    if os.path.exists("started"):
        os.unlink("started")
    p = start(*words.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    until_true(10, lambda: stays_in_open(p.pid), f"{words}: does not wait for a reader")
    end(p)
    check(f"{words}: without a reader, its command is not begun", not os.path.exists("started"))
    result = read_fifo("fifo")
    run, ends = kvis(words)
    check(f"{words}: what its reader gets", run.st in (0, 1) and result(), ends)
    if os.path.exists("started"):
        os.unlink("started")
    run, ends = kvis(words.replace("fifo", "/dev/full"))
    check(f"/dev/full, {words}", run.st == 125 and run.err.count("cannot write") == 1, ends)
    check(f"/dev/full, {words}: its command", os.path.exists("started") == (words in COMMANDS))
for words in "--version", "help", "help --man", "help trace", "trace --help", "completion bash", "check diff", "diff r.kvis r.kvis":
    with open("/dev/full", "w") as full:
        run, ends = kvis(words, stdout=full)
    check(f"{words} >/dev/full", run.st == 125 and re.fullmatch(r"kvis: cannot write stdout.*: No space left on device\n", run.err), run.err)

# kvis waits for its command even if standard output is closed.
run = subprocess.run(f"exec {KVIS} proc -- sh -c 'sleep 0.3; : >ended' >&-", shell=True, capture_output=True)
check("proc waits for its command", run.returncode == 125 and os.path.exists("ended"), run)
