#!/bin/sh
# The page of --report unpacks to what gzip packed, and damaged data is refused.
# tier: full
# timeout: 240
# needs: gcc gzip make objcopy python3
# covers: O2
. "$TESTS/lib/lib.sh"
export ASAN_OPTIONS=detect_leaks=0
python3 - <<'END' || fail "no data"
import random, struct, subprocess, zlib
random.seed(1)
words = [bytes(random.choices(b"etaoin shrdlu", k=random.randint(1, 9))) for _ in range(300)]
text = b" ".join(random.choice(words) for _ in range(3000))
data = {"empty": b"", "one": b"x", "random": random.randbytes(70000), "text": text, "zeros": bytes(100000),
        "far": random.randbytes(32768) * 2, "few": b"ababababab" * 3, "bytes": bytes(range(256)) * 3,
        "deep": b"".join(bytes([i]) * min(2 ** i // 7 + 1, 9000) for i in range(24)),
        "mixed": text[:900] + random.randbytes(1500) + bytes(3000) + text}
def wrap(raw, was):
    return b"\x1f\x8b\x08\0\0\0\0\0\0\3" + raw + struct.pack("<II", zlib.crc32(was), len(was))
kinds = {"stored": (0, 8, -15), "fixed": (9, 8, -15, 9, zlib.Z_FIXED), "huffman": (9, 8, -15, 9, zlib.Z_HUFFMAN_ONLY)}
for name, was in data.items():
    open(name, "wb").write(was)
    for level in "169":
        open(f"{name}.{level}.gz", "wb").write(subprocess.run(["gzip", "-n" + level], input=was, stdout=subprocess.PIPE).stdout)
    for how, args in kinds.items():
        c = zlib.compressobj(*args)
        half = c.compress(was[:len(was) // 2]) + c.flush(zlib.Z_FULL_FLUSH) # more than one block
        open(f"{name}.{how}.gz", "wb").write(wrap(half + c.compress(was[len(was) // 2:]) + c.flush(), was))
# What no compressor writes, bit by bit (numbers lowest bit first, codes highest bit first); a line each: what, bits.
def number(v, n): return "".join(str(v >> i & 1) for i in range(n))
def code(v, n): return number(v, n)[::-1]
def fixed(v): return code(v + 0x30, 8) if v < 144 else code(v - 256, 7) if v < 280 else code(v - 280 + 0xc0, 8)
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
        open(prefix + what, "wb").write(wrap(raw, b"abc"))
END
gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover -pthread -Wno-unused-function \
    -o unpack "$TESTS/lib/unpack.c" >err 2>&1 || fail "unpack.c does not compile"
n=0
for f in *.gz; do
    ./unpack "$f" "${f%%.*}" >out 2>err || fail "$f"
    cat out >&9
    n=$((n + 1))
done
[ $n = 60 ] || fail "$n files"
printf abc >abc
./unpack good.abc abc >out 2>err || fail "what was made by hand"
n=0
for f in bad.*; do
    ./unpack "$f" abc >out 2>err
    eq "$f" 1 $?
    has out 'does not unpack'
    n=$((n + 1))
done
[ $n = 18 ] || fail "$n files"

# the page is what gen/report/ has, without indents and comments, and a report is the page with data in it
python3 - "$TESTS/../gen" <<'END' || fail "the page is not gen/report/"
import gzip, re, sys
text = lambda name: open(f"{sys.argv[1]}/report/{name}").read()
page = text("report.html")
for mark, name in (("css", "report.css"), ("common", "common.js"), ("monitor_js", "monitor.js"), ("js", "report.js")):
    page = page.replace("{{%s}}\n" % mark, text(name))
for what in (r"^ +", r"^/\*[\s\S]*?\*/\n", r" */\*[^*\n]*\*/$"):
    page = re.sub("(?m)" + what, "", page)
marks = re.findall("{{(.*?)}}", page)
assert marks == ["monitor", "samples", "trace", "facts", "events"], marks
open("page", "w").write(page)
raw = open(f"{sys.argv[1]}/report.page", "rb").read()
assert raw[:2] == b"\x1f\x8b", "not packed"
assert gzip.decompress(raw).decode() == page, "another text"
END
kv trace -q -w a.kvis -- true 2>err || fail "no recording"
kv replay --report=packed.html a.kvis 2>err || fail "no report"
python3 - <<'END' || fail "the report is not the page with data in it"
page, html = open("page").read(), open("packed.html").read()
head, rest = page.split("{{monitor}}")[0] + page.split("{{trace}}")[1].split("{{facts}}")[0], page.split("{{facts}}")[1]
script, tail = rest.split("{{events}}")
assert html.startswith(head) and script in html and html.endswith(tail)
END

# where there is no gzip, and where two makes run at once
mkdir -p b/bin
cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" b
printf '#!/bin/sh\nexit 127\n' >b/bin/gzip
chmod 755 b/bin/gzip
rm -f b/gen/report.page
(cd b && PATH=$PWD/bin:$PATH make CC=gcc CFLAGS=-O0 kvis) >out 2>err || fail "make without gzip"
has out '^note: no gzip here: the page'
has out '^note: no .*: BPF arrays, tables and texts stay'
b/kvis replay --report=plain.html a.kvis >out 2>err || fail "report, not packed"
cmp packed.html plain.html || fail "another report without gzip"
texts() { # texts KVIS: all help there is, and an error's message
    for c in help $("$1" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do "$1" help "$c"; done
    "$1" trace --no-such-option
    "$1" check --json | sed 's/"[a-z_]*ns":[0-9]*//g; s/"pid":[0-9]*//g' | grep -o '"[a-z_]*":'
}
texts b/kvis >texts.plain 2>&1
texts "$KVIS" >texts.packed 2>&1
[ "$(wc -l <texts.plain)" -gt 200 ] && cmp texts.plain texts.packed || fail "other texts without gzip"
(cd b && make -B gen/report.page) >out 2>err &
(cd b && make -B gen/report.page) >out2 2>err2 || fail "make"
wait $! || fail "another make"
eq "left in gen" report.page "$(ls b/gen | grep page)"

# a damaged kvis
python3 - "$KVIS" "$TESTS/../gen/report.page" <<'END' || fail "bend"
import sys
kvis, page = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
at = kvis.index(page) + 5000
open("bent", "wb").write(kvis[:at] + bytes([kvis[at] ^ 1]) + kvis[at + 1:])
END
chmod 755 bent
./bent replay --report=bent.html a.kvis >out 2>err
eq "a damaged page" 125 $?
has err 'bent.html: the page in kvis cannot be unpacked'

# BPF arrays and tables: those of the headers, as a compiler makes them, without pointers
made=$("$KVIS" help --man | sed -n 's/^\.TH KVIS 1 \([-0-9]*\) "kvis \([^"]*\)".*/-DKVIS_DATE="\1" -DKVIS_VERSION="\2"/p')
(cd "$TESTS/.." && gcc -std=gnu11 -w -pthread $made -c -o "$OLDPWD/kvis.o" kvis.c) || fail "kvis.o"
python3 - "$KVIS" >made 2>err <<'END' || { say "$(cat err)"; fail "other tables"; }
import gzip, re, subprocess, sys
def run(*cmd): return subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True).stdout
def section(file, name): # number, address, size
    m = re.search(r"^ *\[ *(\d+)\] %s +\S+ +(\S+) +\S+ +(\S+)" % name, run("readelf", "-SW", file), re.M)
    return int(m[1]), int(m[2], 16), int(m[3], 16)
def bytes_of(file, name):
    subprocess.run(["objcopy", "-O", "binary", "-j", name, file, name + ".bin"], check=True)
    return open(name + ".bin", "rb").read()
def tables(file, name, data): # in whatever order the compiler has put them
    number, begin, size = section(file, name)
    assert size == len(data), (file, name)
    rows = [l.split() for l in run("readelf", "-sW", file).splitlines()]
    rows = [r for r in rows if len(r) == 8 and r[3] == "OBJECT" and r[6] == str(number)]
    return {r[7]: data[int(r[1], 16) - begin:][:int(r[2], 0)] for r in rows}
relocated = re.findall(r"^Relocation section '\.rela?(\S+)'", run("readelf", "-rW", "kvis.o"), re.M)
for name, some in ("bpf_arrays", 20), ("call_tables", 8), ("met_tables", 1):
    assert name not in relocated, name + " has pointers"
    was = tables("kvis.o", name, bytes_of("kvis.o", name))
    now = tables(sys.argv[1], name, gzip.decompress(bytes_of(sys.argv[1], name + "_gz")))
    assert was == now and len(was) > some and all(any(a) for a in was.values()), (name, set(was) ^ set(now))
    print(name, len(was), "tables of", sum(map(len, was.values())), "bytes")
# String literals are in there only: each ends in a 0, and the help is of them.
plain, packed = open("b/kvis", "rb").read(), open(sys.argv[1], "rb").read()
texts = gzip.decompress(bytes_of(sys.argv[1], "literals_gz"))
long = [t for t in texts.split(b"\0") if len(t) > 30]
assert len(long) > 300 and texts.endswith(b"\0") and section(sys.argv[1], "literals")[2] == len(texts)
there, missing = [t for t in long if t in packed], [t for t in long if t not in plain]
assert not there and len(missing) < 20, (there[:9], missing[:9])
print("literals", texts.count(b"\0"), "of", len(texts), "bytes")
END
say "$(cat made)"

# damaged, none is used; what does not want it goes on
bend() { # bend SECTION: ./bent is kvis with a bit of it the other way
    python3 - "$KVIS" "$1_gz.bin" <<'END' || fail "bend $1"
import sys
kvis, packed = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
at = kvis.index(packed) + len(packed) // 3
open("bent", "wb").write(kvis[:at] + bytes([kvis[at] ^ 1]) + kvis[at + 1:])
END
}
bend bpf_arrays
./bent trace -q -v --backend=hybrid -- true >out 2>err
has err 'the BPF programs in kvis cannot be unpacked'
./bent trace -q --backend=auto -o all -- true >out 2>err || fail "without BPF"
bend call_tables
./bent trace -q -- touch not-there >out 2>err
eq "damaged tables of calls" 125 $?
has err 'the tables in kvis cannot be unpacked: this file is damaged'
[ ! -e not-there ] || fail "it was run all the same"
./bent monitor -c meminfo -n 1 -i 0.1 >out 2>err || fail "monitor without the tables of calls"
bend met_tables
./bent monitor -c meminfo -n 1 -i 0.1 >out 2>err
eq "damaged tables of metrics" 125 $?
has err 'the tables in kvis cannot be unpacked'
./bent trace -q -o all -- true >out 2>err || fail "trace without the tables of metrics"
bend literals
for args in --version help "trace -q -- touch not-there"; do
    ./bent $args >out 2>err
    eq "damaged texts, $args" 125 $?
    eq "and nothing else" 'kvis: the texts in kvis cannot be unpacked: this file is damaged' "$(cat out err)"
done
[ ! -e not-there ] || fail "it was run all the same"
