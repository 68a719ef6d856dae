#!/bin/sh
# kvis monitor divides the change of a counter by the time between its own two readings, even if a file is opened late.
# tier: quick
# timeout: 60
# needs: python3 strace
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_tree.py" a tasks:a && python3 "$TESTS/lib/mon_tree.py" b tasks:b || fail "no trees"
for t in a b; do
    mkdir -p $t/proc
    echo "pgfault $([ $t = a ] && echo 1000 || echo 4000)" >$t/proc/vmstat
done
# late FILE SOURCE: the second time that kvis opens FILE takes 600 ms, of which the interval knows nothing.
late() {
    rm -f json p.prom now log
    ln -s a now
    strace -f -ttt -o log -e trace=open,openat,read -e inject=open,openat:delay_exit=600000:when=2 -P "$PWD/now/$1" -P "$PWD/b/$1" \
        "$KVIS" monitor -i 1 -n 1 -c "$2" --json=json --prometheus=p.prom --path.rootfs="$PWD/now" -o text 9>&- 2>err &
    kvis=$!
    until_true 30 test -e p.prom || fail "no exposition of the first look"
    ln -s b new && mv -T new now
    wait $kvis || fail "exit $?"
}
late proc/vmstat vmstat
# From the first read of the file that kvis opened first, to that of the file that it opened second.
seconds=$(awk '/open/ { fresh = 1 } /read\(/ && fresh { fresh = 0; at[++n] = $2 } END { print at[2] - at[1] }' log)
say "the readings are $seconds s apart"
want "abs(E[0]['page_faults_per_second'] * $seconds / 3000 - 1) < 0.1"
# Processes are read after /proc was opened; each has a time of its own.
late proc busy
seconds=$(awk '/open/ { at[++n] = $2 } END { print at[2] - at[1] + 0.6 }' log)
say "the looks are $seconds s apart"
want "abs(E[0]['busy']['20']['busy_cpu_seconds_per_second'] * $seconds - 1) < 0.1"
want "abs(E[0]['busy']['40']['busy_read_bytes_per_second'] * $seconds / 8e6 - 1) < 0.1"
