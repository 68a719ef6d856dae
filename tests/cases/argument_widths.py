#!/usr/bin/env python3
# Arguments have the width that the kernel uses: gen/tables/syscalls.tbl agrees with the types in tracefs's format files.
# kvis does not show upper halves and arguments that the kernel ignores.
# tier: gate
# timeout: 60
# needs: root arch:x86_64 /sys/kernel/btf/vmlinux
import atexit
import os
import re
import struct
import sys

from lib import TESTS, read, rows, run, skip

TABLE = read(TESTS + "/../gen/tables/syscalls.tbl")
EVENTS = "/sys/kernel/tracing/events/syscalls"
if not os.path.isdir(EVENTS) and os.system("mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null") == 0:
    atexit.register(os.system, "umount /sys/kernel/tracing")
if not os.path.isdir(EVENTS):
    skip("no events of system calls in tracefs")

NARROW = {"int", "unsigned int", "unsigned", "pid_t", "uid_t", "gid_t", "umode_t", "qid_t", "clockid_t", "timer_t", "key_t", "u32",
          "__u32", "__s32", "mqd_t", "key_serial_t", "rwf_t", "int32_t", "uint32_t", "enum landlock_rule_type"}
# Declared as long, and cut to an int by the call itself (include/linux/file.h, kernel/fork.c, mm/mempolicy.c, kernel/ptrace.c).
CUT = {("clone", "flags"), ("mbind", "mode"), ("ptrace", "pid")} | {(c, "fd") for c in ("mmap", "readv", "writev", "preadv", "pwritev",
                                                                                       "preadv2", "pwritev2")}
OWN = {"futexop", "ioctlcmd"}  # functions of their own, tried below
HOW = {m[1]: m[2] for m in re.finditer(r"^@kind (\S+)\s+\S+\s+(\S+)", TABLE, re.M)}
ALIAS = {"umount2": "umount", "uname": "newuname", "stat": "newstat", "fstat": "newfstat", "lstat": "newlstat", "sendfile": "sendfile64"}


def bits(kind):
    if ":" in kind:
        return 64 if kind.startswith(("f64:", "e64:")) else 32
    size = re.fullmatch(r"value:\w+:(\d)", HOW[kind])
    return int(size[1]) * 8 if size else 32 if HOW[kind] in ("pid", "fd", "dirfd", "wbuf32") else 64


compared, wrong = 0, []
for line in TABLE.splitlines():
    row = line.split("#")[0].split()
    path = f"{EVENTS}/sys_enter_{ALIAS.get(row[0], row[0])}/format" if row else ""
    if not row or line[:1] in "@ " or row[2] == "-" or not os.path.exists(path):
        continue
    types = re.findall(r"field:(.+?)\s*(\**)\w+;\s*offset:(?:1[6-9]|[2-9]\d);", read(path))
    arguments = [w.split(":", 1) for w in row[8:(row + ["->"]).index("->")] if re.fullmatch(r"(?!model=|enter=)\w+:\S+", w)]
    for (name, kind), (ctype, pointer) in zip(arguments, types):
        narrow = not pointer and ctype.replace("const ", "").strip() in NARROW
        compared += 1
        if narrow != (bits(kind) <= 32) and kind not in OWN and (row[0], name) not in CUT:
            wrong.append(f"{row[0]}: {name}:{kind}, and the kernel has {ctype}{pointer}")
assert not wrong and compared > 700, "\n".join(wrong)

