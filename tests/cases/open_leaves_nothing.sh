#!/bin/sh
# However kvis open ends, none of its programs, maps, links or mounts remains, and its command cannot observe it.
# tier: quick
# timeout: 120
# needs: root bpftool prog:self
# covers: E21 E22 P36
. "$TESTS/lib/open.sh"

mounts=$(wc -l </proc/self/mountinfo)
left() { # left WHAT: of what ./ids names, and of mounts
    grep -q prog ids || fail "$1: it had no program"
    until_true 10 bpf_gone ids || fail "$1: something is left of: $(cat ids)"
    eq "$1: mounts" "$mounts" "$(wc -l </proc/self/mountinfo)"
}
# As the command of kvis: what kvis holds in the kernel.
cat >held.sh <<'END'
cat /proc/$PPID/fdinfo/* 2>/dev/null | sed -nE 's/^(prog|map|link)_id:[^0-9]*/\1 /p' >>ids
exec true
END

i=0
while [ $i -lt 20 ]; do
    "$KVIS" open -o rows -- sh held.sh 9>&- || fail "run $i"
    has rows ' held\.sh$'; has rows ' true .*/libc\.' # among its first opens and its last
    i=$((i + 1))
done
left "20 runs"
left_by_signals open
rm -f rows
"$KVIS" open -o rows -- sleep 100 9>&- &
kvis=$!
until_true 10 grep -q sleep rows 2>/dev/null || fail "sleep does not start"
read -r child _ </proc/$kvis/task/$kvis/children # the other one is the witness of signals, which dies with kvis
bpf_ids $kvis >ids
kill -KILL $kvis
wait $kvis
left "killed with a command"
kill -0 $child || fail "the command died with kvis"
kill $child
# two at once do not see each other's
"$KVIS" open -o a --json=a.json -- sh -c 'cat /one 2>/dev/null; sleep 0.5' 9>&- &
"$KVIS" open -o b --json=b.json -- sh -c 'sleep 0.2; cat /two 2>/dev/null' 9>&-
wait
has a ' /one$'; hasnt a ' /two$'; has b ' /two$'; hasnt b ' /one$'

# the command sees what it would see anyway (as in cases/neutral.sh)
report native "$BIN/self" a 'b c' ''
[ $st = 0 ] || fail "the program without kvis: $st"
for opt in "-o rows" "--json=json -o rows"; do
    report watched "$KVIS" open $opt -- "$BIN/self" a 'b c' ''
    status 0
    diff native watched >&9 || fail "not neutral with '$opt'"
done
fds="ls -l /proc/self/fd | sed -n 's/.* \\([0-9]* -> \\)/\\1/p' | grep -v ' /proc/\| pipe:'"
sh -c "$fds" >fds 2>&1 9>&-
mv fds fds.native
"$KVIS" open -o rows -- sh -c "$fds" >fds 2>&1 9>&-
diff fds.native fds >&9 || fail "descriptors"
eq "mounts at the end" "$mounts" "$(wc -l </proc/self/mountinfo)"
