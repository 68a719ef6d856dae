# lockdown: under lockdown=confidentiality, BPF programs may read neither kernel nor user memory: trace and open follow a
# command with ptrace and print the reason.
# kernels: all
# cmdline: lockdown=confidentiality
. /tests/lib.sh

mount -t securityfs security /sys/kernel/security
t_has "the kernel is locked down" /sys/kernel/security/lockdown '\[confidentiality\]' || exit 0
t_fails 125 "kvis open" kvis open
t_has "says why" err '^kvis: cannot watch opens: .*lock'
t_is "in one line" 1 "$(wc -l <err)"
umount /sys/kernel/security
t_fails 125 "where securityfs is not mounted" kvis open
t_has "says why" err '^kvis: cannot watch opens: .*lock'
t_fails 125 "a command does not run" kvis open --backend=bpf -- touch ran
t_ok "really" test ! -e ran
t_ok "a command is followed by ptrace" kvis open -o rows -- cat /proc/version
t_has "and why" err '^kvis: tracing the command with ptrace, .*lock'
t_has "its open" rows ' /proc/version$'
t_fails 1 "check says so" kvis check -v open
t_has "why" out '^open_programs +NO .*locked down'
t_has "that" out 'fix: boot with lockdown=integrity'
t_ok "trace" kvis trace --json=json -- sh -c 'cat /proc/self/stat | wc -l'
t_json "by ptrace" json "H['backend'] == 'ptrace' and S['processes'] == 3 and S['lost'] == 0"
t_json "what they open and read" json "{'/proc/self/stat'} <= {e['path'] for e in by('open')} and sum(e['bytes'] for e in by('read')) > 0"
t_is "one line says why" 1 "$(grep -c '^kvis: using ptrace only: .*lock' err)" || t_show err
t_fails 125 "--backend=hybrid" kvis trace --backend=hybrid -- touch ran
t_has "why" err '^kvis: --backend=hybrid: .*lock'
t_ok "nothing ran" test ! -e ran
