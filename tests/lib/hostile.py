"""Used by the case unit and fuzz/run.sh.
hostile.py UNIT: runs kvis's readers of BTF and of event formats (tests/lib/btf.c in UNIT) on generated files: valid ones with
features that the host's kernel may lack, and invalid ones. Each row has the expected result.
hostile.py corpus: writes the files to corpus/btf and corpus/format, for a fuzzer to begin with."""
import os, struct, subprocess, sys

INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, PROTO, VAR, DATASEC, \
    FLOAT, DECL_TAG, TYPE_TAG, ENUM64 = range(1, 20)
FLAG = 1 << 31


class Btf:
    def __init__(self, base=None):
        self.strs, self.types, self.n = bytearray(b"" if base else b"\0"), bytearray(), base.n if base else 1
        self.str_base = base.str_base + len(base.strs) if base else 0
        self.at = {"": 0}  # where each string begins

    def s(self, name):
        if name not in self.at:
            self.at[name] = self.str_base + len(self.strs)
            self.strs += name.encode() + b"\0"
        return self.at[name]

    def t(self, kind, name, size, body=b"", vlen=0, flag=0):
        name = self.s(name) if isinstance(name, str) else name
        self.types += struct.pack("<III", name, kind << 24 | vlen | flag, size) + body
        self.n += 1
        return self.n - 1

    def int(self, name="int", size=4, signed=1, bits=None):
        return self.t(INT, name, size, struct.pack("<I", signed << 24 | (size * 8 if bits is None else bits)))

    def array(self, of, n):
        return self.t(ARRAY, "", 0, struct.pack("<III", of, of, n))

    def struct(self, name, size, *members, kind=STRUCT, flag=0, vlen=None):
        body = b"".join(struct.pack("<III", self.s(m) if isinstance(m, str) else m, t, off) for m, t, off in members)
        return self.t(kind, name, size, body, len(members) if vlen is None else vlen, flag)

    def blob(self, magic=0xEB9F, version=1, flags=0, hdr=24, cut=None, strs=None, layout=b"", **h):
        strs = self.strs if strs is None else strs
        f = {"type_off": 0, "type_len": len(self.types), "str_off": len(self.types), "str_len": len(strs), **h}
        head = struct.pack("<HBBIIIII", magic, version, flags, hdr, *f.values())
        if layout:
            head += struct.pack("<II", len(self.types) + len(strs), len(layout))
        return (head.ljust(hdr, b"\0") + self.types + strs + layout)[:cut]


def good():
    b = Btf()
    i = b.int()                                    # 1
    old_bits = b.int("bits", 4, 0, 3)              # 2
    c = b.t(CONST, "", i)
    v = b.t(VOLATILE, "", c)
    tag = b.t(TYPE_TAG, "user", v, flag=FLAG)
    td = b.t(TYPEDEF, "my_t", b.t(RESTRICT, "", tag))
    p = b.t(PTR, "", 0)
    e = b.t(ENUM, "e32", 4, struct.pack("<IiIi", b.s("E_A"), -1, b.s("E_B"), 5), 2, FLAG)
    e64 = b.t(ENUM64, "e64", 8, struct.pack("<III", b.s("BIG"), 1, 0x80000000), 1)
    deep = b.struct("", 4, ("deep", td, 0))
    union = b.struct("", 8, ("u", p, 0), ("", deep, 32), kind=UNION)
    b.t(FWD, "thing", 0)
    b.struct("thing", 4, ("first_only", i, 0))
    many = b.array(b.array(i, 3), 2)
    flex = b.array(deep, 0)
    b.struct("thing", 48, ("a", i, 0), ("", union, 64), ("arr", many, 128), ("e", e, 320),
             ("fl", flex, 384), kind=STRUCT)
    b.struct("kf", 8, ("w", i, 0 | 3 << 24), ("x", i, 32), flag=FLAG)
    b.struct("old", 8, ("w", old_bits, 3), ("x", i, 32))
    b.t(FUNC, "thing", b.t(PROTO, "", i, struct.pack("<II", b.s("a"), i), 1))
    b.t(DATASEC, ".data", 4, struct.pack("<III", b.t(VAR, "thing", i, struct.pack("<I", 0)), 0, 4), 1)
    b.t(FLOAT, "double", 8)
    b.t(DECL_TAG, "thing", i, struct.pack("<i", -1))
    b.struct("last", 4, ("x", i, 0))
    return b


