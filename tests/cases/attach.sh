#!/bin/sh
# kvis trace -p traces every thread of a running program and leaves the program as it was. A stopped program stays stopped.
# tier: gate asan
# timeout: 200
. "$TESTS/lib/truth.sh"
watches=ptrace
[ "$(id -u)" != 0 ] || watches=observe
for opt in --backend=ptrace "-v --backend=ptrace" "" -v; do
    target loop
    attach $opt --json=json
    until_true 10 has_lines json "\"type\":\"open\".*$PWD/data" 20 || fail "its calls are not seen"
    detach INT 0
    until_true 2 free "$tee" || fail "left in state $(state "$tee")"
    untarget
    has target.out '^bad 0, some 1$'
    want "H['pids'] == [$tee] and H['command'] is None and H['backend'] == ('ptrace' if 'ptrace' in '$opt' else '$watches')"
    want "len(by('open', path='$PWD/data')) > 10"
    want "all(e['bytes'] == 100 for e in by('read', filename='$PWD/data'))"
    want "len(by('write', filename='$PWD/held')) > 10" # open before we came: named from /proc
    want "S['processes'] == 1 and S.get('exit_code') is None"
done
target loop
for backend in ptrace auto; do
    gives 0 trace -q -d 1 --json=json --backend=$backend -p "$tee" # stops by itself
    peak=$(($(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$tee/status") << 10))
    want "abs(S['peak_rss_bytes'] - $peak) < 1 << 20" # of a process that still runs
done
free "$tee" || fail "left in state $(state "$tee")"
other=$target; first=$tee; rm pid; mv target.out first.out
target loop
kv trace -q -d 1 --json=json -p "$tee" -p "$first" || fail "two pids: $?"
want "{e['pid'] for e in by('open')} == {$tee, $first} and sorted(H['pids']) == sorted([$tee, $first])"
# A recording has the names of programs that were running before kvis.
kv trace -d 1 -w rec.kvis --folded=live.folded --perfetto=live.trace -o live.txt -p "$tee" -p "$first" || fail "-w: $?"
kv replay --folded=folded --perfetto=trace -o txt rec.kvis || fail "replay: $?"
for f in folded trace txt; do cmp live.$f $f >&9 || fail "other $f from the replay"; done
has txt " $first att  *open "; has folded '^att;[a-z]*;openat;';
python3 -c 'import perfetto, sys; assert [e for e in perfetto.load("trace")[1] if e["name"] == "process_name" and e["args"]["name"] == sys.argv[1]]' \
    "att $first" || fail "no process of that name in the trace"
run diff --json=d rec.kvis rec.kvis; has d '"commands":\[\]'
: >stop; wait $other # before untarget removes the file
untarget
kv replay -o txt rec.kvis || fail "replay: $?" # the processes are described even if they have ended
has txt "^kvis: pid $first, 1 thread: "; cmp live.txt txt >&9 || fail "another text from the replay"
goes_on() { case $(state "$1") in t | T) return 1 ;; esac; }
target spawn # threads that spawn threads while we come and go
for backend in ptrace auto; do
    attach -q --json=json --backend=$backend
    until_true 10 has_lines json '"type":"spawn_thread"' 20 || fail "its threads are not seen"
    detach INT 0
    until_true 2 free "$tee" || fail "left in state $(state "$tee")"
    for t in /proc/$tee/task/*; do
        until_true 2 goes_on "${t#/proc/}" || fail "thread left stopped"
    done
    want "len(by('spawn_thread')) > 10"
done
untarget
target many 1000
all_traced() { [ "$(grep -L 'TracerPid:[[:space:]]*0$' /proc/$tee/task/*/status | wc -l)" = 1001 ]; }
attach -q --json=json --backend=ptrace
until_true 10 all_traced || fail "not all of 1001 threads are traced"
detach INT 0
eq "threads that are still traced" 0 "$(grep -L 'TracerPid:[[:space:]]*0$' /proc/$tee/task/*/status | wc -l)"
want "S['threads'] == 1001"
attach -q --json=json
detach INT 0
want "S['threads'] == 1001"
untarget
target thread zombie-leader # the first thread has ended, the others live
until_true 5 eval '[ "$(state "$tee")" = Z ]' || fail "the first thread lives"
for backend in ptrace auto; do
    gives 0 trace -q -d 1 --backend=$backend -p "$tee"
done
: >stop; wait $target

# A stopped process stays stopped while it is traced and afterwards.
all_stopped() { for t in /proc/$tee/task/*; do [ "$(state "${t#/proc/}")" = T ] || return 1; done; }
for how in "INT --backend=ptrace" "TERM --backend=ptrace" "TERM --backend=auto"; do
    end=${how%% *}
    target stopped
    eq "before" T "$(state "$tee")"
    attach -v ${how#* }
    sleep 0.2
    case $(state "$tee") in t | T) ;; *) fail "runs when attached to: $(state "$tee")" ;; esac
    kill -$end $kvis; wait $kvis
    until_true 2 untraced "$tee" || fail "still traced"
    until_true 2 all_stopped || fail "after $end: $(grep -h ^State: /proc/$tee/task/*/status)"
    sleep 0.1 # and remain so
    all_stopped || fail "runs after $end"
    kill -CONT "$tee"
    until_true 2 free "$tee" || fail "does not go on: $(state "$tee")"
    untarget
    has target.out '^end 800$'
done
for backend in ptrace auto; do
    target stopped
    attach -q --json=json --backend=$backend
    kill -CONT "$tee" # while it is traced
    sleep 0.2
    detach INT 0
    until_true 2 free "$tee" || fail "does not run: $(state "$tee")"
    untarget
done
