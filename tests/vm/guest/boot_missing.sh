# boot_missing: kvis as process 1 with a command that does not exist prints a message, and executes /sbin/init.
# kernels: x86-6.12
# timeout: 10
# cmdline: rdinit=/bin/kvis -- trace /bin/nosuch
. /tests/lib.sh

t_is "process 1" "/bin/busybox sh /sbin/init" "$(tr '\0' ' ' </proc/1/cmdline | sed 's/ $//')"