# A member's line ends with 0, an enumerator's with its value, a type's with its id (counted in good()).
GOOD = {
    "thing": "0 4 1 0 14", "thing.first_only": "0 4 1 1 0", "thing.a": "0 4 1 1 0",
    "thing.u": "8 8 1 0 0", "thing.deep": "12 4 1 1 0", "thing.arr": "16 24 6 1 0", "thing.arr[1]": "28 12 3 1 0",
    "thing.arr[1][2]": "36 4 1 1 0", "thing.arr[2]": "ENOENT", "thing.arr[1][3]": "ENOENT", "thing.e": "40 4 1 1 0",
    "thing.fl": "48 0 0 0 0", "thing.fl[3].deep": "60 4 1 1 0", "thing.a[0]": "ENOENT", "thing.a.b": "ENOENT",
    "kf.w": "EOPNOTSUPP", "kf.x": "4 4 1 1 0", "old.w": "EOPNOTSUPP", "old.x": "4 4 1 1 0",
    "e32.E_A": "0 4 1 1 -1", "e32.E_B": "0 4 1 1 5", "e32.E_C": "ENOENT", "e64.BIG": "0 8 1 0 -9223372036854775807",
    "my_t": "0 4 1 1 7", "double": "0 8 1 0 25", "last.x": "0 4 1 1 0", "nobody": "ENOENT", "user": "ENOENT",
    "thing.": "EINVAL", "thing..a": "EINVAL", "thing.arr[": "EINVAL", "thing.arr[x]": "EINVAL",
    "thing.arr[1]x": "EINVAL", "thing.arr[-1]": "EINVAL", "thing.arr[99999999999]": "EINVAL",
    "x" * 300: "ENOENT", "thing" + ".a" * 40: "ENOENT",
}


def one(*members, size=8, **kw):  # struct s of these members; type 1 is int, the struct is type 2
    b = Btf()
    b.int()
    b.struct("s", size, *members, **kw)
    return b


def tangled():  # each level has 40 members that are all the next one
    b = Btf()
    b.int()
    for k in range(30):
        b.struct("s" if k == 0 else "", 8, *[("", b.n + 1, 0)] * 40)
    b.struct("", 8, ("y", 1, 0))
    return b


def chain(n, kind, close):
    b = one(("m", 3, 0))
    for k in range(n):
        b.t(kind, "", b.n + 1)
    b.t(kind, "", 3) if close else b.int("char", 1)
    return b


def with_kind(kind, body=b"", **kw):
    b = one(("m", 1, 0))
    b.t(kind, "", 0, body)
    b.struct("z", 4, ("m", 1, 0))
    return b.blob(**kw)


