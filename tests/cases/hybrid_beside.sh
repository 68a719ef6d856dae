#!/bin/sh
# With other BPF programs on the same tracepoints, every call is recorded or counted as lost.
# tier: full
# timeout: 120
# needs: root prog:hyb bpftrace
# covers: H9 H10 E21
. "$TESTS/lib/lib.sh"
needs_hybrid
rounds=4000
name=beside$$
cp "$BIN/hyb" $name

# Prints what it has counted when it ends, of the program of that name only.
cat >count.bt <<P
BEGIN { printf("ready\n"); }
tracepoint:raw_syscalls:sys_enter /comm == "$name"/ { @enter[args->id] = count(); }
tracepoint:raw_syscalls:sys_exit /comm == "$name"/ { @exit[args->id] = count(); }
tracepoint:sched:sched_switch /args->prev_comm == "$name"/ { @switch = count(); }
tracepoint:sched:sched_wakeup /args->comm == "$name"/ { @wake = count(); }
P
bpftrace count.bt >bt 2>bt.err 9>&- &
others=$!
pids=$others
until_true 20 grep -q ready bt || skip "bpftrace: $(head -n 1 bt.err)"
for tool in opensnoop execsnoop; do # libbpf-tools
    command -v $tool >/dev/null && $tool --help 2>&1 | grep -q -- '--name=NAME' || continue
    $tool -n $name >$tool.out 2>&1 9>&- &
    pids="$pids $!"
done
mkdir second
(cd second && exec "$KVIS" trace -q -v --json=json -- sh -c 'while [ ! -e ../stop ]; do "$1" calls 1 20 >/dev/null; sleep 0.1; done' sh "$BIN/hyb") >out 2>&1 9>&- &
second=$!
until_true 10 test -s second/json || fail "the second kvis"

for how in "" --ring=64K; do
    run trace -q -v --backend=hybrid $how --json=json -- ./$name calls 4 $rounds
    status 0
    want "H['backend'] == 'hybrid'"
    say "lost: $(js "S['lost']")"
    for call in getppid getuid faccessat; do
        want "$((4 * rounds)) - S['lost'] <= len(calls('$call')) <= $((4 * rounds))"
    done
    want "S['processes'] == 1 and len({e['pid'] for e in E}) == 1" # and nobody else's
done
run trace -c --backend=hybrid -o table -- ./$name calls 4 $rounds
status 0
has table " $((4 * rounds)) .*faccessat\$"

: >stop
wait $second || fail "the second kvis: exit status $?"
kill -INT $others # (the shell has them ignore it; bpftrace catches it)
kill ${pids#$others}
for p in $pids; do wait $p; done
want "S['backend'] == 'hybrid' and S['lost'] == 0" second/json
want "0 < len(calls('faccessat')) == 20 * len([e for e in by('exec') if e['argv'][1:] == ['calls', '1', '20']])" second/json
nr=$(python3 -c 'import platform; print({"x86_64": 110}.get(platform.machine(), 173))') # getppid
for side in enter exit; do
    eq "getppid by bpftrace" $((3 * 4 * rounds)) "$(sed -n "s/^@$side\[$nr\]: //p" bt)"
done
[ ! -s opensnoop.out ] || has opensnoop.out "$name"
