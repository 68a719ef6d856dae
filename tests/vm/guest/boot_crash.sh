# boot_crash: kvis as process 1 executes /sbin/init even if it crashes: its tracee sends it SIGSEGV.
# kernels: x86-6.12
# timeout: 10
# cmdline: rdinit=/bin/kvis -- trace -q /bin/busybox kill -SEGV 1
. /tests/lib.sh

t_is "process 1" "/bin/busybox sh /sbin/init" "$(tr '\0' ' ' </proc/1/cmdline | sed 's/ $//')"
t_is "its ignored signals" 0000000000000004 "$(sed -n 's/^SigIgn:\t//p' /proc/1/status)" # SIGQUIT: ash ignores it