ok, BAD = {"s.m": "0 4 1 1 0"}, {"s.m": "EBADMSG"}
BAD_END = {**BAD, "z.m": "EBADMSG"}  # a query for the last type: kvis does not read on when all queries have answers
g, s = good(), one(("m", 1, 0))
BTF_ROWS = [  # what, file, answers, the reason has
    ("good", g.blob(), GOOD, ""),
    ("longer header", g.blob(hdr=64), GOOD, ""),
    ("empty", b"", BAD, "too short for a header: 0 bytes"),
    *((f"{change}", s.blob(**change), BAD, reason) for change, reason in (
        ({"cut": 20}, "too short for a header"), ({"magic": 0x1234}, "magic number 0x1234"), ({"version": 2}, "version 2"),
        ({"hdr": 8}, "header length: 8 bytes"), ({"type_off": 1 << 31}, "types extend beyond"), ({"cut": 50}, "extend beyond"),
        ({"str_off": 0xFFFFFFFF}, "strings extend beyond"), ({"str_len": 0}, "do not end in NUL"),
        ({"type_len": 16 + 5}, "type 2 is truncated"),
        ({"type_len": len(s.types) - 4}, "type 2 (kind 4, 1 members) is truncated"))),
    ("header too long", s.blob(hdr=24).replace(b"\x18\0\0\0", b"\xff\xff\xff\xff", 1), BAD, "header length: 4294967295"),
    ("strings without NUL", s.blob(strs=s.strs + b"xx"), BAD, "do not end in NUL"),
    ("2^24 members", one(("m", 1, 0), vlen=0xFFFFFF).blob(), BAD, "16777215 members) is truncated"),
    ("name outside", one(("m", 1, 0)).blob(strs=b"\0int\0"), BAD, "its name is outside the string section"),
    ("member's name outside", one((1 << 30, 1, 0), ("m", 1, 0)).blob(), BAD, "a name is outside"),
    ("member of no type", one(("m", 99, 0)).blob(), BAD, "no type 99"),
    ("member void", one(("m", 0, 0)).blob(), BAD, "has no size"),
    ("member outside", one(("m", 1, 64)).blob(), BAD, "a member at bit 64 is outside its 8 bytes"),
    ("member at 2^32", one(("m", 1, 0xFFFFFFF8)).blob(), BAD, "a member at bit"),
    ("member between bytes", one(("m", 1, 3)).blob(), BAD, "a member at bit 3"),
    ("contains itself", one(("", 2, 0), ("m", 1, 0)).blob(), BAD, "structs are nested too deeply"),
    ("member is the struct", one(("m", 2, 0)).blob(), {"s.m": "0 8 1 0 0", "s" + ".m" * 16: "0 8 1 0 0"}, ""),
    ("a large struct", one(("m", 1, 560000), size=80000).blob(), {"s.m": "70000 4 1 1 0"}, ""),
    ("typedef cycle", chain(3, TYPEDEF, True).blob(), BAD, "qualifiers are nested too deeply"),
    ("long chain", chain(28, TYPEDEF, False).blob(), {"s.m": "0 1 1 1 0"}, ""),
    ("too long a chain", chain(100, TYPEDEF, False).blob(), BAD, "qualifiers are nested too deeply"),
    ("tangle", tangled().blob(), {"s.x": "EBADMSG"}, "too many members of nested structs"),
    ("kind 20 after the last answer", with_kind(20), ok, ""),
    ("kind 0", with_kind(0), BAD_END, "type 3 is of kind 0"),
    ("kind 20", with_kind(20), BAD_END, "type 3 is of kind 20, unknown to this kvis"),
    ("layout knows kind 20", with_kind(20, b"12345678", hdr=32, layout=bytes(80) + b"\10\0\0\0"),
     {"s.m": "0 4 1 1 0", "z.m": "0 4 1 1 0"}, ""),
    ("layout outside", with_kind(20, hdr=32, layout=bytes(84)).replace(b"\x54\0\0\0", b"\xff\xff\0\0", 1),
     BAD, "layouts extend beyond"),
]
b = one(("m", 3, 0), size=1 << 31)
b.array(4, 0xFFFFFFFF), b.array(5, 0xFFFFFFFF), b.array(1, 0xFFFFFFFF)
BTF_ROWS.append(("array of 2^32", b.blob(), BAD, "an array of"))
b = one(("m", 3, 0))
b.array(3, 1)
BTF_ROWS.append(("array of itself", b.blob(), BAD, "arrays are nested too deeply"))
b = one(("m", 1, 0))
for k in range(5000):
    b.struct("s", 4)
b.struct("s", 4, ("n", 1, 0))
BTF_ROWS.append(("5000 types of one name", b.blob(), {**ok, "s.n": "0 4 1 1 0", "s.o": "ENOENT"}, ""))
b = Btf()
b.int()
for k in range(20000):
    b.struct("t%d" % k, 4 * (k % 50 + 1), *[("f%d" % j, 1, 32 * j) for j in range(k % 50 + 1)])
