#!/bin/sh
# A damaged, truncated or foreign recording is reported with its offset, and what comes before is shown.
# tier: quick asan
# timeout: 120
# needs: python3
# covers: O2 O4
. "$TESTS/lib/lib.sh"
kv trace -v -w ok.kvis --json=live -- sh -c 'ls / >/dev/null; echo x >f' 2>err || fail "no recording"
kv replay -v --json=whole ok.kvis 2>err || fail "replay"
cat >bend.py <<'END'
import os, random, subprocess, sys
kvis, data = sys.argv[1], open("ok.kvis", "rb").read()
whole = open("whole").read().split("\n")
random.seed(1)
def run(b, what):
    open("bad.kvis", "wb").write(b)
    p = subprocess.run([kvis, "replay", "-v", "--json=bad", "bad.kvis"], capture_output=True, timeout=20)
    if p.returncode not in (1, 125) or b"bad.kvis: " not in p.stderr:
        sys.exit(f"{what}: status {p.returncode}: {p.stderr[-300:]}")
    if p.returncode == 1:
        lines = open("bad").read().split("\n")
        if lines[:-1] != whole[:len(lines) - 1]:
            sys.exit(f"{what}: an event that was not there")
    return p.stderr
for n in list(range(0, 40)) + random.sample(range(len(data)), 150): # of the last 4 KiB each: torn.sh
    err = run(data[:n], f"cut at {n}")
for n in random.sample(range(len(data)), 200):
    b = bytearray(data); b[n] ^= 1 << random.randrange(8)
    run(bytes(b), f"flipped at {n}")
# cut among the numbers of the summary: what is missing there is asked of no table, page or comparison
for n in random.sample(range(len(data) - 3000, len(data)), 25):
    open("bad.kvis", "wb").write(data[:n])
    for how, status in (["replay", "-C", "--json=bad", "--report=bad.html", "--perfetto=bad.json", "-w", "bad2.kvis"], 1), (["diff", "ok.kvis"], 125):
        p = subprocess.run([kvis, *how, "bad.kvis"], capture_output=True, timeout=20)
        if p.returncode != status or b"bad.kvis: torn at" not in p.stderr:
            sys.exit(f"cut at {n}: {how[0]}: status {p.returncode}: {p.stderr[-300:]}")
b = bytearray(data); b[8] = 99
import zlib
b[12:16] = zlib.crc32(bytes(b[:12])).to_bytes(4, "little")
if b"version 99" not in run(bytes(b), "version"):
    sys.exit("version is not told")
END
cat >evil.py <<'END'
# Text that kvis would have made, with what acts on a terminal in it, behind a NUL, too; the blocks' checksums are right.
import zlib
data, at, out, n = open("ok.kvis", "rb").read(), 16, b"", 0
was = b"3</etc/ld.so.cache>"
assert was in data
while at < len(data):
    size = int.from_bytes(data[at:at + 4], "little")
    block = data[at + 8:at + 8 + size].replace(was, b"3\0\x1b[31m\xc2\x9b5m\xffevil>"[:len(was)].ljust(len(was), b"!"))
    out += block and size.to_bytes(4, "little") + zlib.crc32(n.to_bytes(4, "little") + block).to_bytes(4, "little") + block
    at, n = at + 8 + size, n + 1
open("evil.kvis", "wb").write(data[:16] + out)
END
python3 evil.py >bend 2>&1 || { cat bend >&9; fail "evil"; }
run replay -v --color=never --json=evil.json evil.kvis; status 0
has err 'evil'
python3 - <<'P' || fail "a recording's text acts on the terminal"
text = open("err", "rb").read()
assert b"3??[31m??5m?evil" in text and not [c for c in text if c < 32 and c != 10 or c in (127, 255)] and b"\xc2\x9b" not in text
P
python3 bend.py "$KVIS" >bend 2>&1 || { cat bend >&9; fail "bent"; }
echo hello >no.kvis
run replay no.kvis; status 125; has err 'not a recording'
run replay nothing.kvis; status 125; has err 'cannot read nothing.kvis: No such'
run replay; status 2
run replay -c ok.kvis; status 0; has err openat
kv trace -w few.kvis -- true 2>err
run replay -c few.kvis; status 125; has err 'has no calls'
# killed in the middle: what was recorded so far can be read
"$KVIS" trace -v -w killed.kvis -- sh -c "while :; do : <f; done" >out 2>err 9>&- &
sleep 1; kill -KILL $!; wait
run replay -v --json=json killed.kvis; status 1; has err 'torn at offset|what came before'
PARTIAL=1 js "len(calls('openat')) > 10" json >out || fail "nothing of it"
# a full disk: the command goes on, kvis says so and fails
run trace -v -w /dev/full -- ls /; status 125; has err '/dev/full.*No space left'; has out bin
