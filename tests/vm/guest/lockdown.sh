# lockdown: a kernel that keeps its secrets even from root.
# kernels: all
# cmdline: lockdown=confidentiality
. /tests/lib.sh

mount -t securityfs security /sys/kernel/security
t_has "the kernel is locked down" /sys/kernel/security/lockdown '\[confidentiality\]'
umount /sys/kernel/security
t_ok "trace: by ptrace" kvis trace --json=json --backend=ptrace -- sh -c 'cat /proc/self/stat | wc -l'
t_json "the same as ever" json "S['processes'] == 3 and S['lost'] == 0"
