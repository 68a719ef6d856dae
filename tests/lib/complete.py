#!/usr/bin/env python3
"""Used by the case completion.
complete.py SHELL SCRIPT: loads a completion script into a shell on a terminal. For each line of
stdin, "TYPED<tab>REGEX", it types TYPED and the completion key; the resulting line and the list below it must match REGEX
within 20 s ("!REGEX": must not match when the line is complete). Ctrl-U separates the lines."""
import os, pty, re, select, sys, time, signal

MARK = "kvis-prompt>"
SHELL = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             f"PS1='{MARK}'; bind 'set bell-style none' 'set show-all-if-ambiguous on' 'set page-completions off' "
             "'set completion-query-items 0' 'set enable-bracketed-paste off'; . {}\n"),
    "zsh": (["zsh", "-f", "-i"],
            f"PROMPT='{MARK}'; unsetopt beep prompt_sp zle_bracketed_paste; LISTMAX=1000; unset zle_bracketed_paste; "
            "autoload -Uz compinit; compinit -u -d ./zcompdump; . {}\n"),
}


class Terminal:
    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="dumb", COLUMNS="400", LINES="200", HISTFILE="/dev/null", PS1=MARK)
            os.execvp(argv[0], argv)
        import fcntl, struct, termios
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 400, 0, 0))
        self.got = ""

    def type(self, text):
        os.write(self.fd, text.encode())

    def until(self, regex, what):
        end = time.monotonic() + float(os.environ.get("COMPLETE_S", 60))
        while not re.search(regex, self.got):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                sys.exit(f"{what}: waited in vain for {regex!r} in:\n{self.got!r}")
            self.got += os.read(self.fd, 65536).decode(errors="replace").replace("\x07", "").replace("\r", "")

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def main():
    shell, script = sys.argv[1:3]
    argv, setup = SHELL[shell]
    t = Terminal(argv)
    t.type(setup.replace("{}", script) + "echo rea'dy'\n")
    t.until(r"\nready\n(.*\n)*?" + MARK, shell)
    for n, line in enumerate(sys.stdin):
        typed, regex = line.rstrip("\n").split("\t")
        t.got = ""
        t.type(typed + "\t")
        t.until(regex, f"{shell}: {typed}<tab>")
        t.type(f"\x15echo don'e'{n}\n")
        t.until(rf"\ndone{n}\n(.*\n)*?" + MARK, shell)
        print(f"{shell}: {typed}<tab>: {regex}")
    t.end()


main()
