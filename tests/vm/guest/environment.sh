# environment: the guest contains only what vm.sh promises to the tests.
# kernels: all
. /tests/lib.sh

t_is "mounted" "/ /dev /proc /sys" "$(cut -d ' ' -f 2 /proc/mounts | sort | tr '\n' ' ' | sed 's/ $//')"
t_is "/etc" "" "$(ls /etc)"
t_is "CPUs" 2 "$(nproc)"
t_is "a user" "1000 1000 1000" "$(user id -u) $(user id -g) $(user id -G)"
t_is "BTF" 1 "$(ls /sys/kernel/btf/vmlinux | wc -l)"
