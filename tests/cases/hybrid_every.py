#!/usr/bin/env python3
# Every call of the table, three times (with plausible arguments on files, on sockets that do not block, and with invalid
# pointers, descriptors and numbers), is the same through both backends of kvis trace. Calls that end or block the program, that
# would change the machine, and times(2), whose times differ, are omitted; other cases cover them.
# tier: gate
# timeout: 120
# needs: root strace setarch python3 gcc git unshare
import platform
import subprocess
import sys

from lib import CWD, TESTS, say, skip

COLUMN = {"x86_64": 2, "aarch64": 5}
NEVER = set("""exit exit_group fork vfork clone clone3 pause rt_sigsuspend rt_sigreturn vhangup reboot seccomp
    sync syncfs times uretprobe uprobe userfaultfd restart_syscall""".split())
ONLY_WRONG = set("""ptrace sethostname setdomainname settimeofday clock_settime acct setrlimit prlimit64 close close_range chroot
    pivot_root kexec_load kexec_file_load swapon swapoff delete_module init_module finit_module syslog
    set_robust_list set_tid_address rseq modify_ldt set_thread_area brk unshare setns kill tkill tgkill munmap shmat
    io_uring_setup landlock_restrict_self mlockall munlockall iopl ioperm""".split())
NUMBERS = set("int uint long ulong size off hex mode dev pid uid gid sig ioctlcmd prctlopt futexop futexval".split())
COUNTED = {"wiov": 2, "riov": 2, "pollfds": 1, "mmsgin": 1, "mmsgout": 1, "waiters": 1, "sembufs": 1, "gids": 1,
           "wbuf": 9, "rbuf": 40, "linkbuf": 100, "str": 0, "sa": 16, "sockoptval": 4, "cloneargs": 64, "openhow": 24}
AT = {"wiov": "iov", "riov": "iov", "msgin": "&msg", "msgout": "&msg", "mmsgin": "&msg", "mmsgout": "&msg",
      "path": "name", "target": "name", "str": "text", "sa": "&address", "intp": "&length", "pollfds": "&polled"}


# Not NULL, with which acct(2) succeeds. The last three: no page there, no address on x86, the kernel's.
WRONG = "8", "1", "-1", "-4096", "0x7ffffffff000", "0x4141414141414141", "0xffffffff81000000"


def value(kind, before, way, i, number):
    """The C expression of an argument."""
    wrong = way == 2
    if kind in ("fd", "dirfd"):
        return "-1" if wrong else "AT_FDCWD" if kind == "dirfd" else ("FILE_FD", "SOCK_FD")[way]
    if kind in ("uid", "gid", "mode"):
        return "0"
    if kind in ("pid", "sig"):
        return {"pid": "0x7ffffff0", "sig": "77"}[kind] if wrong else "0"
    if kind == "f:msgrcv" and not wrong:
        return "04000"  # IPC_NOWAIT: a queue that is there and empty must not block
    if kind in NUMBERS or ":" in kind:
        return "77" if wrong else str(COUNTED.get(before, 0))
    return WRONG[(number + i) % len(WRONG)] if wrong else f"(long){AT.get(kind, f'room[{i}]')}"


def rows(table, column):
    for line in open(table):
        field = line.partition("#")[0].partition("->")[0].split() # without the result
        if len(field) > 7 and not line.startswith("@") and field[column].isdigit():
            yield field[0], int(field[column]), [a.split(":", 1)[1] for a in field[8:] if "=" not in a]


HEAD = """#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
enum { FILE_FD = 50, SOCK_FD = 51 };
static char room[6][4096] __attribute__((aligned(4096)));
static char text[] = "some text", name[] = "nothing/here", other[] = "more of it";
static struct iovec iov[2] = { { text, 4 }, { other, 7 } };
static struct mmsghdr msg = { .msg_hdr = { .msg_iov = iov, .msg_iovlen = 2 } };
static struct sockaddr address = { AF_UNSPEC, "" };
static struct pollfd polled = { FILE_FD, POLLIN, 0 };
static int length = 16;
static void call(long nr, long a, long b, long c, long d, long e, long f)
{
    int pair[2];
    memset(room, 0, sizeof room);
    strcpy(text, "some text"), strcpy(other, "more of it");
    length = 16;
    msg.msg_hdr.msg_flags = 0;
    syscall(nr, a, b, c, d, e, f);
    if (fcntl(SOCK_FD, F_GETFD) < 0 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
        dup2(pair[0], SOCK_FD);
}
int main(void)
{
    int f = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(f, text, sizeof text) > 0)
        dup2(f, FILE_FD);"""

column = COLUMN.get(platform.machine()) or skip("no numbers of its calls")
made = []
for name, number, kinds in rows(TESTS + "/../gen/tables/syscalls.tbl", column):
    for way in range(3):
        if name in NEVER or (name in ONLY_WRONG and way != 2):
            continue
        if name == "alarm" and way == 2:
            continue  # SIGALRM would end the program
        args = [value(k, kinds[i - 1] if i else "", way, i, number) for i, k in enumerate(kinds)]
        made.append(f"    call({number}, {', '.join(args + ['0'] * (6 - len(args)))}); /* {name} */")
with open("every.c", "w") as f:
    print(HEAD, *made, "    return 0;\n}", sep="\n", file=f)
subprocess.run(["gcc", "-w", "-O1", "-static", "-o", "every", "every.c"], check=True)
say(len(made))
# The calls make and remove queues by small numbers: each run has its own, and those of the host are safe.
sys.exit(subprocess.run([sys.executable, TESTS + "/lib/same_backends.py", f"sh:exec unshare --ipc {CWD}/every"]).returncode)
