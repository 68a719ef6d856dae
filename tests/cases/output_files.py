#!/usr/bin/env python3
# kvis writes only to the outputs that the user named: it does not replace devices, FIFOs and links, it does not follow links
# planted by others, and an output without a reader or on a full disk gives one message and ends kvis.
# timeout: 120
# tier: gate
# needs: root strace
import os, re, signal, stat, subprocess, sys, threading, time

KVIS = os.environ["KVIS"]
failed = 0

def check(what, good, *more):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what}", *more)

def kvis(words, **more):
    return subprocess.run([KVIS, *words.split()], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **more)

def kind(path):
    try:
        return stat.filemode(os.lstat(path).st_mode)[0]
    except FileNotFoundError:
        return "none"

def read_fifo(path):
    """Reads a FIFO in a thread: call the result for what came."""
    got = []
    def reader():
        with open(path, "rb") as f:
            got.append(f.read())
    t = threading.Thread(target=reader, daemon=True)
    t.start()
    def result():
        t.join(60)
        return got[0] if got else None
    return result

OPEN = {"x86_64": ("2", "257"), "aarch64": ("56",)}[os.uname().machine] # open, openat
def waits_in_open(pid):
    try:
        return open(f"/proc/{pid}/syscall").read().split()[0] in OPEN
    except OSError:
        return False

