#!/usr/bin/env python3
# An ordinary user, a root directory with nothing in it but kvis, and a container without capabilities: the first screen has what
# the command does, or what is missing and how to get it.
# tier: gate
# timeout: 30
# needs: root tmux setpriv unshare chroot git gcc make /usr/bin/python3
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TESTS"], "lib"))
from tasks import Skip, check, quiet, read, run, task, write

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")
BARE = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")  # root in a container that was given nothing


@task("What does this command do, seen by an ordinary user?", "kvis trace -- cat a.c", user=NOBODY)
def user_trace(screen):
    path = os.path.abspath("a.c")
    screen.has(rf"open {path} \(read\)$")
    screen.has(rf"read +{os.path.getsize('a.c')} B +{path}$")
    check(screen.status == 0, "the status is cat's")


@task("Which commands does it run, seen by an ordinary user?", "kvis proc -- make", user=NOBODY)
def user_proc(screen):
    check(screen.status == 2, "the status is make's, which may not write a.o")
    screen.has(r"^\d\d:\d\d:\d\d\.\d{3} \d+ +[0-9.]+ 2 +[0-9.]+ MB make$")
    check("fix: run it as root, or with CAP_BPF and CAP_PERFMON" in screen.text, "it does not say how to fix it")


@task("What of all this can an ordinary user have?", "kvis check", user=NOBODY)
def user_check(screen):
    screen.has(r"^trace +ptrace: ")
    for command in "open", "proc":
        screen.has(rf"^{command} +only for a command, by ptrace: ")
    screen.has(r"^ +fix: run it as root")
    check(len(screen.rows) <= 24, "more than a screen")
    screen.fits()


@task("What does this program do, where nothing else is?", "unshare -m chroot {root} /kvis trace -- /program")
def chroot(terminal):
    os.makedirs("root")
    shutil.copy(os.environ["KVIS"], "root/kvis")
    write("program.c", "#include <fcntl.h>\n#include <unistd.h>\n"
          "int main(void) { int fd = open(\"made\", O_CREAT | O_WRONLY, 0600); return write(fd, \"12345\", 5) != 5; }\n")
    try:
        quiet("cc", "-static", "-o", "root/program", "program.c")
    except Exception:
        raise Skip("no static C library") from None
    screen = yield {"root": os.path.abspath("root")}
    check(read("root/made") == "12345" and screen.status == 0, "it did not run")
    screen.has(r"exec /program$")
    screen.has(r"open /made \(write\)$")
    screen.has(r"write +5 B +/made$")


@task("Which commands run, where nothing else is?", "unshare -m chroot {root} /kvis proc -- /program")
def chroot_proc(terminal):
    if not os.path.exists("root/program"):
        raise Skip("no static C library")
    screen = yield {"root": os.path.abspath("root")}
    screen.has(r"^\d\d:\d\d:\d\d\.\d{3} \d+ +[0-9.]+ 0 .* /program$")
    screen.fits()


@task("What does git do, in a container without capabilities?", "kvis trace -- git -C repo log --format=%s", user=BARE)
def bare_trace(screen):
    screen.has(rf"open {os.getcwd()}/repo/\.git/HEAD \(read\)$")
    check(screen.status == 0, "the status is git's")


@task("Which commands run, in a container without capabilities?", "kvis proc -- true", user=BARE)
def bare_proc(screen):
    check(screen.status == 0, f"status {screen.status}")
    screen.has(r"^\d\d:\d\d:\d\d\.\d{3} \d+ +[0-9.]+ 0 +[0-9.]+ MB true$")
    check(re.search(r"fix: .*CAP_BPF", screen.text), "it does not say how to fix it")


run()
