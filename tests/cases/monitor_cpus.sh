#!/bin/sh
# The PMU events that kvis chooses for many processors are those of the vendors' public lists; events that cannot be counted
# have a reason.
# tier: gate asan
# timeout: 60
# needs: python3
# covers: M2 M3 S7
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_cpus.py" "$KVIS" || fail "not the events of the public lists"
"$KVIS" monitor -c pmc -i 0.2 -n 2 --json=json 9>&- >text 2>err
status=$?
if [ ! -d /sys/bus/event_source/devices/cpu ] && ! ls -d /sys/bus/event_source/devices/*/cpus >/dev/null 2>&1; then
    eq "exit without a PMU" 125 $status
    grep -q 'nothing to show: no PMU of the CPU' err || fail "without a reason"
    want "len(E) == 1 and all(len(u['metrics']) == 39 and 'no PMU' in u['reason'] for u in E[0]['unavailable'])"
else
    eq "exit" 0 $status
    want "len(E) == 2"
fi
want "all(('ipc' in e) != ('ipc' in [m for u in e['unavailable'] for m in u['metrics']]) for e in E)"
