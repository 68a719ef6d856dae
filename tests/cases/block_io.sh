#!/bin/sh
# timeout: 60
# needs: root dd python3
# covers: E15
# What the disk under this directory does for dd, against the kernel's own count, in every sink. (On
# disks of known latency: tests/vm/guest/disk.sh.)
. "$TESTS/lib.sh"
head -c 400000 /dev/urandom >f
sync f
run trace --min-sched-delay=1000000 -w rec.kvis --json=json --perfetto=p.json --report=r.html -- dd if=f of=/dev/null bs=4k count=12 iflag=direct
status 0
js "by('block_io', op='read')" >/dev/null 2>&1 || skip "no disk below this directory, or no hybrid backend"
want "[e['bytes'] for e in by('block_io', op='read')] == [4096] * 12 and S['block_read_bytes'] == 49152"
want "S['block_ios'] == len(by('block_io')) and S['lost_block_ios'] == 0"
want "[d for d in S['disks'] if d['device'] == by('block_io')[0]['device']][0]['reads'] >= 12"
has err 'block I/O .* \(4\.0 KB x12, 48\.0 KB total\) [a-z0-9]+ read$'
python3 - <<'P' || fail "Perfetto: a slice for each"
import json
ev = [e for e in json.load(open("p.json"))["traceEvents"] if e.get("cat") == "block I/O"]
begun = {e["id"]: e["ts"] for e in ev if e["ph"] == "b"}
ended = {e["id"]: e["ts"] for e in ev if e["ph"] == "e"}
want = [json.loads(l) for l in open("json") if '"type":"block_io"' in l]
assert len(begun) == len(ended) == len(want)
for b, w in zip(sorted(begun), want):
    assert abs(ended[b] - w["ts_ns"] / 1000) < 1 and abs((ended[b] - begun[b]) * 1000 - w["duration_ns"]) < 1000, (b, w)
P
kv replay --json=again rec.kvis 2>again.err || fail "replay: $?"
grep -v '"type":"header"' json >a
grep -v '"type":"header"' again >b
cmp a b || fail "replayed, it is something else"
# A file written and forced out: its bytes, and a flush if the disk has a cache.
run trace --json=json -- dd if=f of=g bs=100k conv=fsync
status 0
want "sum(e['bytes'] for e in by('block_io', op='write')) >= 400000"
# A stranger's are not the program's, although its bios come to lie where those did: on the same CPU they
# do.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
{
    until [ -e begun ]; do sleep 0.05; done
    taskset -c "$cpu" dd if=f of=/dev/null bs=4k count=90 iflag=direct 2>strange
    : >ended
} &
run trace --json=json -- taskset -c "$cpu" sh -c \
    'dd if=f of=/dev/null bs=4k count=12 iflag=direct; : >begun; until [ -e ended ]; do sleep 0.05; done'
wait
status 0
has strange '^90\+0 records in'
want "(lambda all: len([e for e in all if e['tid'] == all[0]['tid']]) == 12)([e for e in by('block_io', op='read') if e['bytes'] == 4096])"