BTF_ROWS.append(("long", b.blob(), {f"t{k}.f{k % 50}": f"{4 * (k % 50)} 4 1 1 0" for k in range(0, 20000, 997)}, ""))

FORMAT = """name: ev
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;
\tfield:const char * where;\toffset:16;\tsize:8;\tsigned:0;
\tfield:unsigned long args[6];\toffset:24;\tsize:48;\tsigned:0;
\tfield:char comm[TASK_COMM_LEN];\toffset:72;\tsize:16;\tsigned:1;
\tfield:struct thing *ptr;\toffset:88;\tsize:8;\tsigned:0;
\tfield:__rel_loc u8[] rel;\toffset:96;\tsize:4;\tsigned:0;\tnew:1;

print fmt: "field:int x;\toffset:1; %s", REC->where
"""
FIELDS = {
    "filename": "8 4 1 0 0", "__data_loc_filename": "ENOENT",
    "where": "16 8 1 0 0", "args": "24 48 6 0 0", "args[0]": "24 8 1 0 0", "args[5]": "64 8 1 0 0", "args[6]": "ENOENT",
    "args[": "EINVAL", "args[x]": "EINVAL", "args[1]x": "EINVAL", "where[0]": "ENOENT", "comm": "72 16 0 1 0",
    "comm[1]": "ENOENT", "ptr": "88 8 1 0 0", "rel": "96 4 1 0 0",
    "common_pid": "4 4 1 1 0", "common_type": "0 2 1 0 0", "pid": "ENOENT",
    "x": "ENOENT", "": "ENOENT", "arg": "ENOENT", "argss": "ENOENT",
}
NONE = {"where": "EBADMSG", "nothing": "EBADMSG"}


def line(new):  # the good format with another line for `where`
    return FORMAT.replace("\tfield:const char * where;\toffset:16;\tsize:8;\tsigned:0;\n", new)


def where(o="16", s="8", b="0", d="const char * where"):
    return line(f"\tfield:{d};\toffset:{o};\tsize:{s};\tsigned:{b};\n")


LINE8 = "an invalid line 8"
FORMATS = [
    ("good", FORMAT, FIELDS, ""),
    ("moved", where("160", "4", "1"), {"where": "160 4 1 1 0"}, ""),
    ("gone", line(""), {"where": "ENOENT", "args[1]": "32 8 1 0 0"}, ""),
    ("twice", line("\tfield:int where;\toffset:4;\tsize:4;\tsigned:1;\n" * 2), {"where": "EBADMSG", "ptr": "88 8 1 0 0"},
     ""),
    ("CRLF", FORMAT.replace("\n", "\r\n"), NONE, "is for another event"),
    ("CRLF in one line", where(b="0;\r").replace("\r;", "\r"), NONE, LINE8),
    ("empty", "", NONE, "is for another event"),
    ("another event's", FORMAT.replace("name: ev", "name: event"), NONE, "is for another event"),
    ("garbage", "name: ev\nID: 77\nformat:\n\x01\x02\xff\n", NONE, "line 4"),
    ("NUL", FORMAT.replace("args", "ar\0s"), NONE, "contains a NUL"),
    ("no print fmt", FORMAT[:FORMAT.index("print")], NONE, "is truncated"),
    ("no format", FORMAT.replace("format:\n", ""), NONE, "line 3"),
    ("format twice", FORMAT.replace("format:\n", "format:\n" * 2), NONE, "line 4"),
    *((f"offset '{o}'", where(o=o), NONE, LINE8) for o in ("4294967296", "4294967312", "65536", "-1", "", "0x10", " 16")),
    ("size 2^31", where(s="2147483648"), NONE, LINE8),
    ("size and offset", where(o="65535", s="1"), NONE, LINE8),
    ("sign 2", where(b="2"), NONE, LINE8),
    *((f"no {what}", line(f"\tfield:const char * where;{rest}\n"), NONE, LINE8) for what, rest in (
        ("sign", "\toffset:16;\tsize:8;"), ("size", "\toffset:16;\tsigned:0;"), ("offset", "\tsize:8;\tsigned:0;"))),
    *((f"field '{d}'", where(d=d), NONE, LINE8) for d in ("where", "const char *", "", "]", "int [3]", "int where[3]")),
    ("array of 2^32", where(d="int where[4294967296]"), {"where": "16 8 0 0 0", "where[0]": "ENOENT"}, ""),
    ("array of 0", where(d="int where[0]"), {"where": "16 8 0 0 0", "where[0]": "ENOENT"}, ""),
    ("two on a line", line("\tfield:int a;\toffset:0;\tsize:4;\tsigned:0; field:const char * where;\n"), NONE, LINE8),
]
for cut in range(0, len(FORMAT) - len(FORMAT.split("print")[1]), 3):
    FORMATS.append((f"cut at {cut}", FORMAT[:cut], NONE, "! "))


