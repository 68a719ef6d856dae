#!/bin/sh
# The PMU events that kvis chooses for many processors are those of the vendors' public lists; events that cannot be counted
# have a reason.
# tier: gate asan
# timeout: 60
# needs: python3 strace
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_cpus.py" "$KVIS" || fail "not the events of the public lists"
"$KVIS" monitor -c pmc -i 0.2 -n 2 --json=json 9>&- >text 2>err
status=$?
if [ ! -d /sys/bus/event_source/devices/cpu ] && ! ls -d /sys/bus/event_source/devices/*/cpus >/dev/null 2>&1; then
    eq "exit without a PMU" 125 $status
    grep -q 'nothing to show: no CPU PMU' err || fail "without a reason"
    want "len(E) == 1 and all(len(u['metrics']) == 39 and 'no CPU PMU' in u['reason'] for u in E[0]['unavailable'])"
else
    eq "exit" 0 $status
    want "len(E) == 2"
fi
want "all(('ipc' in e) != ('ipc' in [m for u in e['unavailable'] for m in u['metrics']]) for e in E)"

# -e: the code that perf_event_open(2) gets, for each spelling; --list-events lists them; an event that does not exist ends kvis.
d=tree/sys/bus/event_source/devices/cpu
rm -rf tree
mkdir -p tree/proc tree/sys/devices/system/cpu $d/format $d/events
printf 'processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 106\n' >tree/proc/cpuinfo
echo 0 >tree/sys/devices/system/cpu/online
echo 4 >$d/type
echo config:0-7 >$d/format/event
echo config:8-15 >$d/format/umask
echo event=0x2e,umask=0x41 >$d/events/cache-misses
echo 1 >$d/events/cache-misses.scale
run monitor --list-events --path.rootfs=tree; status 0
has out '^cpu/cache-misses/$'; hasnt out scale; has out '^l2_misses .cpu, MEM_LOAD_RETIRED.L2_MISS.$'
while read -r event code; do
    strace -o calls -e trace=perf_event_open "$KVIS" monitor -c pmc -e "$event" -n 1 -i 0.1 --path.rootfs=tree >out 2>err 9>&-
    has calls "config=$code[^0-9a-f]"
done <<'END'
r412e 0x412e
cpu/cache-misses/ 0x412e
cpu/event=0x2e,umask=0x41/ 0x412e
cpu/config=0x1ff/ 0x1ff
l2_misses 0x10d1
END
for event in cpu/nosuch/ cpu/event=1,umask/x/ cpu/event=zz/ cpu/event=0x/ cpu/umask=0x1ff/ other/cache-misses/ nosuch rxyz r; do
    run monitor -e "$event" -n 1 --path.rootfs=tree; status 2
    has err "no PMU of this CPU has the event $event; fix: "
done
run monitor -e 'a b'; status 2; has err 'not rNNN'
run monitor -e r1 -e r2 -e r3 -e r4 -e r5 --path.rootfs=tree; status 2; has err 'more than 4'
