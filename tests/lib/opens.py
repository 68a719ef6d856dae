#!/usr/bin/env python3
"""Used by lib/open.sh and vm/vm.sh.
opens.py facts|nopaths JSON FACTS | strace JSON LOG
Checks that kvis open's JSON has exactly the opens of another source:
  facts    tests/progs/opens.c reports its own calls, between its two marks
  nopaths  the same, without the absolute paths
  strace   LOG.PID of strace -ff -o LOG -xx -y -s 9999 -e trace=open,openat,openat2,creat,open_by_handle_at, of these processes
An open is (call, name, flags, mode if a file may be created, result, absolute path)."""
import collections
import errno
import glob
import json
import re
import sys

CALLS = ("open", "openat", "openat2", "creat", "open_by_handle_at")
UNREACHABLE = b"(unreachable)"  # as /proc and getcwd(2) mark what is not below the root
LOADER = re.compile("/etc/ld.so|(/usr)?/lib")  # not the program's own


def load(path):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    if not rows or rows[0]["type"] != "header" or rows[-1]["type"] != "summary":
        sys.exit(f"{path}: no header first, or no summary last")
    opens = [r for r in rows if r["type"] == "open"]
    for r in opens:
        if "flags" in r and r["access"] != access(r["flags"].split("|")):
            sys.exit(f"access is not what flags allow: {r}")
    return opens, rows[-1]


def access(flags):
    """What open(2) says of the flags: O_PATH allows nothing, access mode 3 only ioctl(2)."""
    words = {"O_RDONLY": "read", "O_WRONLY": "write", "O_RDWR": "read/write", "O_ACCMODE": "ioctl"}
    return "path" if "O_PATH" in flags else words[flags[0]]


def raw(row, key):
    """The exact bytes of a field, None where it is absent."""
    if f"{key}_hex" in row:
        return bytes.fromhex(row[f"{key}_hex"])
    return row[key].encode() if key in row else None


def join(base, name):
    """The path as the caller wrote it, absolute: no //, no /./, no / at its end; .. stays."""
    if name is None and base is None:
        return None
    if not (name or b"").startswith(b"/"):
        if base is None:
            return None
        name = base + b"/" + (name or b"")
    if name.startswith(UNREACHABLE):
        return UNREACHABLE + join(None, name[len(UNREACHABLE):])
    return b"/" + b"/".join(p for p in name.split(b"/") if p not in (b"", b"."))


def flags_of(text):
    """None: openat2's struct could not be read."""
    return None if text in (None, "-") else frozenset(text.split("|")) - {"O_LARGEFILE"}


def result(row):
    err = row.get("error")
    if err is None:
        return row["fd"]
    return -int(err) if err.isdigit() else -getattr(errno, err) if hasattr(errno, err) else err


def ours(row):
    return (row["call"], raw(row, "name"), flags_of(row.get("flags")), row.get("mode"), result(row),
            raw(row, "path"))


def unhex(word):
    return None if word == "-" else b"" if word == "00" else bytes.fromhex(word)


def base_and(base, name):
    """A base of "?" is longer than any path, of "=PATH" the path itself."""
    if base == b"?":
        return None
    return join(None, base[1:]) if base and base.startswith(b"=") else join(base, name)


def theirs_facts(path):
    lines = open(path).read().splitlines()
    if not lines or lines[-1] != "done":
        sys.exit(f"the program did not finish: {lines[-1:]}")
    for line in lines:
        w = line.split(" ")
        if w[0] == "open":
            name, base = unhex(w[2]), unhex(w[6])
            yield (w[1], name, flags_of(w[3]), None if w[4] == "-" else int(w[4]), int(w[5]),
                   None if name is None and w[1] != CALLS[-1] else base_and(base, name))


HEX = r"((?:\\x[0-9a-f]{2})*)"
LINE = re.compile(rf"(\w+)\((.*)\) += (-?\d+|\?)(?:<{HEX}>(?:\(deleted\))?)?(?: (E\w+))?")
DIR = re.compile(rf"(?:AT_FDCWD|-?\d+)(?:<{HEX}>(?:\(deleted\))?)?$")


