#!/bin/sh
# The tables of -c, -C, -S, -i and --by=pid agree with the calls themselves.
# tier: gate
# timeout: 240
# needs: strace prog:chg python3
. "$TESTS/lib/lib.sh"
gives 0 trace -c --json=json -v -- "$BIN/chg" failing
hasnt err '^\[\+' # nothing but the table
counted="'\n'.join('%s %d %d' % (n, len(calls(n)), sum(bool(c['error']) for c in calls(n)))
    for n in sorted({c['name'] for c in by('syscall')}))"
eq "the table" "$(js "$counted")" "$(rows err)"
has err 'p50'; has err 'p99'; has err 'max'
has err 'total'
gives 7 trace -c -- "$BIN/proc" exit 7
run trace -C -- "$BIN/chg" failing
has err 'p99'; has err '^\[\+.*open '
cat >sorted.py <<'P'
import sys
key = {"time": lambda f: -float(f[1]), "calls": lambda f: -int(f[3]), "errors": lambda f: -(int(f[4]) if len(f) == 9 else 0),
       "p99": lambda f: -float(f[-3]), "name": lambda f: f[-1]}[sys.argv[1]]
rows = [f for f in map(str.split, open("err")) if len(f) in (8, 9) and f[0][0].isdigit() and f[-1] != "total"]
keys = [key(f) for f in rows]
sys.exit(len(rows) < 10 or len(set(keys)) < 3 or keys != sorted(keys))
P
for sort in "" time calls errors name p99; do
    run trace -c ${sort:+-S $sort} -- "$BIN/chg" failing
    python3 sorted.py ${sort:-time} || fail "-S $sort: not in order"
    rm -f here loop
done
run trace -c -S nonsense -- /bin/true; status 2
run trace -c --by=pid -- /bin/sh -c 'cat /dev/null; ls / >/dev/null; exit 0'
eq "--by=pid: tables" 2 "$(grep -c 'calls.*errors' err)"
by_pid() { awk '/ pid process$/ { on = 1; next } !NF { on = 0 } on { print $5, $2, $3 }' err | sort; }
run trace -q -w rec -v -C --by=pid -- /bin/sh -c 'cat /dev/null; ls / >/dev/null; exit 0'
by_pid >live
has live '^cat [1-9]'; has live '^ls [1-9]'; has live '^sh [1-9]'
run trace -q -w all -v -- /bin/sh -c 'cat /dev/null; ls / >/dev/null; exit 0'
for file in rec all; do # the tables that were recorded, and those of the calls
    run replay -c --by=pid $file
    eq "replay --by=pid $file" "$(cat live)" "$(by_pid)"
    run replay -c --by=pid -e trace=getdents64 $file
    eq "replay --by=pid -e $file" "ls 2 0" "$(by_pid)"
done
run trace -q -c -w rec -- /bin/true
run replay -c --by=pid rec
has err 'does not break system calls down by process'
run replay -c rec
rows err >kept
run replay -q -w copy rec
run replay -c copy
eq "replay -w: the table" "$(cat kept)" "$(rows err)"
run trace -c --by=nonsense -- /bin/true; status 2
run trace -c -i 1 -- /bin/sh -c 'for i in 1 2 3 4 5; do sleep 0.7; done'
awk '$NF == "total" { bad = bad || $4 < last; last = $4; n++ } END { exit bad || n < 3 }' err || fail "-i: not printed again and again"
run trace -v -i 1 -e trace=/nanosleep -- sleep 2.5 # between the lines, not in one
has err 'nanosleep\(.* <unfinished ...>$'; has err '<... .*nanosleep resumed>.* = 0'
hasnt err 'nanosleep\(([^<]|<[^u])*$'
launch table trace -c -i 1 -o table --kill-on-exit -- sleep 100 # after a pause: one table, not one for each second of the pause
until_true 10 grep -q p99 table || fail "-i: no table"
kill -STOP $kvis
until_true 5 eval '[ "$(state $kvis)" = T ]'
before=$(grep -c p99 table)
sleep 4
since=$(date +%s)
kill -CONT $kvis
until_true 10 has_lines table p99 $((before + 1)) || fail "-i: no table after the pause"
sleep 0.5
more=$(($(grep -c p99 table) - before)) may=$(($(date +%s) - since + 2))
finish TERM
[ $more -le $may ] || fail "-i: $more tables, at most $may are due"

