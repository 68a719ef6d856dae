#!/bin/sh
# kvis monitor -c busy ranks processes in the order of their own accounting.
# tier: quick
# timeout: 200
# needs: python3 promtool
# covers: S4
. "$TESTS/lib/lib.sh"
# Its own pid namespace: nobody else is first in something.
[ "$(id -u)" = 0 ] || skip "root alone can make a pid namespace"
[ "${MONITOR_BUSY_INSIDE:-}" ] || MONITOR_BUSY_INSIDE=1 exec unshare -pf --kill-child --mount-proc /bin/sh "$0"
mkdir a b
python3 "$TESTS/lib/mon_tree.py" a tasks:a && python3 "$TESTS/lib/mon_tree.py" b tasks:b || fail "no trees"
ln -s a now
"$KVIS" monitor -i 4 -n 2 -c busy --json=json --prometheus=p.prom --path.rootfs="$PWD/now" -o text 9>&- 2>err &
kvis=$!
until_true 30 test -e p.prom || fail "no exposition of the first look"
ln -s b new && mv -T new now
wait $kvis || fail "exit $?"
promtool_takes p.prom
s='E[0]["interval_ns"] / 1e9 *' B='E[0]["busy"]'
# A look may take long or come late: process 20, which used 1 s, says how much the others must have. Within one process the
# rates are for the same time.
near() { want "abs(($1) / ($2) / ($s $B['20']['busy_cpu_seconds_per_second']) - 1) < 0.15"; }
want "$B['20']['comm'] == 'spins) (' and $B['50']['busy_resident_bytes'] == 5000 * $(getconf PAGESIZE)"
near "$s $B['30']['busy_waiting_seconds_per_second']" 0.65 # of its threads, not of the first alone
want "$B['30']['busy_threads'] == 3 and $B['30']['busy_read_bytes_per_second'] == 0"
near "$s $B['40']['busy_read_bytes_per_second']" 8e6
want "$B['40']['busy_written_bytes_per_second'] == 0 and $B['40']['busy_cpu_seconds_per_second'] == 0"
near "$s $B['50']['busy_minor_faults_per_second']" 6000
want "abs($B['50']['busy_minor_faults_per_second'] / $B['50']['busy_major_faults_per_second'] / 20 - 1) < 1e-6"
near "$s $B['60']['busy_cpu_seconds_per_second']" 0.03 # another process of that pid: all it did, it did since
near "$s $B['80']['busy_cpu_seconds_per_second']" 0.4
want "abs($B['80']['busy_cpu_seconds_per_second'] / $B['80']['busy_waiting_seconds_per_second'] / 4 - 1) < 1e-6"
want "$B['70']['busy_swap_bytes'] == 600 * 1024 and $B['20']['busy_swap_bytes'] == 0"
want "'90' not in $B and '105' not in $B and '85' not in $B" # 85: what it did before is no part of this interval
want "all(v == 0 for k, v in E[1]['busy']['50'].items() if 'per_second' in k) and '80' not in E[1]['busy']"
has text '^busy +pid=20 comm="spins\) \(" busy_cpu='
run monitor -n 1 -i .1 --json=json --path.rootfs="$PWD/now"
want '"busy" not in E[0]'
cp -r b old && find old -name schedstat -delete
run monitor -n 1 -i 0.1 -c busy -o text --path.rootfs="$PWD/old" # a kernel without CONFIG_SCHED_INFO
has text 'busy +n/a busy_waiting and 1 more: /proc/PID/schedstat: ENOENT [(]needs a kernel with CONFIG_SCHED_INFO'

# One that was among the first five is shown until it is not among the first ten; by name, processes are added up, and
# what they had counted stays when they end.
for t in 0 1 2 3; do python3 "$TESTS/lib/mon_tree.py" turns$t turns:$t || fail "no tree"; done
rm -r turns3/proc/212
turns() { # kvis monitor through the four
    rm -f p.prom
    ln -sfn turns0 now
    "$KVIS" monitor -i 2 -n 3 -c busy --json=json --prometheus=p.prom --path.rootfs="$PWD/now" -o text 9>&- 2>err &
    kvis=$!
    until_true 30 test -e p.prom || fail "no exposition of the first look"
    for t in 1 2 3; do
        ln -sfn turns$t new && mv -T new now
        until_true 30 eval '[ "$(grep -c sample json)" -ge $t ]' || fail "no sample"
    done
    wait $kvis || fail "exit $?"
}
turns
want "[sorted(int(p) for p in e['busy']) for e in E[:3]] == [[201, 202, 203, 204, 205], [201, 202, 203, 204, 205, 206], \
    [201, 202, 203, 204, 206]]"
# Threads that wait have CPUs to wait for, also where nothing else reads about CPUs.
run monitor -c busy -i 0.3 -n 1 --per-cpu -o text
status 0
has text ' tasks_waiting=[0-9.]+'
hasnt text 'n/a .*tasks_waiting|busy +n/a'
