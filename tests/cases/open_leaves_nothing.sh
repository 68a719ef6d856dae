#!/bin/sh
# However kvis open ends, no program, map, link or mount of it stays, and its command sees nothing of it.
# tier: quick
# timeout: 120
# needs: root bpftool prog:self
# alone: it counts all BPF programs
# covers: E21 E22 P36
. "$TESTS/lib/open.sh"

ours() { bpftool $1 list 2>/dev/null | grep -cE ' name (open_|opening)'; }
none() { [ "$(ours prog) $(ours map)" = "0 0" ]; }
until_true 10 none || skip "somebody else runs kvis open here"
settled() { [ "$(ours prog) $(ours map) $(wc -l </proc/self/mountinfo)" = "$before" ]; }
before="$(ours prog) $(ours map) $(wc -l </proc/self/mountinfo)"
left() { until_true 10 settled || fail "$1: programs, maps, mounts: $before before, now $(ours prog) $(ours map) $(wc -l </proc/self/mountinfo)"; }

i=0
while [ $i -lt 20 ]; do
    "$KVIS" open -o rows -- true 9>&- || fail "run $i"
    [ "$(wc -l <rows)" -gt 2 ] || fail "run $i: its first or last opens are missing"
    i=$((i + 1))
done
left "20 runs"
left_by_signals "ours prog" left open
rm -f rows
"$KVIS" open -o rows -- sleep 100 9>&- &
kvis=$!
until_true 10 grep -q sleep rows 2>/dev/null || fail "sleep does not start"
child=$(cat /proc/$kvis/task/$kvis/children)
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
left "two at once"

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
left "the end"
