#!/bin/sh
# kvis as execsnoop and exitsnoop prints the header and rows of libbpf-tools' programs.
# (No other case uses its user 54322: proc_formats, which may run at the same time, uses 54321.)
# tier: quick
# timeout: 60
# needs: root execsnoop exitsnoop setpriv
. "$TESTS/lib/lib.sh"
[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF here"
ln -s "$KVIS" execsnoop
ln -s "$KVIS" exitsnoop

# beside OPTION...: $tool and kvis of that name, into ./peer and ./ours, until `over`.
beside() {
    rm -f peer ours
    unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec stdbuf -oL "$@"' sh $tool "$@" >peer 2>peer.err 9>&- &
    peer=$!
    ./$tool "$@" >ours 2>ours.err 9>&- &
    ours=$!
    until_true 10 grep -q PCOMM ours && until_true 10 grep -q PCOMM peer || {
        kill $peer $ours
        wait
        skip "$tool does not run here: $(head -n 1 peer.err)"
    }
    attached() { [ "$(ls -l "/proc/$peer/fd" | grep -c "bpf[-_]link\|perf_event")" -ge 1 ]; } # its header comes before that
    until_true 10 attached || say "no links of $tool are to be seen"
    sleep 0.5
}
over() { # over ROWS: when both have that many
    all_there() { [ "$(wc -l <ours)" -gt $1 ] && [ "$(wc -l <peer)" -gt $1 ]; }
    until_true 5 all_there "$1" || say "rows are missing"
    kill -INT $peer $ours
    wait $peer $ours
    eq "$tool's head" "$(head -n 1 peer)" "$(head -n 1 ours)"
}

tool=execsnoop
beside -x -U -u 54322
setpriv --reuid 54322 /bin/sh -c 'i=0; while [ $i -lt 20 ]; do /bin/true one "two three" $i; i=$((i + 1)); done; /usr/bin/env /nowhere/x; exec /bin/echo end' >/dev/null 2>&1
over 24
eq "rows" 24 "$(sed 1d ours | wc -l)" # setpriv's exec of sh, env's own and its failed one, echo
eq "order" "$(seq -s ' ' 0 19)" "$(awk '/ one two three / { printf "%s%s", at, $NF; at = " " }' ours)"
# Sorted: execsnoop has a buffer for each CPU, and mixes them. (Of the words behind, one has the file's name first.)
for f in ours peer; do awk 'NR > 1 { print $1, $2, $3, $4, $5 }' $f | sort >$f.5; done
diff ours.5 peer.5 >&9 || fail "< kvis, > execsnoop"
grep -q ' one two three 7$' peer && has ours ' /bin/true one two three 7$'

# waiting: processes of this test that end in several ways when they are told
tool=exitsnoop
for end in 'exit 0' 'exit 4' 'kill -TERM $$' 'kill -SEGV $$'; do
    rm -f go
    sh -c "ulimit -c 0; until [ -e go ]; do sleep 0.1; done; $end" 9>&- &
    p=$!
    beside -p $p
    : >go
    wait $p
    over 1
    # (the name of a signal is bcc's own, KILL; libbpf-tools has the C library's words, Killed)
    for f in ours peer; do awk '{ $5 = ""; print }' $f | sed 's/(.*)/(NAME)/' >$f.5; done
    diff ours.5 peer.5 >&9 || fail "$end: < kvis, > exitsnoop"
    eq "rows of one process" 1 "$(sed 1d ours | wc -l)"
    python3 -c "import sys; a, b = (float(open(f).read().split('\n')[1].split()[4]) for f in ('ours', 'peer')); sys.exit(abs(a - b) > 0.011)" ||
        fail "age: $(sed 1d ours) and $(sed 1d peer)"
done
