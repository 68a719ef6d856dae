#!/bin/sh
# A child that is killed before its parent's event stop is reported as created once and as killed once.
# tier: quick
# timeout: 90
# needs: prog:killer
# covers: P9 P13
. "$TESTS/lib/truth.sh"
children() { cat "/proc/$1/task/$1/children"; }
n=0
for opt in "" -v "--no-accel -q"; do
    n=$((n + 1))
    rm -rf $n; mkdir $n; cd $n || fail "cd"
    "$KVIS" trace $opt --json=json -- /bin/sh -c '"$0" early 150; exit $?' "$BIN/proc" >facts 2>err 9>&- </dev/null &
    kvis=$!
    # Its parent is not kvis: the kernel reports kvis's own children first.
    until_true 5 eval 'shell=$(children $kvis); tee=$(children $shell); [ "$tee" ]'
    "$BIN/killer" $tee $kvis 9>&-
    wait $kvis; st=$?
    status 0
    py want json facts >&9 || fail "early $opt"
    cd ..
done
