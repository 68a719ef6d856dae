#!/bin/sh
# Context switches, migrations and page faults lie between two counts, one inside the interval and one around it.
# perf stat makes both counts, except for the page faults around the interval: only pgfault of /proc/vmstat includes
# faults that fail and faults of the kernel in another process's memory (mm/memory.c of 6.18, mm_account_fault).
# Migrations are counted at the tracepoint: perf's own event counts a task once when it runs again, even if it was moved
# several times (include/linux/perf_event.h of 6.18, perf_event_task_sched_in). The tracepoint sched_switch is not hit at
# every switch that /proc/stat counts, and perf may miss some of its hits (once 1000 of 46000).
# tier: quick
# timeout: 60
# needs: root perf unshare prog:mon
# alone: it compares what two tools see of the machine
. "$TESTS/lib/lib.sh"
"$KVIS" monitor -c runq -n 1 -i 0.1 >can 2>&1 9>&- || fail "monitor"
grep -q '^runq .*switches=' can || skip "$(cat can)"
events=context-switches,sched:sched_switch,minor-faults,major-faults,sched:sched_migrate_task
cat >work.sh <<'END'
perf bench sched pipe -l 20000 >/dev/null 2>&1
"$BIN/mon" hop 2000 >hops
"$BIN/mon" faults 20000 >faults
END
cat >around.sh <<END
grep '^pgfault ' /proc/vmstat >faults_before
"$KVIS" monitor -c runq,stat,vmstat -i 1000 --prometheus=p.prom -o /dev/null 2>err &
kvis=\$!
until grep -q switches p.prom 2>/dev/null; do sleep 0.05; done
cp p.prom before
perf stat -a -x, -e $events -o inner sh work.sh
kill -INT \$kvis
wait \$kvis
grep '^pgfault ' /proc/vmstat >faults_after
END
# (perf mounts tracefs, and leaves it)
unshare -m perf stat -a -x, -e $events -o outer sh around.sh 9>&- || fail "perf stat"
[ -s p.prom ] || fail "no numbers"
of() { awk -F, -v e="^($1)\$" '$3 ~ e { n += $1 } END { print n }' "$2"; } # of EVENT|... FILE: the sum
faults() { sed 's/pgfault //' "faults_$1"; }
total() { awk -v m="^kvis_$1[{ ]" '$0 ~ m { n += $NF } END { printf "%d\n", n }' "$2"; }
between() { # between EVENT METRIC AT_LEAST MOST: the metric between perf's inner count and MOST
    got=$(($(total "$2" p.prom) - $(total "$2" before)))
    say "$1: perf $(of "$1" inner) ... kvis $got ... $4"
    [ "$(of "$1" inner)" -ge "$3" ] || fail "$1: perf saw only $(of "$1" inner) of $3"
    [ "$got" -ge "$(of "$1" inner)" ] || fail "$1: kvis has fewer"
    [ "$got" -le "$4" ] || fail "$1: kvis has more"
}
has hops 'hops=2000 own=(2000|0)$'
between context-switches context_switches_total 40000 "$(of context-switches outer)"
between sched:sched_switch switches_total 40000 "$(of context-switches outer)"
between sched:sched_migrate_task sched_migrations_total 2000 "$(of sched:sched_migrate_task outer)"
between 'minor-faults|major-faults' vmstat_pgfault 20000 $(($(faults after) - $(faults before)))
