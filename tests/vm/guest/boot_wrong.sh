# boot_wrong: kvis as process 1 with an unknown option prints a message, and executes the init that follows.
# kernels: x86-6.12
# timeout: 10
# cmdline: rdinit=/bin/kvis -- proc -o /boot.txt --nosuch /init and more
. /tests/lib.sh

t_is "process 1" "/bin/busybox sh /init and more" "$(tr '\0' ' ' </proc/1/cmdline | sed 's/ $//')"
t_is "its ignored signals" 0000000000000004 "$(sed -n 's/^SigIgn:\t//p' /proc/1/status)" # SIGQUIT: ash ignores it
t_is "its blocked signals" 0000000000000000 "$(sed -n 's/^SigBlk:\t//p' /proc/1/status)"
t_is "no kvis is left" "" "$(pidof kvis)"