def strace_bytes(text):
    return bytes.fromhex(text.strip('"').replace("\\x", ""))


def parse_strace(line):
    m = LINE.match(line)
    if not m:
        sys.exit(f"not understood: {line[:300]}")
    call, args, ret, opened, err = m[1], m[2].split(", "), m[3], m[4], m[5]  # -xx: no comma is in a string
    if ret == "?":
        return (call, err) if err else None
    ret = int(ret) if not err else -getattr(errno, err)
    if call == CALLS[-1]:
        path = strace_bytes(opened) if opened else "any" if ret >= 0 else None
        return (call, None, flags_of(args[-1]), None, ret, path)
    base = DIR.match(args.pop(0))[1] if call.startswith("openat") else None
    name = strace_bytes(args[0]) if args[0].startswith('"') else None
    how = dict(re.findall(r"(\w+)=([^,}]*)", m[2]))  # of openat2
    if call == "openat2":
        flags, mode = how.get("flags"), how.get("mode")
    else:
        flags, mode, *_ = *(["O_WRONLY|O_CREAT|O_TRUNC"] if call == "creat" else []), *args[1:], None, None
    if flags is None and ret != -errno.EFAULT:
        flags = "O_RDONLY"  # of a struct that strace does not show because it is too short
    made = flags_of(flags)
    if call in ("open", "creat") and name is not None and not name.startswith(b"/"):
        path = "any"  # strace does not show where it starts
    elif "RESOLVE_IN_ROOT" in how.get("resolve", "") and name is not None:
        path = join(None, strace_bytes(base) + b"/" + name)
    else:
        path = join(strace_bytes(base) if base else None, name) if name is not None else None
    return (call, name, made, int(mode or "0", 8) if made and made & {"O_CREAT", "O_TMPFILE"} else None, ret, path)


def theirs_strace(files):
    for file in files:
        text = open(file, encoding="latin-1").read()
        text = re.sub(r" <unfinished \.\.\.>\n<\.\.\. \w+ resumed>", "", text)  # of a thread that an exec gave another number
        for line in text.splitlines():
            got = not line.startswith(("+++", "---")) and parse_strace(line)
            if got:
                yield got


def differ(want, got):
    """Prints what only one side has. Returns whether there is any."""
    want, got = collections.Counter(want), collections.Counter(got)
    missing, more = want - got, got - want
    for what, rows in (("missing", missing), ("not so", more)):
        for row in list(rows)[:12]:
            print(f"{what}: {rows[row]} of {row}"[:600])
    print(f"{sum(want.values())} opens, {sum(missing.values())} missing, {sum(more.values())} not so")
    return bool(missing or more)


def between_marks(rows):
    at = {r.get("name"): i for i, r in enumerate(rows)}
    rows = rows[at["/opens:begin"] + 1:at["/opens:end"]]
    return [r for r in rows if not LOADER.match(r.get("name", ""))]


def main():
    rows, summary = load(sys.argv[2])
    if summary["lost"]:
        sys.exit(f"lost: {summary}")
    rows = [r for r in rows if r["call"] in CALLS]
    if sys.argv[1] == "strace":
        files = {int(f.rsplit(".", 1)[1]): f for f in glob.glob(sys.argv[3] + ".*")}
        want, got = list(theirs_strace(files.values())), [ours(r) for r in rows if r["tid"] in files]
        hidden = {w[:5] for w in want if w[-1] == "any"}  # compared without their path
        return differ(*([o[:5] if o[:5] in hidden else o for o in both] for both in (want, got)))
    n = 6 if sys.argv[1] == "facts" else 5
    return differ([w[:n] for w in theirs_facts(sys.argv[3])], [ours(r)[:n] for r in between_marks(rows)])


sys.exit(main())
