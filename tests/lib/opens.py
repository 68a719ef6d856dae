#!/usr/bin/env python3
"""Used by lib/open.sh and vm/vm.sh.
opens.py facts|nopaths JSON FACTS | strace JSON LOG | counted JSON N
Checks that kvis open's JSON has exactly the opens of another source:
  facts    tests/progs/opens.c reports its own calls, between its two marks
  nopaths  the same, without the absolute paths
  strace   strace -f -xx -y -s 9999 -e trace=open,openat,openat2,creat,open_by_handle_at
  counted  N opens, including those that kvis reports as lost; with N=0 none may be lost
An open is (call, name, flags, mode if a file may be created, result, absolute path)."""
import collections
import errno
import json
import re
import sys

CALLS = ("open", "openat", "openat2", "creat", "open_by_handle_at")
UNREACHABLE = b"(unreachable)"  # as /proc and getcwd(2) mark what is not below the root
LOADER = re.compile("/etc/ld.so|(/usr)?/lib")  # not the program's own
MADE = {"O_WRONLY", "O_CREAT", "O_TRUNC"}  # what creat means


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


def strace_bytes(text):
    return bytes.fromhex(text.replace("\\x", ""))


HEX = r"((?:\\x[0-9a-f]{2})*)"
DIR = rf"(?:(?:AT_FDCWD|-?\d+)(?:<{HEX}>(?:\(deleted\))?)?, )?"
NAME = rf'(?:"{HEX}"|(NULL|0x[0-9a-f]+))'
RESULT = re.compile(rf"= (-?\d+|\?)(?:<{HEX}>(?:\(deleted\))?)?(?: (E\w+))?")
ONE = re.compile(rf"(open|openat|creat)\({DIR}{NAME}(?:, ([A-Zx_|0-9a-f]+))?(?:, (0\d*))?\) +")
TWO = re.compile(rf"(openat2)\({DIR}{NAME}, (?:\{{flags=([^,]*)(?:, mode=(0\d*))?, resolve=([^}}]*)\}}|.*?), \d+\) +")
HANDLE = re.compile(r"(open_by_handle_at)\(.*, ([A-Z_|]+)\) +")


def whole_lines(path):
    """Calls that another thread's line cut in two, put together again."""
    cut = {}
    for line in open(path, encoding="latin-1"):
        pid, rest = line.rstrip("\n").split(None, 1)
        if rest.endswith(" <unfinished ...>"):
            cut[pid] = rest[:-len(" <unfinished ...>")]
        elif rest.startswith("<... "):
            head = cut.pop(pid, None)
            if head:
                yield head + rest.split(" resumed>", 1)[1]
        else:
            yield rest


def parse_strace(line):
    m = ONE.match(line) or TWO.match(line) or HANDLE.match(line)
    r = m and RESULT.match(line, m.end())
    if not r:
        sys.exit(f"not understood: {line[:300]}")
    if r[1] == "?":
        return None if not r[3] else (m[1], r[3])
    ret = int(r[1]) if r[1] != "-1" else -getattr(errno, r[3])
    if m[1] == CALLS[-1]:
        path = strace_bytes(r[2]) if r[2] else "any" if ret >= 0 else None
        return (m[1], None, flags_of(m[2]), None, ret, path)
    base, name, fault, flags, mode, resolve = (m.groups() + (None,))[1:7]
    name = None if fault else strace_bytes(name)
    if m[1] == "creat":
        mode = flags  # its only other argument
    if flags is None and ret != -errno.EFAULT:
        flags = "O_RDONLY"  # of a struct that strace does not show because it is too short
    made = MADE if m[1] == "creat" else flags_of(flags)
    makes = (made or set()) & {"O_CREAT", "O_TMPFILE"}
    if m[1] in ("open", "creat") and base is None and name is not None and not name.startswith(b"/"):
        path = "any"  # strace does not show where it starts
    elif "RESOLVE_IN_ROOT" in (resolve or "") and name is not None:
        path = join(None, strace_bytes(base) + b"/" + name)
    else:
        path = join(strace_bytes(base) if base else None, name) if name is not None else None
    return (m[1], name, made and frozenset(made), int(mode or "0", 8) if makes else None, ret, path)


def theirs_strace(path):
    for line in whole_lines(path):
        if line.startswith(("+++", "---")):
            continue
        got = parse_strace(line)
        if got:
            yield got


def differ(want, got):
    """Prints what only one side has. Returns whether there is any."""
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
    if summary["lost"] and sys.argv[1] != "counted":
        sys.exit(f"lost: {summary}")
    rows = [r for r in rows if r["call"] in CALLS]
    if sys.argv[1] in ("facts", "nopaths"):
        n = 6 if sys.argv[1] == "facts" else 5
        want = collections.Counter(w[:n] for w in theirs_facts(sys.argv[3]))
        return differ(want, collections.Counter(ours(r)[:n] for r in between_marks(rows)))
    if sys.argv[1] == "strace":
        want, got = list(theirs_strace(sys.argv[3])), list(map(ours, rows))
        hidden = {w[:5] for w in want if w[-1] == "any"}  # compared without their path
        cut = [w[:5] + ("any",) if w[:5] in hidden else w for w in want]
        ours_cut = [g[:5] + ("any",) if g[:5] in hidden else g for g in got]
        return differ(collections.Counter(cut), collections.Counter(ours_cut))
    n, have = int(sys.argv[3]), len(rows)
    print(f"{n} opens, {have} seen, {summary['lost']} counted as lost")
    return have + summary["lost"] != n


sys.exit(main())
