#!/bin/sh
# kvis open shows every way to open a file: call, name, flags, mode, result and path.
# tier: quick asan
# timeout: 120
# needs: root python3 prog:opens
# covers: E9 E10 E11 E12 E18 P12
. "$TESTS/lib/open.sh"
for watched in "" --backend=ptrace; do
    for scene in calls names toolong untouched threads procs roots deep depths longnames; do facts $scene $watched; done
done
# what the name was when the call began and what it is when it ends are not the same
mkdir rewritten; cd rewritten || exit 1
watch -- "$BIN/opens" rewritten
status 0
want "[e.get('name_changed') for e in by('open') if e['name'] in ('changed', 'fifo') and 'O_WRONLY' in e['flags']] == [True]"
want "not [e for e in by('open') if e['name'] not in ('changed', 'fifo') and 'name_changed' in e]"
cd ..
mkdir waits; cd waits || exit 1
watch -- "$BIN/opens" waits
status 0
py want json out >&9 || fail "waits"
hasnt rows "$(printf '\033')"
cd ..

# More opens at once than the probe's map holds: counted and told.
mkdir full; cd full || exit 1
watch --ring=8192 -- "$BIN/opens" full
[ $st = 77 ] && say "full: $(tail -n 1 out)" || { status 0; py want json out >&9 || fail "full"; has err '^kvis: [0-9]+ opens lost: too many in progress at once'; }
cd ..
