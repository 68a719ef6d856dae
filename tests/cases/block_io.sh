#!/bin/sh
# Every output has exactly the block requests that dd made and that the kernel counted.
# Disks of known latency are tested in tests/vm/guest/disk.sh.
# tier: quick asan
# timeout: 60
# needs: root dd taskset python3
# alone: it counts the requests of a disk
. "$TESTS/lib/lib.sh"
head -c 400000 /dev/urandom >f
sync f
cp "$(command -v dd)" own-dd
sync own-dd
copy="if=f of=/dev/null bs=4k count=12 iflag=direct"
for dd in dd ./own-dd; do # dd is in the page cache (unless the machine is short of memory), ./own-dd is not
python3 -c "import os; os.posix_fadvise(os.open('own-dd', os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)"
gives 0 trace -v -w rec.kvis --json=json --perfetto=p --report=r.html -- $dd $copy
js "by('block_io', op='read')" >/dev/null 2>&1 || skip "no disk below this directory, or no hybrid backend"
# Requests that completed during a read(2) of the file are for the file; others read pages of dd itself.
cat >truth.py <<'P'
import json
import re
import sys

import perfetto
E = [json.loads(line) for line in open("json")]
S, ios = E[-1], [e for e in E if e["type"] == "block_io"]
reads = [c for c in E if c.get("name") == "read" and c["args"][0].endswith(f"<{sys.argv[1]}>")]
assert [c["ret"] for c in reads] == [4096] * 12, reads
in_call = lambda e, c: e["tid"] == c["tid"] and 0 <= e["ts_ns"] - c["ts_ns"] <= c["duration_ns"]
of_dd = [[e for e in ios if in_call(e, c)] for c in reads]
assert [[(e["op"], e["bytes"]) for e in m] for m in of_dd] == [[("read", 4096)]] * 12, of_dd
assert all(0 < m[0]["duration_ns"] < c["duration_ns"] for m, c in zip(of_dd, reads)), (of_dd, reads)
device = {m[0]["device"] for m in of_dd}
assert S["block_ios"] == len(ios) and S["lost_block_ios"] == 0, S
assert S["block_read_bytes"] == sum(e["bytes"] for e in ios if e["op"] == "read") >= 49152, S
# The text: each request in one line, those of a kind that follow each other in one.
lines = re.findall(r"block I/O \S+(?: avg, \S+ max)? \(([^x)]*?)(?: x(\d+), ([^)]*) total)?\) (\S+) (\S+)$", open("text").read(), re.M)
assert sum(int(n or 1) for _, n, *_ in lines) == len(ios), lines
assert len(ios) > 12 or {(each, disk, op) for each, _, _, disk, op in lines} == {("4.0 KB", *device, "read")}, lines
perfetto.requests(perfetto.load("p")[1], E)  # a slice for each
print(len(ios), "requests, 12 for the file, by", *device)
P
kv replay --no-filter --json=again --min-sched-delay=1000000 rec.kvis 2>text || fail "replay: $?"
python3 truth.py "$PWD/f" >&9 2>&1 || { cat text >&9; fail "not what the disk did"; }
kv replay -v --json=again rec.kvis 2>again.err || fail "replay: $?"
eq "the replay" "$(grep -v '"type":"header"' json)" "$(grep -v '"type":"header"' again)"
done
has text "^  disks +$(js "len(by('block_io'))") requests, "
run trace --min-sched-delay=1000000 --json=json -- $dd $copy # and as one line, where nothing else is among them
[ "$(js "len(by('block_io'))")" != 12 ] || has err 'block I/O .* \(4\.0 KB x12, 48\.0 KB total\) [a-z0-9]+ read$'
# A file written and forced out: its bytes, which no worker of the kernel writes, and a flush if the disk has a cache.
gives 0 trace --json=json -- dd if=f of=g bs=4k oflag=direct conv=fsync
want "all(e['op'] in ('read', 'write', 'flush') for e in by('block_io'))"
want "sum(e['bytes'] for e in by('block_io', op='write')) >= 400000 // 4096 * 4096"
# Requests of another program are not counted, even if its bios have the same addresses (likely on the same CPU).
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
{
    until [ -e begun ]; do sleep 0.05; done
    taskset -c "$cpu" dd if=f of=/dev/null bs=12k count=32 iflag=direct 2>strange
    : >ended
} &
run trace --json=json -- taskset -c "$cpu" sh -c \
    'dd if=f of=/dev/null bs=4k count=12 iflag=direct; : >begun; until [ -e ended ]; do sleep 0.05; done'
wait
status 0
has strange '^32\+0 records in'
# (and what pages of the programs may have to be read)
want "len([e for e in by('block_io', op='read') if e['bytes'] == 4096]) >= 12"
want "len([e for e in by('block_io', op='read') if e['bytes'] == 12288]) < 32"
