#!/bin/sh
# kvis open and opensnoop of libbpf-tools print the same rows for the same process.
# tier: quick
# timeout: 60
# needs: root opensnoop
. "$TESTS/lib/lib.sh"
[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF here"
sh -c 'until [ -e go ]; do sleep 0.1; done
    i=0; while [ $i -lt 40 ]; do true <"/etc/hostname"; true <"nothing$i"; true >"made$i"; i=$((i + 1)); done 2>/dev/null
    : >ended; until [ -e over ]; do sleep 0.1; done' &
p=$!
rows() { awk '$NF ~ /hostname|nothing|made/ { print $1, $2, $3, $4, $NF }' "$1"; } # PID COMM FD ERR PATH
unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec stdbuf -oL opensnoop -p '$p >peer 2>peer.err &
peer=$!
"$KVIS" open -p $p >ours 2>ours.err &
ours=$!
until_true 10 grep -q PATH ours && until_true 10 grep -q PATH peer || {
    kill $peer $ours $p 2>/dev/null; : >go; : >over; wait
    skip "opensnoop does not run here: $(head -n 1 peer.err)"
}
attached() { [ "$(ls -l "/proc/$peer/fd" | grep -c "bpf[-_]link\|perf_event")" -ge 2 ]; } # its header comes before that
until_true 10 attached || say "no links of opensnoop are to be seen"
sleep 0.5
: >go
until_true 20 test -e ended || fail "the program does not end"
all_there() { [ "$(rows ours | wc -l)" -ge 120 ] && [ "$(rows peer | wc -l)" -ge 120 ]; }
until_true 5 all_there || say "rows are missing"
kill -INT $peer $ours
: >over
wait
rows ours >a; rows peer >b
eq "rows" 120 "$(wc -l <a)"
diff a b >&9 || fail "< kvis, > opensnoop"