def check(what, arguments, answers, reason):
    """UNIT with these arguments gives these answers, and a reason if one is expected."""
    r = subprocess.run([sys.argv[1], *arguments], input="".join(n + "\n" for n in answers), timeout=20, capture_output=True, text=True)
    lines = r.stdout.splitlines()
    why = lines.pop() if lines and lines[-1].startswith("! ") else ""
    want = [f"{n} {a}" for n, a in answers.items()]
    if r.returncode or lines != want or reason not in why or bool(reason) != bool(why):
        bad = [(w, g) for w, g in zip(want, lines) if w != g]
        sys.exit(f"{what}: exit {r.returncode}, reason {why!r} (want {reason!r}) {bad[:5]} {r.stderr[-2000:]}")


def check_module():
    """A module: its ids and strings go on where vmlinux's end."""
    base = good()
    mod = Btf(base)
    mod.struct("in_mod", 52, (base.s("a"), 1, 0), ("mine", mod.n - 1, 32), (base.s("arr"), 6, 384))
    mod.struct(base.s("thing"), 4, (base.s("a"), 1, 0))
    whole = {"in_mod.a": "0 4 1 1 0", "in_mod.mine.x": "4 4 1 1 0", "thing.a": "0 4 1 1 0", "thing": f"0 4 1 0 {mod.n - 1}",
             "thing.deep": "12 4 1 1 0", "in_mod.arr": "48 4 1 1 0"}
    write("sys/vmlinux", base.blob())
    for what, blob, answers, reason in (("module", mod.blob(), whole, ""),
                                        ("empty module", Btf(base).blob(), {"kf.x": "4 4 1 1 0"}, ""),
                                        ("module cut off", mod.blob(cut=40), {"kf.x": "EBADMSG"}, "BTF of m: ")):
        write("sys/m", blob)
        check(what, ("sys", "m"), answers, reason)
    check("no module", ("sys", "none"), {"kf.x": "ENOENT"},
          "no BTF: sys/none cannot be opened: ENOENT; fix: load the kernel module; it must have BTF")
    check("no BTF", ("nowhere", "-"), {"kf.x": "ENOENT"},
          "no BTF: nowhere/vmlinux cannot be opened: ENOENT; fix: use a kernel with CONFIG_DEBUG_INFO_BTF")
    os.truncate("sys/vmlinux", 100 << 20)
    check("100 MB", ("sys", "-"), {"kf.x": "EBADMSG"}, "104857600 bytes")


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


if sys.argv[1] == "corpus":
    for k, row in enumerate(BTF_ROWS):
        if len(row[1]) < 4000:
            write(f"corpus/btf/btf{k}", b"\0" + row[1])
    for k, row in enumerate(FORMATS[:30]):
        write(f"corpus/format/format{k}", b"\1" + row[1].replace("where", "m").encode("latin-1"))
    sys.exit()
os.makedirs("sys", exist_ok=True)
for what, blob, answers, reason in BTF_ROWS:
    write("sys/vmlinux", blob)
    check(what, ("sys", "-"), answers, reason)
check_module()
for what, text, answers, reason in FORMATS:
    write("format", text.encode("latin-1"))
    check(what, ("-F", "cat/ev", "format"), {f"x.{n}": a for n, a in answers.items()}, reason)
