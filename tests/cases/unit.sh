#!/bin/sh
# Functions of kvis.c handle forged kernel errors, and valid and damaged BTF files and event formats.
# tracefs is read without a mount, and its formats agree with the kernel's BTF. lib/unit.c includes kvis.c; lib/hostile.py knows the
# right answer for each file.
# tier: gate full
# timeout: 240
# needs: no-kvis gcc python3
. "$TESTS/lib/lib.sh"
tested() { # tested OPTION...: ./unit, built with these options, finds no error
    gcc -std=gnu11 -O0 "$@" -pthread -o unit "$TESTS/lib/unit.c" >err 2>&1 ||
        fail "unit.c does not compile"
    [ ! -s err ] || fail "warnings"
    ./unit >out 2>&1 || fail "unit"
    python3 "$TESTS/lib/hostile.py" ./unit >out 2>&1 || fail "BTF and formats"
}
[ ! "${FULL-}" ] || tested -Wall -Wextra -Wno-unused-function -g -fsanitize=address,undefined -fno-sanitize-recover
tested -w # gcc warns about kvis.c where kvis is built, and takes half as long again for that

gcc -std=gnu11 -w -fsyntax-only "$TESTS/vm/verify.c" >err 2>&1 || fail "vm/verify.c does not compile"

[ "$(id -u)" = 0 ] && [ -r /sys/kernel/btf/vmlinux ] || { say "not with this kernel's BTF"; exit 0; }
# tracefs: reached, and nothing is mounted by it, neither while it runs nor after.
cat /proc/self/mountinfo >mounts
./unit -m >out
cat /proc/self/mountinfo >after
cmp mounts after || fail "mounts"
has out '^[0-9]+ [0-9]+ $'
# Without fsopen(2) (ENOSYS, EPERM), kvis uses a mounted tracefs, but no other file system there.
mounted='umount /sys/kernel/tracing 2>/dev/null; mount -t tmpfs none /sys/kernel/debug'
for e in 38 1; do
    for where in none /sys/kernel/tracing /sys/kernel/debug/tracing; do
        unshare -m sh -c "$mounted; mount -t tmpfs none /sys/kernel/tracing
            mkdir -p $where; mount -t tracefs none $where; ./unit -m $e" >out 2>&9 || fail "no mount namespaces"
        case $where in
        none) has out "^-$e -$e no tracefs: fsopen: .*not mounted on /sys/kernel/tracing or /sys/kernel/debug/tracing" ;;
        *) has out '^[0-9]+ [0-9]+ $' ;;
        esac
    done
done
cat /proc/self/mountinfo >after
cmp mounts after || fail "mounts"
printf 'x.id\nx.args\nx.args[5]\nx.nr\nx.common_pid\n' | ./unit -f raw_syscalls/sys_enter >out
printf 'x.id 8 8 1 1 0\nx.args 16 48 6 0 0\nx.args[5] 56 8 1 0 0\nx.nr ENOENT\nx.common_pid 4 4 1 1 0\n' | cmp - out ||
    fail "sys_enter"
echo x.id | ./unit -f raw_syscalls/no_such >out
has out '^! -2 this kernel has no tracepoint raw_syscalls/no_such$'
for e in sched_switch sched_process_exec sched_process_fork; do # BTF has these records too
    printf "trace_event_raw_$e.%s\n" prev_pid prev_prio prev_state next_pid next_prio old_pid pid parent_pid child_pid >fields
    ./unit -f sched/$e <fields | sort >from_format
    ./unit /sys/kernel/btf - <fields | sort | join from_format - |
        awk 'NF == 11 { print ($2 == $7 && $3 == $8 ? "same" : "other"), $0 }' >>both
done
hasnt both '^other'
[ "$(wc -l <both)" -ge 6 ] || fail "BTF and formats share only: $(cat both)"
if [ -e /usr/bin/setpriv ]; then
    cp unit /tmp/unit.$$ && chmod 755 /tmp/unit.$$
    setpriv --reuid 65534 --clear-groups /tmp/unit.$$ -m >out
    rm -f /tmp/unit.$$
    grep -Eq '^-[0-9]+ -[0-9]+ no tracefs: fsopen: .*CAP_SYS_ADMIN' out || has out '^-?[0-9]+ -13 '
fi
