# proc_env: kvis proc in various environments: pid namespaces, cgroups, no BTF, a helper
# that the kernel itself starts.
# kernels: x86-5.10 x86-sid arm64
# (As open_env: proc and verify run on all.)
# timeout: 90
. /tests/lib.sh

# A tree whose processes are known: one that never calls exec has children, and is one itself.
cat >job <<'END2'
(busybox true 1; busybox true 2; :)
sh -c "exit 3"
(:)
(exec busybox sleep 0.2) &
wait
exit 5
END2
echo 'kvis proc --forks --json=json -o rows -- sh job 2>err; echo $? >status' >run

# In a pid namespace below another one, by its numbers.
unshare -p -m -f --mount-proc unshare -p -m -f --mount-proc sh run
t_is "nested: status" 5 "$(cat status)" || t_show err
mv json nested.json
t_json "nested: commands" nested.json "sorted((e['argv'][-1], e['exit_code']) for e in by('command')) == [('0.2', 0), ('1', 0), ('2', 0), ('exit 3', 3), ('job', 5)]"
t_json "nested: processes" nested.json "len(by('process')) == 2 and S['forks'] == 6 and S['lost'] == 0 and S['failed'] == 2"
t_json "nested: parents" nested.json "(lambda p: p['job'] == p['exit 3'] == p['0.2'] and p['1'] == p['2'] != p['job'])({e['argv'][-1]: e['ppid'] if e['argv'][-1] != 'job' else e['pid'] for e in by('command')})"
t_json "nested: path" nested.json "sum(s['self_ns'] for s in S['critical_path']) == (lambda e: e['duration_ns'])([e for e in by('command') if e['argv'][-1] == 'job'][0]) and S['critical_path'][-1]['name'].endswith('sleep 0.2')"
t_json "nested: its numbers" nested.json "all(0 < e['pid'] < 30 and 0 < e['ppid'] < 30 for e in by('command') + by('process'))"

# A cgroup of version 2 beside those of version 1.
mkdir -p /sys/fs/cgroup
echo 'echo $$ >"$1/kvis/cgroup.procs"; busybox true in; echo $$ >"$1/cgroup.procs"; busybox true out' >move
if mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/unified /sys/fs/cgroup/pids && mount -t cgroup2 none /sys/fs/cgroup/unified; then
    mkdir /sys/fs/cgroup/unified/kvis
    t_ok "a cgroup" kvis proc --json=cg.json --cgroup=/kvis -o rows -- sh move /sys/fs/cgroup/unified
    rmdir /sys/fs/cgroup/unified/kvis
    t_json "a cgroup: its path" cg.json "[(e['cgroup'], e['argv'][-1]) for e in by('command')] == [('/kvis', 'in')]"
    t_fails 2 "not version 2" kvis proc --cgroup=/sys/fs/cgroup/pids -d 1
    t_has "not version 2: why" err 'cgroup.*not a v2 cgroup'
    umount /sys/fs/cgroup/unified
    t_fails 2 "no version 2" kvis proc --cgroup=kvis -d 1
    t_has "no version 2: why" err 'cgroup v2 is not mounted'
    umount /sys/fs/cgroup
else
    t_skip cgroups "this kernel has none"
fi

# What dies with a core, and the helper that the kernel starts for it.
echo "|/bin/busybox true helper %p" >/proc/sys/kernel/core_pattern
t_begin core.txt kvis proc --json=core.json -o core.txt
sh -c 'ulimit -c unlimited; kill -SEGV $$' 2>/dev/null || :
until_true 5 grep -q '"helper"' core.json || :
t_stop
t_is "it ends" 0 $st
echo core >/proc/sys/kernel/core_pattern
t_json "a core" core.json "[(e['signal'], e['core']) for e in by('command') if e['argv'][-1].endswith('SEGV \$\$')] == [('SIGSEGV', True)]"
t_json "the kernel's helper" core.json "[e['argv'][:3] for e in by('command') if e['argv'][2:3] == ['helper']] == [['/bin/busybox', 'true', 'helper']]"

# Without BTF.
if mount -t tmpfs none /sys/kernel/btf 2>/dev/null; then
    echo 'busybox sleep 0.1 "" "two  words"; cd /; exec busybox sleep 0.1' >short
    t_ok "no BTF" kvis proc -x --json=nobtf.json -o rows --gantt=g -f text -- sh short
    t_has "no BTF: what is missing" err '^kvis: arguments .* exit codes, times and sizes are unknown: .*no BTF'
    t_json "no BTF: commands" nobtf.json "[e['argv'] for e in by('command')] == [['busybox', 'sleep', '0.1', '', 'two  words'], ['sh', 'short'], ['busybox', 'sleep', '0.1']] or [e['argv'] for e in by('command')]"
    t_json "no BTF: nothing made up" nobtf.json "[e['exit_code'] for e in by('command')] == [None, None, 0] and all('cpu_ns' not in e and 'max_rss_bytes' not in e for e in by('command')) and 'failed' not in S and S['forks'] == 1"
    printf '(busybox sleep 0.5; busybox sleep 0.5; :)\nbusybox sleep 0.5\n' >job
    unshare -p -m -f --mount-proc sh run
    mv json nobtf_ns.json
    t_has "no BTF, namespace: why by ptrace" err '^kvis: tracing the command with ptrace, .*: in a pid namespace, BPF sees no forks'
    t_json "no BTF, namespace: commands" nobtf_ns.json "len([e for e in by('command') if e['argv'] == ['busybox', 'sleep', '0.5']]) == 3 and all(e['pid'] < 30 for e in by('command'))"
    t_json "no BTF, namespace: all is known" nobtf_ns.json "S['forks'] >= 3 and S['lost'] == 0 and len(S['critical_path']) > 3 and all(e['exit_code'] == 0 and 'lifetime_ns' in e for e in by('command'))"
    umount /sys/kernel/btf
fi
