#!/usr/bin/env python3
# Arguments have the width that the kernel uses: gen/tables/syscalls.tbl agrees with the types in tracefs's format files, and
# upper halves that the kernel ignores are not shown.
# tier: gate
# timeout: 60
# needs: root arch:x86_64 /sys/kernel/btf/vmlinux
import atexit, ctypes, json, os, re, subprocess, sys

TABLES = os.environ["TESTS"] + "/../gen/tables/"
EVENTS = "/sys/kernel/tracing/events/syscalls"
if not os.path.isdir(EVENTS) and os.system("mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null") == 0:
    atexit.register(os.system, "umount /sys/kernel/tracing")
if not os.path.isdir(EVENTS):
    print("skip: no events of system calls in tracefs")
    sys.exit(77)

NARROW = {"int", "unsigned int", "unsigned", "pid_t", "uid_t", "gid_t", "umode_t", "qid_t", "clockid_t", "timer_t", "key_t", "u32",
          "__u32", "__s32", "mqd_t", "key_serial_t", "rwf_t", "int32_t", "uint32_t", "enum landlock_rule_type"}
# Declared as long, and cut to an int by the call itself (include/linux/file.h, kernel/fork.c, mm/mempolicy.c, kernel/ptrace.c).
CUT = {("clone", "flags"), ("mbind", "mode"), ("ptrace", "pid")} | {(c, "fd") for c in ("mmap", "readv", "writev", "preadv", "pwritev",
                                                                                       "preadv2", "pwritev2")}
OWN = {"futexop", "ioctlcmd", "sockproto"}  # functions of their own, tried below
HOW = {m[1]: m[2] for m in re.finditer(r"^@kind (\S+)\s+\S+\s+(\S+)", open(TABLES + "syscalls.tbl").read(), re.M)}
ALIAS = {"umount2": "umount", "uname": "newuname", "stat": "newstat", "fstat": "newfstat", "lstat": "newlstat", "sendfile": "sendfile64"}


def bits(kind):
    if ":" in kind:
        return 64 if kind.startswith(("f64:", "e64:")) else 32
    size = re.fullmatch(r"value:\w+:(\d)", HOW[kind])
    return int(size[1]) * 8 if size else 32 if HOW[kind] in ("pid", "fd", "dirfd", "wbuf32") else 64


compared, wrong = 0, []
for line in open(TABLES + "syscalls.tbl"):
    row = line.split("#")[0].split()
    path = f"{EVENTS}/sys_enter_{ALIAS.get(row[0], row[0])}/format" if row else ""
    if not row or line[0] in "@ " or row[2] == "-" or not os.path.exists(path):
        continue
    types = re.findall(r"field:(.+?)\s*(\**)\w+;\s*offset:(?:1[6-9]|[2-9]\d);", open(path).read())
    arguments = [w.split(":", 1) for w in row[8:(row + ["->"]).index("->")] if re.fullmatch(r"(?!model=|enter=)\w+:\S+", w)]
    for (name, kind), (ctype, pointer) in zip(arguments, types):
        narrow = not pointer and ctype.replace("const ", "").strip() in NARROW
        compared += 1
        if narrow != (bits(kind) <= 32) and kind not in OWN and (row[0], name) not in CUT:
            wrong.append(f"{row[0]}: {name}:{kind}, and the kernel has {ctype}{pointer}")
print(f"{compared} arguments compared")
assert not wrong, "\n".join(wrong)
assert compared > 700

HIGH = 0xdefaced << 32
SHOWN = {(292, (0, 9, 0o2000000 | HIGH)): ["0</dev/null>", "9", "O_CLOEXEC"],  # dup3
         (257, (HIGH | 0xffffff9c, 0, HIGH)): ["AT_FDCWD", "NULL", "O_RDONLY"],  # openat
         (202, (0, HIGH, HIGH | 1, 0)): ["NULL", "FUTEX_WAIT", "1", "NULL"],
         (16, (HIGH, HIGH | 0x5401, 0)): ["0</dev/null>", "TCGETS", "NULL"],
         (41, (HIGH | 2, HIGH | 1, HIGH | 6)): ["AF_INET", "SOCK_STREAM", "IPPROTO_TCP"],
         (301, (99, 1, 2**64 - 1, 99, 0)): ["99", "FAN_MARK_ADD", "0xffffffffffffffff", "99", "NULL"],  # fanotify_mark: 64 bits
         (301, (99, 1, 2**64 - 2**31, 99, 0)): ["99", "FAN_MARK_ADD", "0xffffffff80000000", "99", "NULL"]}
CALLS = "import ctypes\ncall = ctypes.CDLL(None).syscall\n" + "".join(
    f"call(ctypes.c_long({nr}), {', '.join(f'ctypes.c_ulong({a})' for a in args)})\n" for nr, args in SHOWN)
for backend in "ptrace", "auto":
    subprocess.run([os.environ["KVIS"], "trace", "-v", "--backend=" + backend, "--json=json", "--", sys.executable, "-S", "-c", CALLS],
                   check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    calls = [e["args"] for e in map(json.loads, open("json")) if e["type"] == "syscall"]
    for args in SHOWN.values():
        assert args in calls, f"{backend}: no call has {args}"