HIGH = 0xdefaced << 32
SHOWN = {(292, (0, 9, 0o2000000 | HIGH)): ["0</dev/null>", "9", "O_CLOEXEC"],  # dup3
         (257, (HIGH | 0xffffff9c, 0, HIGH)): ["AT_FDCWD", "NULL", "O_RDONLY"],  # openat
         (202, (0, HIGH, HIGH | 1, 0)): ["NULL", "FUTEX_WAIT", "1", "NULL"],
         (16, (HIGH, HIGH | 0x5401, 0)): ["0</dev/null>", "TCGETS", "NULL"],
         (41, (HIGH | 2, HIGH | 1, HIGH | 6)): ["AF_INET", "SOCK_STREAM", "IPPROTO_TCP"],
         (157, (1, HIGH | 9)): ["PR_SET_PDEATHSIG", str(HIGH | 9)],  # prctl: 64 bits, and EINVAL
         (157, (23, 2**64 - 2**32 + 5)): ["PR_CAPBSET_READ", "0xffffffff00000005"],
         (157, (4, HIGH | 1)): ["PR_SET_DUMPABLE", str(HIGH | 1)],
         (301, (99, 1, 2**64 - 1, 99, 0)): ["99", "FAN_MARK_ADD", "0xffffffffffffffff", "99", "NULL"],  # fanotify_mark: 64 bits
         (301, (99, 1, 2**64 - 2**31, 99, 0)): ["99", "FAN_MARK_ADD", "0xffffffff80000000", "99", "NULL"],
         (327, (99, 0, 0, 5, 7, 1)): ["99", "NULL", "0", "5", "RWF_HIPRI"],  # preadv2: the upper half of the offset
         (328, (99, 0, 0, 5, 7, 2)): ["99", "NULL", "0", "5", "RWF_DSYNC"],  # pwritev2
         (202, (0, 10, 1, 7, 8, 255)): ["NULL", "FUTEX_WAKE_BITSET", "1", "0xff"],
         (202, (0, 9, 1, 0, 8, 2**32 - 1)): ["NULL", "FUTEX_WAIT_BITSET", "1", "NULL", "FUTEX_BITSET_MATCH_ANY"],
         (202, (0, 6, 5, 0)): ["NULL", "FUTEX_LOCK_PI", "NULL"],
         (324, (0, 3, 5)): ["MEMBARRIER_CMD_QUERY", "MEMBARRIER_CMD_FLAG_CPU|0x2"],
         (64, (0, HIGH - 1, 0o600)): ["IPC_PRIVATE", "-1", "0600"],  # semget
         (103, (10, HIGH | 1, 5)): ["SYSLOG_ACTION_SIZE_BUFFER"],  # syslog
         (103, (8, HIGH | 1, HIGH | 99)): ["SYSLOG_ACTION_CONSOLE_LEVEL", "99"],
         (312, (99999999, 99999999, 1, HIGH, HIGH)): ["99999999", "99999999", "KCMP_VM"],
         (312, (99999999, 99999999, 0, HIGH | 3, HIGH | 4)): ["99999999", "99999999", "KCMP_FILE", "3", "4"],
         (169, (1, 2, 0xa1b2c3d4, HIGH)): ["1", "2", "LINUX_REBOOT_CMD_RESTART2", hex(HIGH)],  # reboot, wrong magic
         (169, (1, 2, 0x1234567, HIGH)): ["1", "2", "LINUX_REBOOT_CMD_RESTART"],
         (165, (b"none", b"nothere", b"tmpfs", 0xc0ed0001, 0)): ["none", "nothere", "tmpfs", "MS_MGC_VAL|MS_RDONLY", "NULL"],  # mount
         (135, (HIGH | 0xffffffff,)): ["0xffffffff"],  # personality
         (135, (0x40008,)): ["PER_LINUX32|ADDR_NO_RANDOMIZE"],
         (135, (0,)): ["PER_LINUX"],
         # Structures: utime, mq_getsetattr, process_vm_readv, process_madvise
         (132, (b"nothere", struct.pack("qq", 1, -2))): ["nothere", "{actime=1, modtime=-2}"],
         (245, (99, struct.pack("4q", 0o4001, 5, 6, 7), 0)):
             ["99", "{mq_flags=O_NONBLOCK|0x1, mq_maxmsg=5, mq_msgsize=6, mq_curmsgs=7}", "NULL"],
         (310, (1, 0, 0, struct.pack("4Q", 0x1000, 5, 0, 6), 2, 9)):
             ["1", "NULL", "0", "[{iov_base=0x1000, iov_len=5}, {iov_base=NULL, iov_len=6}]", "2", "0x9"],
         (440, (99, struct.pack("2Q", 0x1000, 5), 1, 21, 0)): ["99", "[{iov_base=0x1000, iov_len=5}]", "1", "MADV_PAGEOUT", "0"]}
CALLS = "import ctypes\ncall = ctypes.CDLL(None).syscall\n" + "".join(
    f"call(ctypes.c_long({nr}), {', '.join(f'ctypes.c_ulong({a})' if isinstance(a, int) else repr(a) for a in args)})\n" for nr, args in SHOWN)
for backend in "ptrace", "auto":
    run("trace", "-v", "--backend=" + backend, "--json=json", "--", sys.executable, "-S", "-c", CALLS).status(0)
    calls = [e["args"] for e in rows() if e["type"] == "syscall"]
    for args in SHOWN.values():
        assert args in calls, f"{backend}: no call has {args}"
