#!/usr/bin/env python3
# The first Ctrl-C or SIGTERM goes to the program, even if it is sent to kvis alone; a second one ends kvis with complete output.
# tier: gate
# timeout: 60
import json, os, pty, signal, subprocess, sys, time

import lib
kvis = lib.KVIS

def until(master, text, shown):
    """The terminal's output up to the given text; b"": up to its end."""
    while not text or text not in shown:
        try:
            data = os.read(master, 65536)
        except OSError:
            data = b""
        if not data:
            return shown if not text else sys.exit(f"no {text!r} on the terminal, but {shown!r}")
        shown += data
    return shown

def session(argv, *talk):
    """Runs argv on a terminal of its own: waits for each text, waits some seconds or for a condition, and types. Returns (status, output)."""
    pid, master = pty.fork()
    if not pid:
        os.execv(argv[0], argv)
    shown = b""
    for text, typed, *waits in talk:
        shown = until(master, text, shown)
        for wait in waits:
            wait() if callable(wait) else time.sleep(wait)
        os.write(master, typed)
    shown = until(master, b"", shown)
    return os.waitpid(pid, 0)[1], shown

COMMANDS = ["trace -q"] + ["open", "proc", "diagnose"] * (os.geteuid() == 0)
COMMANDS += [c + " --backend=ptrace -d 300" for c in ("open", "proc")]
for command in COMMANDS:
    start = [kvis, *command.split(), "-o", "rows", "--json=json", "--", "/bin/sh", "-c"]
    counts = start + ["trap 'n=x$n; echo caught' INT; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo \"got $n\"; exit 7"]
    status, shown = session(counts, (b"ready", b"\x03"))
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7, (command, status, shown)
    assert b"got x\r" in shown, (command, shown)

    # SIGTERM to kvis alone (see the case signal_group): kvis ends with the program, although a child still runs; if the program
    # continues, a second SIGTERM ends kvis.
    for script, told in (("sleep 300 >&- & echo $!; exec sleep 300", b""),
                         ("trap 'echo caught' TERM; echo $$; while :; do sleep 0.1; done", b"caught\n")):
        with subprocess.Popen(start + [script], stdout=subprocess.PIPE) as p:
            left = int(p.stdout.readline())
            p.send_signal(signal.SIGTERM)
            if told:
                assert p.stdout.readline() == told, command
                p.send_signal(signal.SIGTERM)
            ended = p.wait()
            if command != "trace -q":  # which may have killed it, with its filter
                os.kill(left, signal.SIGKILL)
        assert ended == 128 + signal.SIGTERM or ended == -signal.SIGTERM and not told, (command, ended)
    rows = [json.loads(l) for l in open("json")]
    assert command == "diagnose" or rows[-1]["type"] == "summary", (command, rows[-1])
    assert "open" not in command or os.stat("rows").st_size, command

t = time.time()
status, shown = session([kvis, "trace", "--json=json", "--", "/bin/sh", "-c",
                         "trap '' INT; echo ready; sleep 30 & sleep 30; sleep 30"], (b"ready", b"\x03"), (b"^C", b"\x03", 0.3))
assert time.time() - t < 25, "the second Ctrl-C did not end it"
assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status), status
rows = [json.loads(l) for l in open("json")]
assert rows[-1]["type"] == "summary", rows[-1]
for e in rows:  # the whole tree is gone
    if e["type"] == "spawn_process":
        try:  # a zombie waits for whoever is init here
            assert open(f"/proc/{e['child_pid']}/stat").read().rsplit(")", 1)[1].split()[0] == "Z", e
        except FileNotFoundError:
            pass

# an interactive program keeps its terminal: it reads a line typed, in the foreground; ^Z stops kvis and the program, and the shell
# that started kvis continues both
def stopped():
    """Waits until the program has stopped: the shell waits only for kvis, and meanwhile the program's read(2) could take what is typed."""
    while open(f"/proc/{open('zpid').read().strip()}/stat").read().rsplit(")", 1)[1].split()[0] not in "tT":
        time.sleep(0.05)

os.environ["PS1"] = "prompt> "
program = """echo $$ >zpid; test -t 0 && printf "na""me? "; read x; echo "hel""lo $x"; read x; echo "after $x"; exit 9"""
_, shown = session(["/bin/sh", "-i"], (b"prompt> ", f"{kvis} trace -q --json=zjson -- /bin/sh -c '{program}'\n".encode()), (b"name? ", b"bob\n"),
                   (b"hello bob", b"\x1a", 0.2), (b"Stopped", b"fg\n", stopped), (b"fg", b"typed\n", 0.2), (b"after typed", b"echo stat''us $?\n"),
                   (b"status ", b"exit\n"))
assert b"status 9" in shown, shown
