#!/bin/sh
# Programs that are faster than kvis lose no record, with a ring of 64 KB and a reader that sleeps.
# tier: quick full asan
# timeout: 240
# needs: root python3 strace prog:hyb
. "$TESTS/lib/truth.sh"
needs_hybrid
rounds=$(some 2000 15625 500) # of 8 calls, by 8 threads: 15625 make a million

# late RING ARG...: traces tests/progs/hyb.c, while the reader of the JSON sleeps at first. ./ends: without the events.
mkfifo fifo
late() {
    ring=$1; shift
    { sleep 1.5; exec cat; } <fifo >json &
    reader=$!
    kv trace -q -v -s 8000 --ring=$ring --json=fifo -- "$BIN/hyb" "$@" >out 2>err
    st=$?
    wait $reader
    status 0
    { head -n 1 json; tail -n 1 json; } >ends
}
late 64K calls 8 $rounds
has out '^done$'
want "H['backend'] == 'hybrid' and S['lost'] == 0 and S['throttle_stops'] > 0 and S['records'] >= 64 * $rounds" ends

# strace counts the same of the same program, those of its start included.
names="faccessat fstat getppid getuid lseek openat read write"
for call in $names; do
    echo "$call=$(grep -c "\"type\":\"syscall\",\"name\":\"$call\"" json)"
done >counted
strace -f -c --seccomp-bpf -e "trace=$(echo $names | tr ' ' ,)" -o table "$BIN/hyb" calls 8 $rounds >out 2>err 9>&- || fail "strace"
eq "calls by strace -c" "$(awk '/^ *[0-9]/ && $NF != "total" { print $NF "=" $4 }' table | sort)" "$(cat counted)"
has counted "^getppid=$((8 * rounds))\$"; has counted "^faccessat=$((8 * rounds))\$"

KVOPT="-q -v --ring=64K -s 8000"
truth hyb last $(some 8 24 8) # and each process's last call, exit and death

# The largest ring holds the records for which the smallest ring had to hold threads.
late 64M calls 8 1000
py want json out >&9 || fail "calls in the largest ring"
want "S['throttle_stops'] == 0" ends
late 64K big 500 # records of 4 to 12 KB
py want json out >&9 || fail "big records"
want "S['throttle_stops'] > 0" ends
late 64K wide 300 # calls whose arguments nest, or that make descriptors
want "S['lost'] == 0 and S['throttle_stops'] > 0 and S['stops'] < 40"
for call in fcntl dup pipe2 socketpair writev readv sendmsg recvmsg ioctl; do
    want "len(calls('$call')) == 2400 and all(c['error'] is None for c in calls('$call'))"
done
want "not any(a == '?' or a.startswith('0x7') for c in calls('writev') + calls('sendmsg') for a in c['args'])"

for size in 63K 65K 128M 64G -64K 64KB ''; do
    gives 2 trace --ring=$size -- touch ran
    has err '^kvis: .*ring.*64K to 64M'
done
[ ! -e ran ] || fail "it ran"
