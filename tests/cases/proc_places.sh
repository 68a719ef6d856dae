#!/bin/sh
# kvis proc works inside and outside of a pid namespace, without BTF and without tracefs.
# tier: gate
# timeout: 90
# needs: root unshare
. "$TESTS/lib/lib.sh"

# From outside: a process has two numbers.
run proc --json=json -o text -- unshare -pf sh -c '/bin/true; sh -c "exit 3"; exec /bin/echo'
want "[e['ns_pid'] for e in by('command') if e['argv'][0] != 'unshare'] == [2, 3, 1, 1]"
want "all(e['ns_pid'] != e['pid'] for e in by('command') if e['argv'][0] != 'unshare')"
want "[e['exit_code'] for e in by('command') if e.get('ns_pid') == 3] == [3]"

# From inside, where only those of the namespace are known, by its numbers.
cat >inside <<'END'
"$KVIS" proc --json=json -o text -- sh -c '/bin/true; (exit 5); sh -c "exit 3" & wait; echo $$ >pid'
echo $? >status
"$KVIS" proc --json=all -o text2 &
kvis=$!
while ! [ -s text2 ]; do sleep 0.05; done
sh -c 'sh -c "exit 4"; echo $$ >pid2'
until grep -q '"exit_code":4' all; do sleep 0.05; done # the runner ends what does not come
kill -INT $kvis
wait $kvis
sh -c 'echo $$' >last # no pid before was larger
END
export KVIS
unshare -pf --mount-proc sh inside 9>&- || fail "inside: $?"
eq status 0 "$(cat status)"
want "[e['exit_code'] for e in by('command')] == [0, 3, 0] and S['lost'] == 0"
want "by('command', ppid=$(cat pid))[0]['argv'] == ['/bin/true'] and by('command')[-1]['pid'] == $(cat pid)"
want "S['forks'] == 3"
want "[e['exit_code'] for e in by('command', ppid=$(cat pid2))] == [4]" all
want "all(e['pid'] <= $(cat last) for e in by('command'))" all

# Without BTF: arguments as execve had them, and what /proc still knows; a line that says so.
cat >nobtf <<'END'
mount -t tmpfs none /sys/kernel/btf || exit 77
"$KVIS" proc -x --json=nobtf.json -o text -- sh -c '/bin/true one "two  three"; cd /; exec env /bin/sleep 0.1' 2>err
END
unshare -m sh nobtf 9>&-
st=$?
[ $st != 77 ] || skip "cannot hide BTF"
status 0
has err "no BTF"
want "[e['argv'] for e in by('command')] == [['/bin/true', 'one', 'two  three'], ['sh', '-c', '/bin/true one \"two  three\"; cd /; exec env /bin/sleep 0.1'], ['env', '/bin/sleep', '0.1'], ['/bin/sleep', '0.1']]" nobtf.json
want "all((e['exit_code'] is None or e['argv'][0] == '/bin/sleep') and 'cpu_ns' not in e for e in by('command'))" nobtf.json
want "[e['exit_code'] for e in by('command') if e['argv'][0] == '/bin/sleep'] == [0]" nobtf.json # as kvis has waited for it

# A cgroup of version 2, by its path.
long=$(printf '%0200d' 1)
cat >cg <<END
mount -t cgroup2 none /sys/fs/cgroup && mkdir -p /sys/fs/cgroup/kvis-$$/$long/$long || exit 77
"$KVIS" proc --json=cg.json --cgroup=/sys/fs/cgroup/kvis-$$/$long -o text -- sh -c 'echo \$\$ >/sys/fs/cgroup/kvis-$$/$long/$long/cgroup.procs; /bin/true; echo \$\$ >/sys/fs/cgroup/cgroup.procs; /bin/false'
st=\$?
"$KVIS" proc --cgroup=/sys/fs/cgroup/cgroup.procs -- true
[ \$? = 2 ] || st="99 # a file is no cgroup"
cd /sys/fs/cgroup
rmdir kvis-$$/$long/$long kvis-$$/$long kvis-$$
exit \$st
END
unshare -m sh cg 2>err 9>&-
st=$?
[ $st != 77 ] || { say "no cgroup2 here"; exit 0; }
status 1
want "[(e['cgroup'], e['argv']) for e in by('command')] == [('/kvis-$$/$long/$long', ['/bin/true'])]" cg.json
