# hybrid_lockdown: under lockdown=confidentiality BPF may not read memory: trace goes by ptrace and says why.
# kernels: all
# cmdline: lockdown=confidentiality
. /tests/lib.sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
grep -q '\[confidentiality\]' /sys/kernel/security/lockdown 2>/dev/null || { t_skip lockdown "this kernel has none"; exit 0; }
umount /sys/kernel/security
t_ok "trace" kvis trace --json=json -- sh -c 'cat /proc/self/stat | wc -l'
t_json "by ptrace" json "H['backend'] == 'ptrace' and S['processes'] == 3 and S['lost'] == 0"
t_json "what they open and read" json "{'/proc/self/stat'} <= {e['path'] for e in by('open')} and sum(e['bytes'] for e in by('read')) > 0"
t_is "one line says why" 1 "$(grep -c '^kvis: by ptrace alone: .*lock' err)" || t_show err
t_fails 125 "--backend=hybrid" kvis trace --backend=hybrid -- touch ran
t_has "why" err '^kvis: --backend=hybrid: .*lock'
t_ok "nothing ran" test ! -e ran
