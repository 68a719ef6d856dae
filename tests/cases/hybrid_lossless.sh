#!/bin/sh
# Programs that are faster than kvis lose no record, with a ring of 64 KB and a reader that sleeps.
# tier: quick full asan
# timeout: 240
# needs: root python3 strace prog:hyb
# covers: H4 H5 H6 H12
. "$TESTS/lib/truth.sh"
needs_hybrid
rounds=$(some 2000 15625 500) # of 8 calls, by 8 threads: 15625 make a million

# counted NAME...: each of these was called so often, says the program: in strace -c, and in the trace
cat >count.py <<'P'
import sys, time
want = {"getppid", "getuid", "read", "write", "lseek", "openat", "fstat", "faccessat"}
n, last, size = dict.fromkeys(want, 0), b"", 0
with open(sys.argv[1], "rb") as f:
    time.sleep(1)
    f.read(1000)
    time.sleep(0.5)
    mark = b'"type":"syscall","name":"'
    for line in f:
        last = line
        at = line.find(mark)
        if at >= 0:
            name = line[at + len(mark):line.index(b'"', at + len(mark))].decode()
            if name in n:
                n[name] += 1
open("last", "wb").write(last)
print(" ".join(f"{k}={v}" for k, v in sorted(n.items())))
P
mkfifo fifo
python3 count.py fifo >counted 9>&- &
reader=$!
kv trace -q -v --ring=64K --json=fifo -- "$BIN/hyb" calls 8 $rounds >out 2>err
st=$?
wait $reader
status 0
has out '^done$'
n=$((8 * rounds))
for call in getppid getuid lseek fstat faccessat read write openat; do
    got=$(sed "s/.*$call=\([0-9]*\).*/\1/" counted)
    [ "$got" -ge $n ] && [ "$got" -lt $((n + 60)) ] || fail "$call: $got of $n: $(cat counted)"
done
grep -q "getppid=$n " counted && grep -q "faccessat=$n " counted || fail "not $n each: $(cat counted)"
python3 -c "
import json
s = json.load(open('last'))
assert s['type'] == 'summary' and s['backend'] == 'hybrid' and s['lost'] == 0, s
assert s['throttle_stops'] > 0 and s['records'] >= 64 * $rounds, s
print('held', s['throttle_stops'], 'times,', s['records'], 'records')" >&9 || fail "the summary"

# strace counts the same of the same program, those of its start included
names=getppid,getuid,read,write,lseek,openat,fstat,faccessat
strace -f -c --seccomp-bpf -e trace=$names -o table "$BIN/hyb" calls 8 $rounds >out 2>err 9>&- || fail "strace"
eq "calls by strace -c" "$(awk '/^ *[0-9]/ && $NF != "total" { print $NF "=" $4 }' table | sort | tr '\n' ' ')" \
    "$(cat counted) "

KVOPT="-q -v --ring=64K -s 8000"
truth hyb last $(some 8 24 8) # and each process's last call, exit and death

# late RING ARG...: tests/progs/hyb.c, whose JSON nobody reads for a while.
late() {
    ring=$1; shift
    { sleep 1.5; exec cat; } <fifo >json &
    reader=$!
    kv trace -q -v -s 8000 --ring=$ring --json=fifo -- "$BIN/hyb" "$@" >out 2>err
    st=$?
    wait $reader
    status 0
}
# The largest ring holds the records for which the smallest ring had to hold threads.
late 64M calls 8 1000
want "S['lost'] == 0 and len(calls('faccessat')) == 8000 and len(calls('getppid')) == 8000 and S['throttle_stops'] == 0"
late 64K big 500 # records of 4 to 12 KB
py want json out >&9 || fail "big records"
want "S['throttle_stops'] > 0"
late 64K wide 300 # calls whose arguments nest, or that make descriptors
want "S['lost'] == 0 and S['throttle_stops'] > 0 and S['stops'] < 40"
for call in fcntl dup pipe2 socketpair writev readv sendmsg recvmsg ioctl; do
    want "len(calls('$call')) == 2400 and all(c['error'] is None for c in calls('$call'))"
done
want "not any(a == '?' or a.startswith('0x7') for c in calls('writev') + calls('sendmsg') for a in c['args'])"

for size in 63K 65K 128M 64G -64K 64KB ''; do
    run trace --ring=$size -- touch ran
    status 2
    has err '^kvis: .*ring.*64K to 64M'
done
[ ! -e ran ] || fail "it ran"
