#!/bin/sh
# However kvis proc ends, no BPF program of it stays, and the first and last commands are there.
# tier: quick
# timeout: 120
# needs: root bpftool prog:self
# alone: it counts all BPF programs
# covers: E21 E22 P36
. "$TESTS/lib/proc.sh"

ours() { bpftool prog list 2>/dev/null | grep -cE ' name proc_(fork|exec|exit|call|return)'; }
none() { [ "$(ours) $(wc -l </proc/self/mountinfo)" = "0 $mounts" ]; }
mounts=$(wc -l </proc/self/mountinfo)
until_true 20 none || skip "somebody else runs kvis proc here"
left() { until_true 10 none || fail "$1: $(ours) programs, $(wc -l </proc/self/mountinfo) mounts, before $mounts"; }

i=0
while [ $i -lt 20 ]; do
    run proc --json=json -o /dev/null -- sh -c '/bin/true first; exec /bin/true last'
    want "[e['argv'][-1] for e in by('command')] == ['first', '/bin/true first; exec /bin/true last', 'last']"
    i=$((i + 1))
done
left "20 runs"
left_by_signals ours left proc -x
rm -f started
"$KVIS" proc -o rows -- sh -c 'echo $$ >started; exec sleep 100' 2>err 9>&- &
kvis=$!
until_true 10 test -s started || fail "the command does not start"
kill -KILL $kvis
wait $kvis
left "killed with a command"
kill "$(cat started)" || fail "the command died with kvis"

report native "$BIN/self" a 'b c' ''
[ $st = 0 ] || fail "the program without kvis: $st"
for opt in "-o rows" "-x --json=json -o rows" "--report=r.html -w r.kvis -o rows"; do
    report watched "$KVIS" proc $opt -- "$BIN/self" a 'b c' ''
    status 0
    diff native watched >&9 || fail "not neutral with '$opt'"
done
left "the end"
