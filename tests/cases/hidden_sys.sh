#!/bin/sh
# If /sys is not mounted, kvis says so and does not claim that the kernel lacks a hidden file: the reason has the path,
# the error, and that /sys is not mounted. Only if /sys is mounted does the reason name the kernel option that the file
# needs.
# timeout: 300
# tier: gate
# needs: root unshare /sys/kernel/btf/vmlinux prog:refuse
. "$TESTS/lib/lib.sh"
hidden() { # hidden DIRECTORY ARG...: kvis, where that directory is empty
    dir=$1; shift
    say "\$ ($dir hidden) $under kvis $*"
    unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$dir" $under "$KVIS" "$@" >out 2>err 9>&-
    st=$?
}
under=
unshare -m sh -c 'mount -t tmpfs none /sys' 2>err || skip "no mounts: $(cat err)"
unseen='/sys/kernel/btf/vmlinux cannot be opened: ENOENT'

# A directory that holds nothing but kvis, without /proc and /sys.
mkdir root
cp "$KVIS" root/kvis
unshare -m chroot root /kvis monitor -n 1 -i 0.1 >out 2>err 9>&- </dev/null
has out '^n/a +/proc is not mounted: stat load .*meminfo'
has out '^n/a +/sys is not mounted: .*hugepages'
hasnt out '^(stat|load|meminfo|cpufreq|zones) '

# /sys is hidden; or a mount below it hides a part.
for where in '/sys|: /sys is not mounted|mount -t sysfs sysfs /sys' '/sys/kernel||use a kernel with CONFIG_DEBUG_INFO_BTF'; do
    IFS='|' read -r dir why fix <<END
$where
END
    detail="$unseen$why" why="$unseen$why; fix: $fix"
    hidden "$dir" trace -- true
    status 0; has err "using ptrace only: .*$why"
    hidden "$dir" trace --backend=hybrid -- touch ran
    status 125; has err "^kvis: --backend=hybrid: .*$why"
    [ ! -e ran ] || fail "it ran"
    hidden "$dir" check
    has out '^trace  *ptrace: every traced system call stops'
    has out '^open  *works, without BTF$'
    eq "the fix stands once" 1 "$(grep -c "^ *fix: $fix\$" out)"
    hidden "$dir" open -F -- true
    status 0; has err "after the open: .*$why"
    hidden "$dir" proc -- true
    status 0; has err "are unknown.*$why"
    hidden "$dir" monitor -n 1 -i 0.1 -c block
    has out "$why"
    hidden "$dir" check -v trace
    has out "^btf  *no .*$detail"
    has out "fix: $fix"
    hasnt out 'fix: .*(no usable|cannot be opened)' # an error text is not a fix
    has out '^call_programs  *no .*no usable'
done

# If there are several reasons, trace prints the one for which it uses ptrace.
under="$BIN/refuse process_vm_readv"
hidden /sys/kernel check trace
has out '^trace  *ptrace: every traced system call stops'
has out 'fix: remove the seccomp filter that kvis runs under'
under=
hidden /sys monitor -n 1 -i 0.1 -c cpufreq,hugepages,mbm,vhost,virtio
hasnt out 'needs a kernel|no Intel RDT|no vhost driver|no virtio device'
has out '^n/a +/sys is not mounted: cpufreq hugepages virtio vhost mbm$' # once for all
eq "and why nothing is shown" "kvis: there is nothing to show: /sys is not mounted" "$(cat err)"
hidden /sys monitor -n 2 -i 0.1
eq "the line stands once" 1 "$(grep -c '^n/a  */sys is not mounted' out)"
hidden /proc/pressure monitor -n 1 -i 0.1 -c psi
has out '/proc/pressure/[a-z]*: ENOENT [(]needs a kernel with CONFIG_PSI'
