#!/usr/bin/env python3
# Every command ends by itself, whether its standard input, output and error are a terminal, a pipe, /dev/null
# or closed. It does not read input meant for its command, restores the terminal, and the command
# that it starts has the same standard input as without kvis. SIGTERM ends it, even if its terminal is stopped.
# timeout: 300
# tier: gate full
import itertools, os, pty, select, signal, subprocess, sys, termios, time, fcntl

KVIS, HERE = os.environ["KVIS"], os.getcwd()
TEXT = b"11\n22\n33\n"
KINDS = ("terminal", "pipe", "null", "closed")
PATIENCE = 30  # seconds; each run takes a fraction of one on an idle machine
AT_ONCE = 3
root = os.geteuid() == 0
FULL = os.environ.get("FULL") == "1"  # all 16 ways to connect what is quick

# The command: what its standard input is, into the file $1; READ takes a line of it.
LOOK = ["sh", "-c", 'readlink /proc/self/fd/0 >"$1" || echo none >"$1"', "sh"]
READ = ["sh", "-c", 'read line; echo "$line" >"$1"', "sh"]

def rows():
    """(arguments, status, command): status None: not judged; command: LOOK, READ or none. PID: of a process of ours."""
    yield [], 2, None
    for words in ("--version", "--help", "help", "help trace", "help --man", "completion bash", "trace --help"):
        yield words.split(), 0, None
    yield ["completion"], 2, None
    yield ["trace"], 2, None
    yield ["trace", "-p", "PID", "-d", "1"], 0, None
    yield ["replay", "r.kvis"], 0, None
    yield ["replay"], 2, None
    yield ["diff", "r.kvis", "r.kvis"], 0, None
    yield ["diff"], 2, None
    if FULL:
        yield ["check"], None, None
    yield ["check", "trace"], None, None
    yield ["monitor", "-n", "1", "-i", "0.1", "-c", "stat,load"], 0, None
    yield ["monitor", "-n", "1", "-i", "0.1", "-c", "load", "--json"], 0, None
    yield ["diagnose", "-d", "0.2"], 0, None
    for command in LOOK, READ:
        yield ["trace"], 0, command
        yield ["trace", "--backend=ptrace", "-v"], 0, command
        yield ["trace", "-q", "--json=/dev/null"], 0, command
        yield ["diagnose"], 0, command
        if root:
            yield ["open"], 0, command
            yield ["proc"], 0, command
    if root:
        yield ["open", "-p", "PID", "-d", "1"], 0, None
        yield ["proc", "-p", "PID", "-d", "1"], 0, None

