#!/bin/sh
# timeout: 60
# needs: python3
# covers: M2 M3 S7
# Which CPU it is and which of its events are chosen, against the public lists, for many processors made
# of files; and on this machine: what cannot be counted says why.
. "$TESTS/lib.sh"
python3 "$TESTS/mon_cpus.py" "$KVIS" || fail "not the events of the public lists"
"$KVIS" monitor -c pmc -i 0.2 -n 2 --json=json 9>&- >text 2>err || fail "exit $?"
want "len(E) == 2"
if [ ! -d /sys/bus/event_source/devices/cpu ] && ! ls -d /sys/bus/event_source/devices/*/cpus >/dev/null 2>&1; then
    want "all(len(u['metrics']) == 39 and 'no PMU' in u['reason'] for u in E[0]['unavailable']) and 'ipc' not in E[0]"
fi
want "all(('ipc' in e) != ('ipc' in [m for u in e['unavailable'] for m in u['metrics']]) for e in E)"
"$KVIS" monitor -p 1 --cgroup / >text 2>err
[ $? = 125 ] || fail "both -p and --cgroup"
"$KVIS" monitor -p 2147483646 >text 2>err
[ $? = 125 ] && grep -q 'no process 2147483646' err || fail "a process that there is not"
