# proc_env: kvis proc with cgroups of both versions, a helper that the kernel itself starts, and in a pid namespace
# without BTF. (proc has a pid namespace with BTF, cases/proc_places.sh the others.)
# kernels: x86-5.10 x86-sid arm64
# (As open_env: proc and verify run on all.)
# timeout: 90
. /tests/lib.sh

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

# A process that dumps core, and the helper that the kernel starts for the core.
echo "|/bin/busybox true helper %p" >/proc/sys/kernel/core_pattern
t_begin core.txt kvis proc --json=core.json -o core.txt
sh -c 'ulimit -c unlimited; kill -SEGV $$' 2>/dev/null || :
until_true 5 grep -q '"helper"' core.json || :
t_stop
t_is "it ends" 0 $st
echo core >/proc/sys/kernel/core_pattern
t_json "a core" core.json "[(e['signal'], e['core']) for e in by('command') if e['argv'][-1].endswith('SEGV \$\$')] == [('SIGSEGV', True)]"
t_json "the kernel's helper" core.json "[e['argv'][:3] for e in by('command') if e['argv'][2:3] == ['helper']] == [['/bin/busybox', 'true', 'helper']]"

if mount -t tmpfs none /sys/kernel/btf 2>/dev/null; then
    printf '(busybox sleep 0.5; busybox sleep 0.5; :)\nbusybox sleep 0.5\n' >job
    unshare -p -m -f --mount-proc kvis proc --forks --json=json -o rows -- sh job 2>err
    t_has "no BTF, namespace: why by ptrace" err '^kvis: tracing the command with ptrace, .*: kvis is in a child PID namespace, where BPF sees no forks'
    t_json "no BTF, namespace: commands" json "len([e for e in by('command') if e['argv'] == ['busybox', 'sleep', '0.5']]) == 3 and all(e['pid'] < 30 for e in by('command'))"
    t_json "no BTF, namespace: all is known" json "S['forks'] >= 3 and S['lost'] == 0 and len(S['critical_path']) > 3 and all(e['exit_code'] == 0 and 'lifetime_ns' in e for e in by('command'))"
    umount /sys/kernel/btf
fi
