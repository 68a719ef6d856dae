#!/bin/sh
# Software events and context switches lie between two runs of perf stat -a, one inside the interval and one around
# it.
# The tracepoint is not hit at every switch that /proc/stat has, and perf may miss some of its hits (1000 of 46000,
# once).
# tier: quick
# timeout: 60
# needs: root perf unshare prog:mon
# alone: it compares what two tools see of the machine
. "$TESTS/lib/lib.sh"
"$KVIS" monitor -c runq -n 1 -i 0.1 >can 2>&1 9>&- || fail "monitor"
grep -q '^runq .*switches=' can || skip "$(cat can)"
events=context-switches,sched:sched_switch,page-faults,cpu-migrations
cat >work.sh <<'END'
perf bench sched pipe -l 20000 >/dev/null 2>&1
"$BIN/mon" hop 2000 >hops
"$BIN/mon" faults 20000 >faults
END
cat >around.sh <<END
"$KVIS" monitor -c runq,stat,vmstat -i 1000 --prometheus=p.prom -o /dev/null 2>err &
kvis=\$!
until grep -q switches p.prom 2>/dev/null; do sleep 0.05; done
cp p.prom before
perf stat -a -x, -e $events -o inner sh work.sh
kill -INT \$kvis
wait \$kvis
END
# (perf mounts tracefs, and leaves it)
unshare -m perf stat -a -x, -e $events -o outer sh around.sh 9>&- || fail "perf stat"
[ -s p.prom ] || fail "no numbers"
of() { awk -F, -v e="$1" '$3 == e { print $1 }' "$2"; }
total() { awk -v m="^kvis_$1[{ ]" '$0 ~ m { n += $NF } END { printf "%d\n", n }' "$2"; }
between() { # between EVENT METRIC ATLEAST [EVENT]: the second for the upper bound
    got=$(($(total "$2" p.prom) - $(total "$2" before)))
    say "$1: perf $(of "$1" inner) ... kvis $got ... perf $(of "${4:-$1}" outer)"
    [ "$(of "$1" inner)" -ge "$3" ] || fail "$1: perf saw only $(of "$1" inner) of $3"
    [ "$got" -ge "$(of "$1" inner)" ] || fail "$1: kvis has fewer"
    [ "$got" -le "$(of "${4:-$1}" outer)" ] || fail "$1: kvis has more"
}
has hops 'hops=2000 own=(2000|0)$'
between context-switches context_switches_total 40000
between sched:sched_switch switches_total 40000 context-switches
between cpu-migrations sched_migrations_total 2000
between page-faults vmstat_pgfault 20000
