# open_lockdown: under lockdown=confidentiality programs may not read the kernel's memory, nor a user's.
# kernels: all
# cmdline: lockdown=confidentiality
. /tests/lib.sh
mount -t securityfs none /sys/kernel/security 2>/dev/null
grep -q '\[confidentiality\]' /sys/kernel/security/lockdown 2>/dev/null || { t_skip lockdown "this kernel has none"; exit 0; }
t_fails 125 "kvis open" kvis open
t_has "says why" err '^kvis: cannot watch opens: .*lock'
t_is "in one line" 1 "$(wc -l <err)"
umount /sys/kernel/security
t_fails 125 "where securityfs is not mounted" kvis open
t_has "says why" err '^kvis: cannot watch opens: .*lock'
t_fails 125 "a command does not run" kvis open --backend=bpf -- touch ran
t_ok "really" test ! -e ran
t_ok "a command is followed by ptrace" kvis open -o rows -- cat /proc/version
t_has "and why" err '^kvis: following the command by ptrace, .*lock'
t_has "its open" rows ' /proc/version$'
t_fails 1 "check says so" kvis check -v open
t_has "which, and what mends it" out '^lockdown +NO .*\[confidentiality\]'
t_has "that" out 'fix: boot with lockdown=integrity'