# --prometheus
PROM = "monitor -n 1 -i 0.1 -c load --prometheus="
os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
os.mknod("full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
os.mkfifo("fifo")
os.mkdir("dir")
open("a.prom", "w").write("before\n")
open("target", "w").write("before\n" * 10000)
os.symlink("target", "link")
os.symlink("nowhere", "dangling")
before = open("a.prom")
run = kvis(PROM + "a.prom")
check("a file", run.returncode == 0 and "kvis_load1 " in open("a.prom").read() and before.read() == "before\n", run)
run = kvis(PROM + "new.prom")
check("a new file", run.returncode == 0 and "kvis_load1 " in open("new.prom").read(), run)
for name, want in (("null", 0), ("full", 125), ("link", 0), ("dangling", 125), ("dir", 125), ("fifo", 125)):
    was = kind(name)
    run = kvis(PROM + name)
    check(f"--prometheus={name}: status", run.returncode == want, run)
    check(f"--prometheus={name}: it was {was}", kind(name) == was, kind(name))
    check(f"--prometheus={name}: one message", run.stderr.count("cannot write") == (want != 0), run.stderr)
text = open("target").read()
check("behind a link", text.startswith("# HELP") and "before" not in text, text[:80])
run = kvis(PROM + "dangling")
check("a dangling link: the reason", "link" in run.stderr and "directory" not in run.stderr, run)
check("a dangling link makes no file", kind("nowhere") == "none")
run = kvis(PROM + "/dev/kvis-no-device")
check("a name in /dev that is no device", run.returncode == 125 and kind("/dev/kvis-no-device") == "none", run)
if kind("/dev/kvis-no-device") != "none":
    os.unlink("/dev/kvis-no-device")
result = read_fifo("fifo")
end = time.monotonic() + 60
while not any(waits_in_open(f"self/task/{t}") for t in os.listdir("/proc/self/task")) and time.monotonic() < end:
    time.sleep(0.05)
run = kvis(PROM + "fifo")
check("a FIFO with a reader", run.returncode == 0 and b"kvis_load1 " in (result() or b""), run)
os.symlink("/dev/stdout", "stdout") # never the one in /dev: a kvis that replaces it destroys the machine's
run = kvis(PROM + "stdout")
check("/dev/stdout", run.returncode == 0 and run.stdout.startswith("# HELP"), run)
check("nothing is left behind", not [n for n in os.listdir() if n.endswith(".tmp")], os.listdir())
subprocess.run(["strace", "-o", "calls", "-e", "openat,open", KVIS, *"monitor -n 2 -i 0.05 -c load --prometheus=s.prom".split()],
               stdout=subprocess.DEVNULL)
names = re.findall(r'"(s\.prom[^"]*)", ([A-Z_|]+)', open("calls").read())
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
        open("report.html", "w").write("old")
        os.chown("report.html", how == "another's" and 65534 or 0, 0)

kvis("trace -q --backend=ptrace -w r.kvis -- true")
open("victim", "w").write("precious")
os.mkdir("shared")
os.mkdir("own")
os.chmod("shared", 0o777)
os.chdir("shared")
RUNS = ["trace -q --backend=ptrace --report -- true", "proc --report -- true", "replay -q --report ../r.kvis",
        "monitor -n 1 -i 0.1 -c load --report", "diagnose -d 0.1 --report"]
for words in RUNS:
    for how in ("link", "FIFO", "another's", "hard link") if words == RUNS[0] else ("link",):
        plant(how)
        run = kvis(words)
        check(f"{words}: a {how} is refused", run.returncode == 125 and "report.html" in run.stderr and "--report=FILE" in run.stderr, run)
        check(f"{words}: what a {how} names is not written", open("../victim").read() == "precious")
plant("another's")
kvis(RUNS[0])
check("another's file is as it was", open("report.html").read() == "old")
for how in "own", None:
    plant(how)
    run = kvis(RUNS[0])
    check(f"a report over {how}", run.returncode == 0 and "</html>" in open("report.html").read(), run)
plant("link")
run = kvis(RUNS[0].replace("--report", "--report=report.html"))
check("a link that the user named is followed", run.returncode == 0 and "</html>" in open("../victim").read(), run)
os.chdir("../own")
plant("link")
run = kvis(RUNS[0])
check("so is one in a directory of one's own", run.returncode == 0 and kind("report.html") == "l", run)
os.chdir("..")

# Where nothing is traced, what the files hold stays; else nothing of it does.
open("interp", "w").write("#!/nonexistent/interpreter\n")
os.chmod("interp", 0o755)
OUTPUT = ("-o ", "-w ", "--json=", "--report=", "--perfetto=", "--folded=")
VAIN = ("-- /no/such/command", "-- no-such-command", "-- ./interp", "-- ./dir", "-u no-such-user -- true", "-p 999999999",
        "--no-accel -- ./interp", "--backend=ptrace -- ./interp", "-v -s 60000 -- ./interp " + "A" * 60000)
for vain in VAIN:
    for i, option in enumerate(OUTPUT):
        open(f"old{i}", "w").write("precious\n" * 2)
    backend = "auto" if vain in VAIN[:3] else "ptrace"  # which starts in a third of the time
    run = kvis(f"trace --backend={backend} " + " ".join(f"{option}old{i}" for i, option in enumerate(OUTPUT)) + " " + vain)
    left = [option for i, option in enumerate(OUTPUT) if open(f"old{i}", errors="replace").read() != "precious\n" * 2]
    check(f"{vain[:60]}: what the files held", run.returncode and not left, run.returncode, left, run.stderr[-200:])
sleeper = subprocess.Popen(["sleep", "100"])
for good in ("-- true", f"-p {sleeper.pid} -d 1"):
    for i, option in enumerate(OUTPUT):
        open(f"old{i}", "w").write("precious\n" * 100000)
    run = kvis("trace " + " ".join(f"{option}old{i}" for i, option in enumerate(OUTPUT)) + " " + good)
    check(f"{good}: status", run.returncode == 0, run)
    left = [option for i, option in enumerate(OUTPUT) if "precious" in open(f"old{i}", errors="replace").read()]
    check(f"{good}: nothing of before", not left, left)
    check(f"{good}: the recording is whole", kvis("replay old1").returncode == 0)
sleeper.kill()
sleeper.wait()

# A FIFO: what its reader gets; without one, the first SIGINT ends kvis, and no command was begun.
COMMAND = " -- touch started"
OUTPUTS = ["trace -o fifo" + COMMAND, "trace --backend=ptrace --json=fifo" + COMMAND, "trace --backend=ptrace -w fifo" + COMMAND, "trace --backend=ptrace --report=fifo" + COMMAND,
           "trace --backend=ptrace --perfetto=fifo" + COMMAND, "open -o fifo" + COMMAND, "proc -o fifo" + COMMAND, "proc -w fifo" + COMMAND,
           "proc --report=fifo" + COMMAND, "proc --perfetto=fifo" + COMMAND, "proc --gantt=fifo" + COMMAND,
           "diagnose --json=fifo" + COMMAND, "diagnose --report=fifo" + COMMAND, "monitor -n 1 -i 0.1 -c load --csv=fifo",
           "monitor -n 1 -i 0.1 -c load --report=fifo", "monitor -n 1 -i 0.1 -c load -o fifo", "replay -w fifo r.kvis", "replay --report=fifo r.kvis",
           "diff -o fifo r.kvis r.kvis", "check --json=fifo diff"]
for words in OUTPUTS:
    if os.path.exists("started"):
        os.unlink("started")
    p = subprocess.Popen([KVIS, *words.split()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
    until = time.monotonic() + 60
    seen = 0
    while seen < 3 and time.monotonic() < until and p.poll() is None: # in the open of the FIFO, and that it stays in
        seen = seen + 1 if waits_in_open(p.pid) else 0
        time.sleep(0.03)
    check(f"{words}: waits for a reader", seen == 3, p.returncode)
    p.send_signal(signal.SIGINT)
    try:
        p.wait(60)
    except subprocess.TimeoutExpired:
        check(f"{words}: ends at the first SIGINT", False)
        p.kill()
        p.wait()
    check(f"{words}: without a reader, its command is not begun", not os.path.exists("started"))
    result = read_fifo("fifo")
    run = kvis(words)
    check(f"{words}: what its reader gets", run.returncode in (0, 1) and result(), run)

# A full disk: one message.
for words in OUTPUTS:
    run = kvis(words.replace("fifo", "/dev/full"))
    check(f"/dev/full, {words}", run.returncode == 125 and run.stderr.count("cannot write") == 1, run)
for words in "--version", "help", "help --man", "help trace", "trace --help", "completion bash", "check diff", "diff r.kvis r.kvis":
    with open("/dev/full", "w") as full:
        run = subprocess.run([KVIS, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True)
    check(f"{words} >/dev/full", run.returncode == 125 and re.fullmatch(r"kvis: cannot write stdout.*: No space left on device\n", run.stderr), run)

# A command is waited for though nobody hears of it.
run = subprocess.run(f"exec {KVIS} proc -- sh -c 'sleep 0.3; : >ended' >&-", shell=True, capture_output=True)
check("proc waits for its command", run.returncode == 125 and os.path.exists("ended"), run)
sys.exit(failed > 0)
