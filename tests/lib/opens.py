#!/usr/bin/env python3
"""Used by lib/open.sh, lib/truth.sh and vm/vm.sh.
opens.py facts|nopaths JSON FACTS: kvis open's JSON has exactly the opens that tests/progs/opens.c reports between its two marks
(nopaths: without the absolute paths). An open is (call, name, flags, mode if a file may be created, result, absolute path).
opens.py traced JSON FACTS: so has kvis trace's; an open is (access, result, absolute path)."""
import collections
import errno
import re
import sys

import j

CALLS = ("open", "openat", "openat2", "creat", "open_by_handle_at")
UNREACHABLE = b"(unreachable)"  # as /proc and getcwd(2) mark what is not below the root
LOADER = re.compile("/etc/ld.so|(/usr)?/lib")  # not the program's own
ACCESS = {"O_RDONLY": "read", "O_WRONLY": "write", "O_RDWR": "read/write", "O_ACCMODE": "ioctl"}  # open(2); O_PATH allows nothing


def raw(row, key):
    """The exact bytes of a field; None: it is absent."""
    if f"{key}_hex" in row:
        return bytes.fromhex(row[f"{key}_hex"])
    return row[key].encode() if key in row else None


def join(base, name):
    """The path as the caller wrote it, absolute: no //, no /./, no / at its end; .. stays."""
    if not (name or b"").startswith(b"/"):
        if base is None:
            return None
        name = base + b"/" + (name or b"")
    if name.startswith(UNREACHABLE):
        return UNREACHABLE + join(None, name[len(UNREACHABLE):])
    return b"/" + b"/".join(p for p in name.split(b"/") if p not in (b"", b"."))


def flags_of(text):
    """The set of flags; None: openat2's struct could not be read."""
    return None if text in (None, "-") else frozenset(text.split("|")) - {"O_LARGEFILE"}


def allowed(flags):
    """The access that the flags allow. If openat2's flags could not be read, they count as 0."""
    return "path" if "O_PATH" in flags.split("|") else ACCESS[flags.split("|")[0].replace("-", "O_RDONLY")]


def result(row):
    return -getattr(errno, row["error"]) if "error" in row else row["fd"]


def ours(row):
    flags = row.get("flags")
    if flags and row["access"] != allowed(flags):
        sys.exit(f"access is not what flags allow: {row}")
    return row["call"], raw(row, "name"), flags_of(flags), row.get("mode"), result(row), raw(row, "path")


def theirs(line):
    """Parses an open that the program printed. A base "?" is too long for a path; "=PATH" is the path itself."""
    _, call, name, flags, mode, result, base, _ = line.split(" ")
    name, base = (None if word == "-" else b"" if word == "00" else bytes.fromhex(word) for word in (name, base))
    if base == b"?" or (name is None and call != CALLS[-1]):
        path = None
    else:
        path = join(None, base[1:]) if (base or b"").startswith(b"=") else join(base, name)
    return call, name, flags_of(flags), None if mode == "-" else int(mode), int(result), path


def traced(row):
    if row["writable"] != ("write" in row["access"]):
        sys.exit(f"writable is not what access says: {row}")
    return row["access"], result(row), raw(row, "path")


def to_be_traced(line):
    """If an open succeeded and its name contains ".." or is missing, its path is that of the kernel."""
    _, name, _, _, result_, path = theirs(line)
    *_, flags, _, _, _, real = line.split(" ")
    kernels = result_ >= 0 and (b".." in path or "O_TMPFILE" in flags)
    return allowed(flags), result_, bytes.fromhex(real) if kernels else path or name or b""


how, rows, facts = sys.argv[1], j.load(open(sys.argv[2], "rb")), open(sys.argv[3]).read().splitlines()
if rows[-1]["lost"] or facts[-1] != "done":
    sys.exit(f"lost, or the program did not finish: {rows[-1]}, {facts[-1]}")
facts = [line for line in facts if line.startswith("open ")]
if how == "traced":  # it has no event for open_by_handle_at
    rows, key, convert, n = [r for r in rows if r["type"] == "open"], "path", traced, 3
    facts = [to_be_traced(line) for line in facts if CALLS[-1] not in line]
else:
    rows, key, convert, n = [r for r in rows if r.get("call") in CALLS], "name", ours, 6 if how == "facts" else 5
    facts = map(theirs, facts)
at = {r.get(key): i for i, r in enumerate(rows)}
rows = [convert(r) for r in rows[at["/opens:begin"] + 1:at["/opens:end"]] if not LOADER.match(r.get(key, ""))]
got = collections.Counter(r[:n] for r in rows)
want = collections.Counter(f[:n] for f in facts)
for what, some in ("missing", want - got), ("not so", got - want):
    for row in list(some)[:12]:
        print(f"{what}: {some[row]} of {row}"[:600])
sys.exit(want != got)
