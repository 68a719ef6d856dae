#!/usr/bin/env python3
# Every command ends by itself, whether its standard input, output and error are a terminal, a pipe, /dev/null
# or closed. It does not read input meant for its command, restores the terminal, and the command
# that it starts has the same standard input as without kvis. SIGTERM ends it, even if its terminal is stopped.
# timeout: 300
# tier: gate
import contextlib, fcntl, multiprocessing, os, pty, select, signal, subprocess, sys, termios, time

KVIS = os.environ["KVIS"]
TEXT = b"11\n22\n33\n"
KINDS = ("terminal", "pipe", "null", "closed")
PATIENCE = 30  # seconds; each run takes a fraction of one on an idle machine

# The command: LOOK writes what its standard input is to the file $1, READ a line from its standard input.
LOOK = ["sh", "-c", 'readlink /proc/self/fd/0 >"$1" || echo none >"$1"', "sh"]
READ = ["sh", "-c", 'read line; echo "$line" >"$1"', "sh"]

def rows():
    """(arguments, status, command): status None: not judged; command: LOOK, READ or none. PID: of a process of ours."""
    for words in ("", "completion", "trace", "replay", "diff"):
        yield words.split(), 2, None
    for words in ("--version", "--help", "help", "help trace", "help --man", "completion bash", "trace --help", "trace -p PID -d 1",
                  "replay r.kvis", "diff r.kvis r.kvis", "monitor -n 1 -i 0.1 -c stat,load", "monitor -n 1 -i 0.1 -c load --json",
                  "diagnose -d 0.2"):
        yield words.split(), 0, None
    yield ["check"], None, None
    root = os.geteuid() == 0
    for command in LOOK, READ:
        for words in ("trace", "trace --backend=ptrace -v", "trace -q --json=/dev/null", "diagnose", *(("open", "proc") if root else ())):
            yield words.split(), 0, command
    for words in ("open -p PID -d 1", "proc -p PID -d 1") if root else ():
        yield words.split(), 0, None

def read_all(f):
    """All bytes that can be read now."""
    os.set_blocking(f, False)
    got = b""
    with contextlib.suppress(OSError):
        while part := os.read(f, 65536):  # of a terminal, a line each time
            got += part
    return got

def one(run):
    """Runs kvis with these kinds of standard input, output and error. Returns what is wrong."""
    n, words, status, command, kinds = run
    sleeper = subprocess.Popen(["sleep", "1000"]) if "PID" in words else None
    argv = [KVIS, *(str(sleeper.pid) if word == "PID" else word for word in words)]
    argv += ["--", *command, f"report.{n}"] if command else []
    master, slave = pty.openpty()
    opened, sources, ends = {master, slave}, [master], []
    for f, kind in enumerate(kinds):
        pair = os.pipe() if kind == "pipe" else ()  # its other end stays open: who waits for more waits for ever
        ends.append(slave if kind == "terminal" else pair[f > 0] if pair else os.open("/dev/null", os.O_RDWR))
        opened |= {ends[-1], *pair}
        if kind in ("terminal", "pipe") and not f:
            os.write(pair[1] if pair else master, TEXT)
        if pair and f:
            sources.append(pair[0])
    settings = termios.tcgetattr(slave)

    def child():
        if "terminal" in kinds:
            fcntl.ioctl(kinds.index("terminal"), termios.TIOCSCTTY, 0)
        for f, kind in enumerate(kinds):
            if kind == "closed":
                os.close(f)

    process = subprocess.Popen(argv, stdin=ends[0], stdout=ends[1], stderr=ends[2], start_new_session=True, preexec_fn=child,
                               env=dict(os.environ, TERM="xterm", COLUMNS="80", LINES="24"))
    output, until, wrong = b"", time.monotonic() + PATIENCE, []
    while process.poll() is None and time.monotonic() < until:
        select.select(sources, [], [], 0.01)
        output += b"".join(map(read_all, sources))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        wrong.append(f"did not end within {PATIENCE} s")
    got = process.wait()
    allowed = (0, 1, 125) if status is None else (status, 125) if "closed" in kinds[1:] else (status,)
    if got not in allowed:
        wrong.append(f"status {got}, not one of {allowed}")
    screen = words[:1] == ["monitor"] and kinds[0] == kinds[1] == "terminal" and "--json" not in words
    if kinds[0] in ("terminal", "pipe") and not screen:
        left, want = read_all(ends[0]), TEXT[3:] if command == READ else TEXT
        if left != want:
            wrong.append(f"{left!r} is left of the input, not {want!r}")
    if termios.tcgetattr(slave) != settings:
        wrong.append("the terminal is not as it was")
    if command:
        found = open(f"report.{n}").read().strip() if os.path.exists(f"report.{n}") else "not run"
        want = {"terminal": os.ttyname(slave), "null": "/dev/null", "closed": "none",
                "pipe": f"pipe:[{os.fstat(ends[0]).st_ino}]"}[kinds[0]]
        if command == READ:
            want = "11" if kinds[0] in ("terminal", "pipe") else ""
        if found != want:
            wrong.append(f"the command's standard input is {found!r}, not {want!r}")
    if sleeper:
        sleeper.kill()
        sleeper.wait()
    for f in opened:
        os.close(f)
    return [f"{' '.join(argv[1:])} (stdin, stdout, stderr: {kinds}): {what}\n  {output[-300:]!r}" for what in wrong]

def matrix():
    """Four of the 64 ways, different ones for each row. LOOK and READ share the four kinds of standard input."""
    n = 0
    for words, status, command in rows():
        ways = [(k, (k + n) % 4, (k + n // 4) % 4) for k in range(command is READ, 4, 2 if command else 1)]
        for way in ways:
            n += 1
            yield n, words, status, command, [KINDS[k] for k in way]
        n += 1

subprocess.run([KVIS, "trace", "-q", "-w", "r.kvis", "--", "true"], stderr=subprocess.DEVNULL, check=True)
with multiprocessing.get_context("fork").Pool(3) as pool:
    failed = [what for run in pool.imap_unordered(one, list(matrix())) for what in run]
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
        failed.append(f"{words}: SIGTERM does not end it")
    os.close(master), os.close(slave)
print(*failed, sep="\n")
sys.exit(bool(failed))