# The tables exclude calls that -P, -z and -Z exclude. strace counts the calls with the path; the program knows which calls fail.
failed() { awk '$3 { print $1, $3, $3 }' "$1"; }
file=/etc/passwd
strace -f -c -o strace -P $file cat $file /etc/group /nosuch >out 2>&1 9>&-
rows strace 6 >by_path
has by_path '^openat 1 0'
for b in $(backends); do
    cmd="cat $file /etc/group /nosuch"
    run trace -c --backend=$b -P $file -- $cmd
    eq "$b: -P" "$(cat by_path)" "$(rows err)"
    run trace -c --backend=$b -- $cmd
    rows err >all
    for filter in -z -Z '-e status=failed,unfinished' '-e status=unfinished'; do
        run trace -c --backend=$b $filter -w rec -v -- $cmd
        rows err >left
        case $filter in
        -z) awk '$1 != "exit_group" && $2 > $3 { print $1, $2 - $3, 0 }' all ;;
        -Z) failed all ;;
        *failed*) { failed all; echo exit_group 1 0; } | sort ;;
        *) echo exit_group 1 0 ;;
        esac >wanted
        eq "$b: $filter" "$(cat wanted)" "$(cat left)"
        run trace -q --backend=$b -w rec -v -- $cmd
        run replay -c $filter rec
        eq "replay of $b: $filter" "$(cat wanted)" "$(rows err)"
    done
    run trace -c --backend=$b -Z -- $cmd # counted in the kernel where that can be
    eq "$b: -Z alone" "$(failed all)" "$(rows err)"
done

# Calls of a number without a name have a row: the table adds up to what the program did, by each backend and replayed.
sum_of() { awk '/% time/ { on = 1 } on && /^ *[0-9]/ { if ($NF == "total") total = $4; else sum += $4 } END { print sum == total ? total : "sum " sum ", total " total }' "$1"; }
nameless='import ctypes
for i in range(1000):
    ctypes.CDLL(None).syscall(500 + i % 2 * 100)'
for b in $(backends); do
    run trace -C --backend=$b -w rec --json=json -- python3 -c "$nameless"
    eq "$b: calls without a name" "$(js "str(S['syscalls'])")" "$(sum_of err)"
    has err ' 1000 +1000 .* unnamed$'; has err '^   ENOSYS +1000  unnamed$'
    want "[r['calls'] for r in S['time_in_calls'] if r['name'] == 'unnamed'] == [1000]"
    run replay -c rec
    eq "$b: replayed" "$(js "str(S['syscalls'])")" "$(sum_of err)"; has err ' 1000 +1000 .* unnamed$'
    run trace -c --backend=$b -- python3 -c "$nameless"
    has err ' 1000 +1000 .* unnamed$'
    run trace -q -v --backend=$b -w rec -- python3 -c "$nameless"
    run replay -c --by=pid rec
    has err ' 1000 +1000 .* unnamed$'
    eq "$b: --by=pid" "$(sum_of err)" "$(awk 'NR == 2 { print $2 }' err)"
done
# A table that does not list all processes says so, and the next table has the calls of all.
run trace -c --by=pid -w rec -- python3 -c 'import os
for i in range(1100):
    os.fork() or os._exit(0)
    os.wait()'
for how in live replayed; do
    [ $how = live ] || run replay -c --by=pid rec
    eq "--by=pid, $how: rows" 1024 "$(sed '1d;/^(/,$d' err | grep -c .)"
    has err '^\(only the first 1024 processes; the next table has all\)$'
    has err ' wait4$'; eq "--by=pid, $how: calls of wait4" 1100 "$(awk '$NF == "wait4" { print $4 }' err)"
done
if [ "$b" = hybrid ]; then # the last one: BPF works
    mkfifo go_on
    python3 -c "import sys
sys.stdin.read(1)
$nameless" <go_on 9>&- &
    python=$!
    exec 8>go_on
    "$KVIS" trace -c --backend=observe -p $python 2>err 9>&- 8>&- &
    kvis=$!
    attached() { [ "$(ls -l "/proc/$kvis/fd" | grep -cE 'bpf[-_](link|raw)')" -ge 2 ]; }
    until_true 30 attached || fail "no BPF programs"
    sleep 2 # until it observes: nothing tells
    exec 8>&-
    wait $kvis
    has err ' 1000 +1000 .* unnamed$'
fi
