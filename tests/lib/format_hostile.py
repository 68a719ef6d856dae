"""Used by the case unit and fuzz/run.sh.
format_hostile.py BTF|corpus: runs kvis's reader of event formats (tests/lib/btf.c in unit, built as BTF) on generated texts."""
import subprocess, sys

GOOD = """name: ev
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
ANSWERS = {
    "filename": "8 4 1 0 0", "__data_loc_filename": "ENOENT",
    "where": "16 8 1 0 0", "args": "24 48 6 0 0", "args[0]": "24 8 1 0 0", "args[5]": "64 8 1 0 0", "args[6]": "ENOENT",
    "args[": "EINVAL", "args[x]": "EINVAL", "args[1]x": "EINVAL", "where[0]": "ENOENT", "comm": "72 16 0 1 0",
    "comm[1]": "ENOENT", "ptr": "88 8 1 0 0", "rel": "96 4 1 0 0",
    "common_pid": "4 4 1 1 0", "common_type": "0 2 1 0 0", "pid": "ENOENT",
    "x": "ENOENT", "": "ENOENT", "arg": "ENOENT", "argss": "ENOENT",
}
BAD = {"where": "EBADMSG", "nothing": "EBADMSG"}


def line(new):  # the good format with another line for `where`
    return GOOD.replace("\tfield:const char * where;\toffset:16;\tsize:8;\tsigned:0;\n", new)


def where(o="16", s="8", b="0", d="const char * where"):
    return line(f"\tfield:{d};\toffset:{o};\tsize:{s};\tsigned:{b};\n")


LINE8 = "an invalid line 8"
ROWS = [
    ("good", GOOD, ANSWERS, ""),
    ("moved", where("160", "4", "1"), {"where": "160 4 1 1 0"}, ""),
    ("gone", line(""), {"where": "ENOENT", "args[1]": "32 8 1 0 0"}, ""),
    ("twice", line("\tfield:int where;\toffset:4;\tsize:4;\tsigned:1;\n" * 2), {"where": "EBADMSG", "ptr": "88 8 1 0 0"},
     ""),
    ("CRLF", GOOD.replace("\n", "\r\n"), BAD, "is for another event"),
    ("CRLF in one line", where(b="0;\r").replace("\r;", "\r"), BAD, LINE8),
    ("empty", "", BAD, "is for another event"),
    ("another event's", GOOD.replace("name: ev", "name: event"), BAD, "is for another event"),
    ("garbage", "name: ev\nID: 77\nformat:\n\x01\x02\xff\n", BAD, "line 4"),
    ("NUL", GOOD.replace("args", "ar\0s"), BAD, "contains a NUL"),
    ("no print fmt", GOOD[:GOOD.index("print")], BAD, "is truncated"),
    ("no format", GOOD.replace("format:\n", ""), BAD, "line 3"),
    ("format twice", GOOD.replace("format:\n", "format:\n" * 2), BAD, "line 4"),
    ("offset 2^32", where(o="4294967296"), BAD, LINE8),
    ("offset 2^32+16", where(o="4294967312"), BAD, LINE8),
    ("offset 65536", where(o="65536"), BAD, LINE8),
    ("offset -1", where(o="-1"), BAD, LINE8),
    ("offset empty", where(o=""), BAD, LINE8),
    ("offset 0x10", where(o="0x10"), BAD, LINE8),
    ("offset ' 16'", where(o=" 16"), BAD, LINE8),
    ("size 2^31", where(s="2147483648"), BAD, LINE8),
    ("size and offset", where(o="65535", s="1"), BAD, LINE8),
    ("sign 2", where(b="2"), BAD, LINE8),
    ("no sign", line("\tfield:const char * where;\toffset:16;\tsize:8;\n"), BAD, LINE8),
    ("no size", line("\tfield:const char * where;\toffset:16;\tsigned:0;\n"), BAD, LINE8),
    ("no offset", line("\tfield:const char * where;\tsize:8;\tsigned:0;\n"), BAD, LINE8),
    ("no type", where(d="where"), BAD, LINE8),
    ("no name", where(d="const char *"), BAD, LINE8),
    ("empty declaration", where(d=""), BAD, LINE8),
    ("brackets", where(d="]"), BAD, LINE8),
    ("name in brackets", where(d="int [3]"), BAD, LINE8),
    ("array that does not divide", where(d="int where[3]"), BAD, LINE8),
    ("array of 2^32", where(d="int where[4294967296]"), {"where": "16 8 0 0 0", "where[0]": "ENOENT"}, ""),
    ("array of 0", where(d="int where[0]"), {"where": "16 8 0 0 0", "where[0]": "ENOENT"}, ""),
    ("two on a line", line("\tfield:int a;\toffset:0;\tsize:4;\tsigned:0; field:const char * where;\n"), BAD, LINE8),
]
for cut in range(0, len(GOOD) - len(GOOD.split("print")[1]), 3):
    ROWS.append((f"cut at {cut}", GOOD[:cut], BAD, "."))

if sys.argv[1] == "corpus":  # the texts as what a fuzzer begins with
    for k, row in enumerate(ROWS[:30]):
        open(f"corpus/format{k}", "w", encoding="latin-1", newline="").write("\1" + row[1].replace("where", "m"))
    sys.exit()
failed = 0
for what, text, answers, reason in ROWS:
    open("format", "w", encoding="latin-1", newline="").write(text)
    r = subprocess.run([sys.argv[1], "-F", "cat/ev", "format"], input="".join(f"x.{n}\n" for n in answers),
                       capture_output=True, text=True, timeout=20)
    lines = r.stdout.splitlines()
    why = lines.pop() if lines and lines[-1].startswith("! ") else ""
    want = [f"x.{n} {a}" for n, a in answers.items()]
    bad = [(w, g) for w, g in zip(want, lines) if w != g]
    if r.returncode or bad or len(want) != len(lines) or bool(reason) != bool(why) or reason.strip(".") not in why:
        failed += 1
        print(f"{what}: exit {r.returncode}, reason {why!r} (want {reason!r})", bad[:5], r.stderr[-2000:])
print(len(ROWS), "formats,", failed, "failed")
sys.exit(failed > 0)
