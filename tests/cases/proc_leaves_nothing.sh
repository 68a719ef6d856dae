#!/bin/sh
# However kvis proc ends, none of its BPF programs remains, and the output has the first and the last command.
# tier: quick
# timeout: 120
# needs: root bpftool prog:self
# covers: E21 E22 P36
. "$TESTS/lib/proc.sh"

mounts=$(wc -l </proc/self/mountinfo)
left() { # left WHAT: of what ./ids names, and of mounts
    grep -q prog ids || fail "$1: it had no program"
    until_true 10 bpf_gone ids || fail "$1: something is left of: $(cat ids)"
    eq "$1: mounts" "$mounts" "$(wc -l </proc/self/mountinfo)"
}

i=0
while [ $i -lt 20 ]; do
    run proc --json=json -o /dev/null -- sh -c 'cat /proc/$PPID/fdinfo/* 2>/dev/null; exec /bin/true last'
    sed -nE 's/^(prog|map|link)_id:[^0-9]*/\1 /p' out >>ids
    want "[e['argv'][0] for e in by('command')] == ['cat', 'sh', '/bin/true']"
    i=$((i + 1))
done
left "20 runs"
left_by_signals proc -x
rm -f started
"$KVIS" proc -o rows -- sh -c 'echo $$ >started; exec sleep 100' 2>err 9>&- &
kvis=$!
until_true 10 test -s started || fail "the command does not start"
bpf_ids $kvis >ids
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
eq "mounts at the end" "$mounts" "$(wc -l </proc/self/mountinfo)"