class Run:
    def __init__(self, words, status, command, kinds, n):
        self.words, self.status, self.command, self.kinds = words, status, command, kinds
        self.report = f"report.{n}"
        self.sleeper = subprocess.Popen(["sleep", "1000"]) if "PID" in words else None
        self.argv = [KVIS, *(str(self.sleeper.pid) if word == "PID" else word for word in words)]
        if command:
            self.argv += ["--", *command, self.report]
        self.output, self.sources, mine, ends = b"", {}, [], []
        master, slave = pty.openpty()
        self.master, self.slave = master, slave
        self.sources[master] = None
        for f, kind in enumerate(kinds):
            if kind == "terminal":
                ends.append(slave)
            elif kind == "pipe":
                r, w = os.pipe()
                ends.append(w if f else r)
                mine.append(r if f else w)
                if f:
                    self.sources[r] = None
                    os.set_blocking(r, False)
                else:
                    self.input, self.keep = os.dup(r), w  # kept open: who waits for more waits for ever
            else:
                ends.append(os.open("/dev/null", os.O_RDWR))
        if kinds[0] == "terminal":
            self.input = slave
            os.write(master, TEXT)
        elif kinds[0] == "pipe":
            os.write(self.keep, TEXT)
        os.set_blocking(master, False)
        self.settings = termios.tcgetattr(slave)
        def child():
            if "terminal" in kinds:
                fcntl.ioctl(kinds.index("terminal"), termios.TIOCSCTTY, 0)
            for f, kind in enumerate(kinds):
                if kind == "closed":
                    os.close(f)
        self.began = time.monotonic()
        env = dict(os.environ, TERM="xterm", COLUMNS="80", LINES="24")
        self.process = subprocess.Popen(self.argv, stdin=ends[0], stdout=ends[1], stderr=ends[2], env=env,
                                        start_new_session=True, preexec_fn=child)
        for f in set(ends) - {slave}:
            os.close(f)
        self.mine = mine

    def drain(self):
        for f in list(self.sources):
            try:
                while part := os.read(f, 65536):
                    self.output += part
                del self.sources[f]
            except BlockingIOError:
                continue
            except OSError:
                pass

    def over(self):
        self.drain()
        if self.process.poll() is None:
            if time.monotonic() < self.began + PATIENCE:
                return False
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.wrong(f"did not end within {PATIENCE} s")
        return True

    def left(self):
        """What is left of the input."""
        os.set_blocking(self.input, False)
        left = b""
        try:
            while part := os.read(self.input, 100):  # of a terminal, a line each time
                left += part
        except BlockingIOError:
            pass
        return left

    def wrong(self, what):
        global failed
        failed += 1
        names = " ".join(f"{f}={k}" for f, k in zip(("stdin", "stdout", "stderr"), self.kinds))
        print(f"FAIL {' '.join(self.argv[1:])} ({names}): {what}\n  {self.output[-300:]!r}")

    def judge(self):
        self.drain()
        status, (stdin, stdout, stderr) = self.process.returncode, self.kinds
        want = {self.status}
        if "closed" in (stdout, stderr):
            want.add(125)
        if status < 0:
            self.wrong(f"died by {signal.Signals(-status).name}")
        elif self.status is not None and status not in want:
            self.wrong(f"status {status}, not {self.status}")
        elif self.status is None and status not in (0, 1, 125):
            self.wrong(f"status {status}")
        screen = self.words[:1] == ["monitor"] and stdin == stdout == "terminal" and "--json" not in self.words
        if stdin in ("terminal", "pipe") and not screen:
            want = TEXT[3:] if self.command is READ else TEXT
            left = self.left()
            if left != want:
                self.wrong(f"{left!r} is left of the input, not {want!r}")
        if termios.tcgetattr(self.slave) != self.settings:
            self.wrong("the terminal is not as it was")
        if self.command:
            self.judge_report(stdin)

    def judge_report(self, stdin):
        try:
            found = open(self.report).read().strip()
        except FileNotFoundError:
            self.wrong("the command was not run")
            return
        if self.command is READ:
            want = "11" if stdin in ("terminal", "pipe") else ""
        else:
            want = {"terminal": os.ttyname(self.slave), "null": "/dev/null", "closed": "none"}.get(stdin)
            want = want or "pipe:[%d]" % os.fstat(self.input).st_ino
        if found != want:
            self.wrong(f"the command's standard input is {found!r}, not {want!r}")

    def close(self):
        if self.sleeper:
            self.sleeper.kill()
            self.sleeper.wait()
        for f in {self.master, self.slave, *self.mine, getattr(self, "input", self.slave)}:
            os.close(f)

def matrix():
    """Of 64 ways, 16 in which each pair of two of the three occurs (a Latin square); for what takes long, 4."""
    square = [(a, b, (a + b) % 4) for a, b in itertools.product(range(4), repeat=2)]
    n = 0
    for words, status, command in rows():
        quick = status != 0 or not command and words[0] in ("--version", "--help", "help", "completion", "replay", "diff")
        if FULL and quick and words[:1] != ["check"]:
            ways = square
        else:  # in the gate, LOOK and READ share the four kinds of standard input
            kinds = range(command is READ, 4, 2) if command and not FULL else range(4)
            ways = [(k, (k + n) % 4, (k + n // 4) % 4) for k in kinds]
        for way in ways:
            n += 1
            yield Run(words, status, command, [KINDS[k] for k in way], n)
        n += 1

failed = done = 0
began = time.monotonic()
subprocess.run([KVIS, "trace", "-q", "-w", "r.kvis", "--", "true"], stderr=subprocess.DEVNULL, check=True)
runs, running = matrix(), []
while True:
    while len(running) < AT_ONCE and (run := next(runs, None)):
        running.append(run)
    if not running:
        break
    select.select([f for run in running for f in run.sources], [], [], 0.005)
    for run in [run for run in running if run.over()]:
        running.remove(run)
        run.judge()
        run.close()
        done += 1
# SIGTERM ends a kvis whose terminal has stopped its output
for words in ("diagnose", "-d", "0.2"), ("monitor", "-n", "1", "-i", "0.1", "-c", "load"):
    master, slave = pty.openpty()
    termios.tcflow(slave, termios.TCOOFF)
    process = subprocess.Popen([KVIS, *words], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    until = time.monotonic() + PATIENCE
    while open(f"/proc/{process.pid}/wchan").read() not in ("wait_woken", "n_tty_write") and time.monotonic() < until:
        time.sleep(0.01)
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        failed += 1
        print(f"FAIL {words}: SIGTERM does not end it")
    os.close(master), os.close(slave)
print(f"{done} runs in {time.monotonic() - began:.1f} s")
sys.exit(failed > 0)
