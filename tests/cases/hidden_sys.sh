#!/bin/sh
# If /sys is not mounted, kvis finds sysfs in another way; if that is denied, it reports that /sys is not mounted. kvis does
# not claim that a hidden file is missing in the kernel: a reason has the path, the error, and that /sys is not mounted. Only
# if /sys is mounted does the reason name the kernel option that the file needs.
# timeout: 300
# tier: gate
# needs: root unshare /sys/kernel/btf/vmlinux prog:refuse
. "$TESTS/lib/lib.sh"
hidden() { # hidden DIRECTORY ARG...: kvis, where that directory is empty
    dir=$1; shift
    say "\$ ($dir hidden) $under kvis $*"
    # shellcheck disable=SC2086 # words
    unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$dir" $under "$KVIS" "$@" >out 2>err 9>&-
    st=$?
}
under=
unshare -m sh -c 'mount -t tmpfs none /sys' 2>err || skip "no mounts: $(cat err)"
unseen='/sys/kernel/btf/vmlinux cannot be opened: ENOENT'

names() { sed 's/=[^ ]*/=/g; s/[0-9][0-9.]*/0/g' "$1" | tr -s ' '; } # without the numbers, which differ by run
# An empty /sys: all is as with one, and no mount is left. The sources are those that read sysfs.
sources=cpufreq,hugepages,mbm,vhost,virtio,pmc
run check
mv out want
hidden /sys check
diff want out >&9 || fail "check without /sys"
run monitor -n 1 -i 0.1 -c $sources
names out >want
hidden /sys monitor -n 1 -i 0.1 -c $sources
names out >got
diff want got >&9 || fail "monitor without /sys"
run trace -q --json=json -- true
backend=$(js 'H["backend"]')
hidden /sys trace -q --json=json -- true
eq "backend" "$backend" "$(js 'H["backend"]')"

# The same in a directory that holds nothing but kvis, without /proc.
mkdir root
cp "$KVIS" root/kvis
run check
mv out want
unshare -m chroot root /kvis check >out 2>err 9>&- </dev/null
diff want out >&9 || fail "check in a bare directory"
unshare -m chroot root /kvis trace -q --json=/json -- /kvis --version >out 2>err 9>&- </dev/null
eq "backend in a bare directory" "$backend" "$(js 'H["backend"]' root/json)"
unshare -m chroot root /kvis monitor -n 1 -i 0.1 >out 2>err 9>&- </dev/null
has out '^n/a +/proc is not mounted: stat load .*meminfo'
has out '^runq  '
hasnt out '^(stat|load|meminfo|cpufreq|zones) '

# fsopen is refused, as by a container's profile: then it is said. Or what hides sysfs is mounted below it.
for where in "/sys|: /sys is not mounted|mount -t sysfs sysfs /sys|$BIN/refuse fsopen" '/sys/kernel||use a kernel with CONFIG_DEBUG_INFO_BTF|'; do
    IFS='|' read -r dir why fix under <<END
$where
END
    detail="$unseen$why" why="$unseen$why; fix: $fix"
    if [ -z "$under" ]; then # without fsopen there is no tracefs either
        hidden "$dir" trace -- true
        status 0; has err "using ptrace only: .*$why"
        hidden "$dir" trace --backend=hybrid -- true
        status 125; has err "$why"
        hidden "$dir" check
        has out '^trace  *ptrace: every traced call stops'
        has out '^open  *works, without the kernel.s types [(]BTF[)]$'
        eq "the fix stands once" 1 "$(grep -c "^ *fix: use a kernel with CONFIG_DEBUG_INFO_BTF\$" out)"
        hidden "$dir" open -F -- true
        status 0; has err "after each open: .*$why"
        hidden "$dir" proc -- true
        status 0; has err "are unknown.*$why"
    fi
    hidden "$dir" monitor -n 1 -i 0.1 -c block
    has out "$why"
    hidden "$dir" check -v trace
    has out "^btf  *no .*$detail"
    has out "fix: $fix"
    hasnt out 'fix: .*(no usable|cannot be opened)' # what the verifier or the file said is no fix
    [ -n "$under" ] || has out '^call_programs  *no .*no usable'
done
under="$BIN/refuse fsopen"
hidden /sys check -v trace
has out 'fix: mount -t sysfs'
hidden /sys check
hasnt out 'seccomp filter forbids' # bpf(2) is not

# Of several reasons trace names the one that it falls back for, not one that it lacks for something else.
under="$BIN/refuse process_vm_readv"
hidden /sys/kernel check trace
has out '^trace  *ptrace: every traced call stops'
has out 'fix: run kvis without a seccomp filter'
under="$BIN/refuse fsopen"
hidden /sys monitor -n 1 -i 0.1 -c cpufreq,hugepages,mbm,vhost,virtio
hasnt out 'needs a kernel|no Intel RDT|no vhost driver|no virtio device'
has out '^n/a +/sys is not mounted: cpufreq hugepages virtio vhost mbm$' # once for all
eq "and why nothing is shown" "kvis: there is nothing to show: /sys is not mounted" "$(cat err)"
hidden /sys monitor -n 2 -i 0.1
eq "the line stands once" 1 "$(grep -c '^n/a  */sys is not mounted' out)"
under=
hidden /proc/pressure monitor -n 1 -i 0.1 -c psi
has out '/proc/pressure/[a-z]*: ENOENT [(]needs a kernel with CONFIG_PSI'
