#!/bin/sh
# What is hidden from kvis is not said to be missing in the kernel: a reason names the path, the error, and that /sys
# is perhaps not mounted; only where it is mounted does it name the option of the kernel that the file takes.
# timeout: 60
# tier: quick
# needs: root unshare /sys/kernel/btf/vmlinux
. "$TESTS/lib/lib.sh"
hidden() { # hidden DIRECTORY ARG...: kvis, where that directory is empty
    dir=$1; shift
    say "\$ ($dir hidden) kvis $*"
    unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$dir" "$KVIS" "$@" >out 2>err 9>&-
    st=$?
}
unshare -m sh -c 'mount -t tmpfs none /sys' 2>err || skip "no mounts: $(cat err)"
unseen='/sys/kernel/btf/vmlinux cannot be opened: ENOENT'
for where in '/sys;; is /sys mounted[?]' '/sys/kernel;; it takes CONFIG_DEBUG_INFO_BTF'; do
    dir=${where%%;*} why=$unseen${where#*;}
    hidden "$dir" trace -- true
    status 0; has err "by ptrace alone: .*$why"
    hidden "$dir" trace --backend=hybrid -- true
    status 125; has err "$why"
    hidden "$dir" open -F -- true
    status 0; has err "after the fact: .*$why"
    hidden "$dir" proc -- true
    status 0; has err "are not known.*$why"
    hidden "$dir" monitor -n 1 -i 0.1 -c block
    has out "$why"
    hidden "$dir" check -v trace
    has out "^btf  *no .*$why"
    hasnt out 'fix: .*(no usable|cannot be opened)' # what the verifier or the file said is no fix
    has out '^call_programs  *no .*no usable'
    hidden "$dir" check
    has out '^trace  *ptrace: every traced call stops'
    has out '^open  *works, without the kernel.s types [(]BTF[)]$'
    case $dir in /sys) fix='mount -t sysfs sysfs /sys' ;; *) fix='use a kernel with CONFIG_DEBUG_INFO_BTF' ;; esac
    eq "the fix stands once" 1 "$(grep -c "^ *fix: $fix\$" out)"
done
hidden /sys check -v trace
has out 'fix: mount -t sysfs'
hidden /sys monitor -n 1 -i 0.1 -c cpufreq,hugepages,mbm,vhost,virtio
hasnt out 'wants a kernel|no Intel RDT|no driver of vhost|no virtio device'
[ "$(grep -c 'ENOENT; is /sys mounted?' out)" -ge 5 ] || fail "of five sources"
hidden /proc/pressure monitor -n 1 -i 0.1 -c psi
has out '/proc/pressure/[a-z]*: ENOENT [(]wants a kernel with CONFIG_PSI'
