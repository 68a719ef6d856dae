# Used by the cases tasks_*.py: questions of everyday work, each answered by one command on a terminal of 80 by 24.
"""A case has functions with @task(QUESTION, COMMAND): the command is typed in a shell in tmux, and the function gets a
Screen with the output. It raises Wrong unless the visible rows have the answer, which it takes from
another source: the program itself, strace, /proc. A function that yields first prepares things before the command
is typed: it yields the words to insert into the command, and gets the Screen. run() runs them all."""
import inspect
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COLUMNS, ROWS = 80, 24
PATIENCE = 60  # seconds that a command has on a machine with much to do
TASKS = []
HERE = os.getcwd()
PYTHON = "/usr/bin/python3"  # as a distribution has it: a version manager is a shell script


class Wrong(Exception):
    pass


class Screen:
    """What a command has printed, as rows of the terminal."""

    def __init__(self, rows, status):
        self.rows, self.status = rows, status
        self.first = rows[:ROWS]
        self.text = "".join(self.first)  # a line that goes on in the next row is whole in it
        self.last = rows[1 - ROWS:]  # below it is the next prompt

    def has(self, regex, rows=None):
        """The first match of a regular expression in one row, of the first screen unless others are given."""
        rows = self.first if rows is None else rows
        for row in rows:
            found = re.search(regex, row)
            if found:
                return found
        raise Wrong(f"no row of {len(rows)} matches {regex!r}")

    def hasnt(self, regex):
        for row in self.rows:
            if re.search(regex, row):
                raise Wrong(f"a row matches {regex!r}: {row}")

    def fits(self):
        """No line of kvis's goes on in a second row. (tmux joins rows only when asked: rows that are full may go on.)"""
        full = [row for row in self.rows if len(row) >= COLUMNS and not row.endswith("…")]
        check(not full, f"rows are as wide as the terminal, or wider: {full}")


def check(true, why):
    if not true:
        raise Wrong(why)


def wait(what, seconds=PATIENCE):
    """Waits until what() is true, and returns it."""
    end = time.monotonic() + seconds
    while not (value := what()):
        if time.monotonic() > end:
            raise Wrong("waited in vain")
        time.sleep(0.02)
    return value


def environment(directory):
    """What both the command and what it is compared with have."""
    return {"PATH": f"{directory}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": directory}


class Terminal:
    """A shell in tmux. `user` is what stands before the shell's name, to start it as somebody else."""

    def __init__(self, directory, user=()):
        self.directory, self.user = directory, user
        self.socket = tempfile.mktemp(prefix=".tmux", dir=directory)  # of its own: the last server may not be gone yet
        with open(f"{directory}/.tmux.conf", "w", encoding="utf-8") as file:
            file.write("set -g history-limit 5000\nset -g default-terminal screen\n")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, "-f", f"{self.directory}/.tmux.conf", *words],
                              stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE).stdout

    def start(self, command):
        """Types a command; a line with its status is the end of what it prints."""
        with open(f"{self.directory}/.typed", "w", encoding="utf-8") as file:
            file.write(f"{command}\nprintf '\\n[status %d]\\n' $?\nexec sleep 1000\n")
        variables = [f"{name}={value}" for name, value in environment(self.directory).items()]
        words = [*self.user, "env", *variables, "sh", f"{self.directory}/.typed"]
        self.tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", self.directory, shlex.join(words))

    def rows(self):
        """All rows since the start, those that have scrolled away first."""
        return self.tmux("capture-pane", "-p", "-S", "-").rstrip("\n").split("\n")

    def shown(self):
        """The rows that the terminal shows now."""
        return self.tmux("capture-pane", "-p").split("\n")[:ROWS]

    def key(self, key):
        self.tmux("send-keys", key)

    def end(self):
        def status():
            return re.fullmatch(r"\[status (\d+)\]", self.rows()[-1])
        code = int(wait(status)[1])
        rows = self.rows()[:-1]
        while rows and not rows[-1]:
            rows.pop()
        return Screen(rows, code)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE)


def task(question, command, user=()):
    def add(function):
        TASKS.append((question, command, user, function))
        return function
    return add


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def quiet(*words):
    """Runs a command that gets things ready, or that knows the truth; returns what it prints."""
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, timeout=PATIENCE,
                          env=environment(os.getcwd())).stdout


class Program:
    """A program that runs beside the command, until the task is done."""

    def __init__(self, *words, **how):
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True, **how)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()


def opened(trace):
    """The paths that strace's lines say were opened."""
    return re.findall(r'openat\(AT_FDCWD, "([^"]+)", [^)]*\) = \d', trace)


def compiles_long(path):
    """A C file whose compiler runs much longer than that of the other one."""
    write(path, "".join(f"int f{i}(int n) {{ return n * {i} % 7; }}\n" for i in range(500)) + "int a(int n) { return f1(n); }\n")


def make_things(directory):
    """What the commands work on: a repository, a program of two files, kvis in the PATH."""
    os.mkdir(f"{directory}/bin")
    shutil.copy(os.environ["KVIS"], f"{directory}/bin/kvis")
    write(f"{directory}/Makefile", "app: a.o m.o\n\t@cc -o app a.o m.o\n%.o: %.c\n\t@cc -O2 -c $<\nclean:\n\t@rm -f app a.o m.o\n")
    write(f"{directory}/a.c", "int a(int n) { return n + 1; }\n")
    write(f"{directory}/m.c", "#include <stdio.h>\nint a(int n);\nint main(void) { return printf(\"%d\\n\", a(1)) < 0; }\n")
    write(f"{directory}/.gitconfig", f"[user]\n\tname = A\n\temail = a@example.org\n[safe]\n\tdirectory = {directory}/repo\n")
    git = ["git", "-C", f"{directory}/repo"]
    os.mkdir(f"{directory}/repo")
    for i in range(3):
        write(f"{directory}/repo/file{i}", f"{i}\n")
    quiet(*git, "init", "-q")
    quiet(*git, "add", ".")
    quiet(*git, "commit", "-qm", "all")


def do(directory, question, command, user, function):
    """One task; returns why it is wrong, or None."""
    print(f"# {question}")
    terminal, screen = Terminal(directory, user), None
    steps = function(terminal) if inspect.isgeneratorfunction(function) else None
    try:
        words = next(steps) if steps else {}
        typed = command.format(**(words or {}))
        print(f"$ {typed}")
        terminal.start(typed)
        screen = terminal.end() if not steps or not words or not words.get("live") else None
        if steps:
            try:
                steps.send(screen)
            except StopIteration:
                pass
        else:
            function(screen)
    except Exception as why:
        rows = screen.rows if screen else terminal.rows() if os.path.exists(terminal.socket) else []
        print("\n".join(rows[:ROWS] + (["..."] + rows[-ROWS:] if len(rows) > ROWS else [])))
        return f"{question}: {type(why).__name__}: {why}"
    finally:
        terminal.close()
        if steps:
            steps.close()
    return None


def run(*names):
    """Runs all tasks (or those whose function has one of these names) in a directory with a short name."""
    directory = tempfile.mkdtemp(prefix="tasks.", dir="/tmp")
    os.chmod(directory, 0o755)
    names = names or sys.argv[1:]
    try:
        os.chdir(directory)
        make_things(directory)
        wrong = [why for *of, function in TASKS if not names or function.__name__ in names
                 if (why := do(directory, *of, function))]
    finally:
        os.chdir(HERE)
        shutil.rmtree(directory)
    if wrong:
        sys.exit("\n".join(f"FAIL: {why}" for why in wrong))
