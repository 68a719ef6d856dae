#!/usr/bin/env python3
# The page of --report unpacks to what gzip packed, and damaged data is refused.
# tier: full
# timeout: 240
# needs: gcc gzip make python3
# covers: O2
import gzip
import os
import random
import re
import struct
import subprocess
import zlib

from lib import KVIS, TESTS, eq, fail, has, read, run, say

os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
GEN = TESTS + "/../gen/"


def put(path, content):
    with open(path, "wb") as f:
        f.write(content)


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def wrap(raw, was):
    return b"\x1f\x8b\x08\0\0\0\0\0\0\3" + raw + struct.pack("<II", zlib.crc32(was), len(was))


def unpacks(packed, was):
    """The status of lib/unpack.c, and what it printed."""
    done = subprocess.run(["./unpack", packed, was], capture_output=True, text=True)
    say((done.stdout + done.stderr).strip())
    return done.returncode, done.stdout


# What compressors write.
random.seed(1)
words = [bytes(random.choices(b"etaoin shrdlu", k=random.randint(1, 9))) for _ in range(300)]
text = b" ".join(random.choice(words) for _ in range(3000))
data = {"empty": b"", "one": b"x", "random": random.randbytes(70000), "text": text, "zeros": bytes(100000),
        "far": random.randbytes(32768) * 2, "few": b"ababababab" * 3, "bytes": bytes(range(256)) * 3,
        "deep": b"".join(bytes([i]) * min(2 ** i // 7 + 1, 9000) for i in range(24)),
        "mixed": text[:900] + random.randbytes(1500) + bytes(3000) + text}
kinds = {"stored": (0, 8, -15), "fixed": (9, 8, -15, 9, zlib.Z_FIXED), "huffman": (9, 8, -15, 9, zlib.Z_HUFFMAN_ONLY)}
packed = []
for name, was in data.items():
    put(name, was)
    for level in "169":
        packed.append((f"{name}.{level}.gz", name))
        put(packed[-1][0], subprocess.run(["gzip", "-n" + level], input=was, stdout=subprocess.PIPE, check=True).stdout)
    for how, args in kinds.items():
        c = zlib.compressobj(*args)
        half = c.compress(was[:len(was) // 2]) + c.flush(zlib.Z_FULL_FLUSH)  # more than one block
        packed.append((f"{name}.{how}.gz", name))
        put(packed[-1][0], wrap(half + c.compress(was[len(was) // 2:]) + c.flush(), was))


# What no compressor writes, bit by bit (numbers lowest bit first, codes highest bit first): what, and its bits.
def number(v, n):
    return "".join(str(v >> i & 1) for i in range(n))


def code(v, n):
    return number(v, n)[::-1]


def fixed(v):
    return code(v + 0x30, 8) if v < 144 else code(v - 256, 7) if v < 280 else code(v - 280 + 0xc0, 8)


begin, end = "110", fixed(256)
abc = "".join(fixed(c) for c in b"abc")
good = {"abc": begin + abc + end}
bad = {
    "nothing": "", "kind_3": "111", "no_end": begin + abc, "one_too_many": begin + abc + fixed(0x61) + end,
    "one_too_few": begin + fixed(0x61) + fixed(0x62) + end, "other_bytes": begin + abc[:16] + fixed(0x64) + end,
    "two_left": begin + abc + end + number(0, 16),
    "length_286": begin + fixed(0x61) + fixed(286) + code(0, 5) + end,
    "before_the_start": begin + fixed(0x61) + fixed(257) + code(1, 5) + end,
    "distance_30": begin + fixed(0x61) + fixed(257) + code(30, 5) + number(0, 13) + end,
    "not_twice": "100" + number(0, 5) + number(3, 16) + number(3, 16) + number(0x636261, 24),
    "stored_too_many": "100" + number(0, 5) + number(9, 16) + number(0xffff ^ 9, 16) + number(0x636261, 72),
    "288_literals": "101" + number(31, 5) + number(0, 9) + number(0, 200),
    "32_distances": "101" + number(0, 5) + number(31, 5) + number(0, 204),
    "no_codes": "101" + number(0, 14) + number(0, 12) + "0" * 200,
    "too_many_codes": "101" + number(0, 14) + number(1, 3) * 4 + "0" * 200,
    "repeat_of_nothing": "101" + number(0, 14) + number(1, 3) + "0" * 9 + "0" * 200,
    "repeat_too_often": "101" + number(0, 14) + "000" "000" + number(1, 3) + number(1, 3) + ("1" + number(127, 7)) * 3 + "0" * 99,
}
for group, prefix in (good, "good."), (bad, "bad."):
    for what, bits in group.items():
        bits += "0" * (-len(bits) % 8)
        raw = bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
        put(prefix + what, wrap(raw, b"abc"))

built = subprocess.run(["gcc", "-std=gnu11", "-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover", "-pthread",
                        "-Wno-unused-function", "-o", "unpack", TESTS + "/lib/unpack.c"], capture_output=True, text=True)
if built.returncode != 0:
    fail("unpack.c does not compile: " + built.stderr)
for path, name in packed:
    eq(path, 0, unpacks(path, name)[0])
eq("packed files", 60, len(packed))
put("abc", b"abc")
eq("what was made by hand", 0, unpacks("good.abc", "abc")[0])
for what in bad:
    status, said = unpacks("bad." + what, "abc")
    eq(what, 1, status)
    has(said, "does not unpack")
eq("damaged files", 18, len(bad))

# The page is what gen/report/ has, and a report is the page with data in it.
page = read(GEN + "report/report.html")
for mark, name in (("css", "report.css"), ("common", "common.js"), ("monitor_js", "monitor.js"), ("diff_js", "diff.js"), ("js", "report.js")):
    page = page.replace("{{%s}}\n" % mark, read(GEN + "report/" + name))
eq("marks", ["monitor", "samples", "diff", "compared", "trace", "facts", "events"], re.findall("{{(.*?)}}", page))
page = re.sub(r"^ +", "", page, flags=re.M)  # the Makefile takes out indentation and comments
page = re.sub(r"^/\*.*\*/\n", "", page, flags=re.M)
page = re.sub(r"^/\*(?:.*\n)*?.*\*/\n", "", page, flags=re.M)
page = re.sub(r" */\* [^*\n]* \*/$", "", page, flags=re.M)
with gzip.open(GEN + "report.page", "rt") as f:
    assert f.read() == page, "the page is not gen/report/"
run("trace", "-q", "-w", "a.kvis", "--", "true").status(0)
run("replay", "--report=report.html", "a.kvis").status(0)
report = read("report.html")
head, rest = page.split("{{monitor}}")[0] + page.split("{{trace}}")[1].split("{{facts}}")[0], page.split("{{facts}}")[1]
script, tail = rest.split("{{events}}")
assert report.startswith(head) and script in report and report.endswith(tail), "the report is not the page with data in it"

# A damaged kvis.
kvis = bytes_of(KVIS)
at = kvis.index(bytes_of(GEN + "report.page")) + 5000
put("bent", kvis[:at] + bytes([kvis[at] ^ 1]) + kvis[at + 1:])
os.chmod("bent", 0o755)
bent = run("replay", "--report=bent.html", "a.kvis", binary="./bent").status(125)
has(bent.err, "bent.html: cannot unpack the page that kvis contains")

# Nothing else is compressed: strings of the code, of the tables and of the BPF programs can be found in the binary.
for string in b"no such directory", b"CLOEXEC", b"getrandom", b"task_struct.":
    assert string in kvis, f"not in the binary: {string}"
