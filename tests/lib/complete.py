#!/usr/bin/env python3
"""Used by the case completion.
complete.py SHELL SCRIPT: loads a completion script into a shell on a terminal. For each line of stdin, "TYPED<tab>REGEX", it types
TYPED and the completion key; the resulting line and the list below it must match REGEX. Ctrl-U separates the lines."""
import fcntl, os, pty, re, select, struct, sys, termios, time, signal

MARK = "kvis-prompt>"
SHELL = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             f"PS1='{MARK}'; bind 'set bell-style none' 'set show-all-if-ambiguous on' 'set page-completions off' "
             "'set completion-query-items 0' 'set enable-bracketed-paste off'; . {}\n"),
    "zsh": (["zsh", "-f", "-i"],
            f"PROMPT='{MARK}'; unsetopt beep prompt_sp zle_bracketed_paste; LISTMAX=1000; unset zle_bracketed_paste; "
            "autoload -Uz compinit; compinit -u -d ./zcompdump; . {}\n"),
}
got = ""


def until(regex, what):
    """Reads until the output since the last call matches."""
    global got
    end = time.monotonic() + 60
    while not re.search(regex, got):
        if not select.select([terminal], [], [], max(end - time.monotonic(), 0))[0]:
            sys.exit(f"{what}: waited in vain for {regex!r} in:\n{got!r}")
        got += os.read(terminal, 65536).decode(errors="replace").replace("\x07", "").replace("\r", "")
    got = ""


shell, script = sys.argv[1:3]
argv, setup = SHELL[shell]
pid, terminal = pty.fork()
if not pid:
    os.environ.update(TERM="dumb", COLUMNS="400", LINES="200", HISTFILE="/dev/null", PS1=MARK)
    os.execvp(argv[0], argv)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 400, 0, 0))
os.write(terminal, (setup.replace("{}", script) + "echo rea'dy'\n").encode())
until(r"\nready\n(.*\n)*?" + MARK, shell)
for n, line in enumerate(sys.stdin):
    typed, regex = line.rstrip("\n").split("\t")
    os.write(terminal, f"{typed}\t".encode())
    until(regex, f"{shell}: {typed}<tab>")
    os.write(terminal, f"\x15echo don'e'{n}\n".encode())
    until(rf"\ndone{n}\n(.*\n)*?" + MARK, shell)
    print(f"{shell}: {typed}<tab>: {regex}")
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
