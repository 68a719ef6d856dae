#!/bin/sh
# Every command runs in a root directory that contains nothing but kvis, or says why it cannot and how to fix it.
# The commands run as root, as a container's root without capabilities and as nobody, with and without /proc and /sys.
# Without /proc, kvis does not report a resource as healthy that it cannot see.
# (The guests of tests/vm have an initramfs of busybox and kvis.)
# tier: gate
# timeout: 90
# needs: root unshare chroot setpriv gcc
. "$TESTS/lib/lib.sh"
[ "${1-}" = mounted ] || rm -rf root
mkdir -p root/proc root/sys root/tmp root/dev
cp "$KVIS" root/kvis && chmod -R go+rX root && chmod 1777 root/tmp || fail "the root"
"$KVIS" trace -v -q -w root/run.kvis -- "$KVIS" --version >out 2>err 9>&- || fail "trace -w"
chmod 644 root/run.kvis
cat >rows <<'END'
root|0|--version|out|^kvis [0-9]
root|0|help|out|^Usage: kvis COMMAND
root|0|help trace|out|--attach=PID
root|0|help --man|out|^.TH KVIS
root|0|completion bash|out|^complete -F
root|0|trace -- /kvis --version|err|time in calls
root|0|trace --backend=ptrace -v -- /kvis --version|err|execve\("/kvis"
root|0|trace -q --json=/tmp/j --report=/tmp/r.html --perfetto=/tmp/p -w /tmp/w -- /kvis --version|err|time in calls
root|127|trace -- ls|err|cannot run ls: not found
root|0|replay -v /run.kvis|err|execve
root|0|replay --report=/tmp/s.html -q /run.kvis|err|time in calls
root|0|diff /run.kvis /run.kvis|out|run.kvis
root|0 1|check -v|out|^ptrace +yes
root|0|open -F -- /kvis --version|out|/kvis$
root|0|proc -- /kvis --version|out|/kvis --version
root|0 125|monitor -n 1 -i 0.1|both|.
root|0|monitor -n 1 -i 0.1 --json --prometheus=/tmp/m.prom|out|"type":"header"
bare|0|trace -v -- /kvis --version|err|execve
bare|0|trace -- /kvis --version|err|time in calls
nobody|0|--version|out|^kvis [0-9]
nobody|0|help --man|out|^.TH KVIS
nobody|0|trace -- /kvis --version|err|time in calls
nobody|0|trace -c -- /kvis --version|err|execve
nobody|0|trace -q --report=/tmp/n.html -w /tmp/n.kvis -- /kvis --version|err|time in calls
nobody|0|replay -v /run.kvis|err|execve
nobody|0|diff /run.kvis /run.kvis|out|run.kvis
nobody|1|check|out|fix: run kvis as root
nobody|125|open -d 1|err|cannot watch opens: .*run kvis as root
nobody|125|proc -d 1|err|cannot watch processes: .*run kvis as root
nobody|0 125|monitor -n 1 -i 0.1|both|.
END
# Only without /proc and /sys: kvis knows neither which process opened a file nor the number of CPUs.
cat >rows.empty <<'END'
root|0|trace --json=/traced -- /true|err|time in calls
root|0|trace --faults -- /true|err|time in calls
root|0|trace --no-accel -- /true|err|time in calls
root|0|open --backend=ptrace -U --json=/opened -- /true|out|^n/a +[0-9]+ +true +3 +0 made$
root|125|open --backend=ptrace -u 0 -- /true|err|^kvis: -u: the ptrace backend reads which user each process runs as from /proc, which is not mounted; fix: mount 
root|125|proc --backend=ptrace -- /true|err|^kvis: kvis proc with the ptrace backend reads arguments and times from /proc, which is not mounted; fix: mount 
root|0|diagnose -d 0.2|out|^kvis diagnose: [0-9.]+ s of .* \(Linux [^ ,]*\)$
root|0|diagnose -d 0.2|out|^No metric can be read here
END
try() { # try WHERE FILE...: all the rows of these files, with the root as it is
    where=$1; shift
    cat "$@" >all
    while IFS='|' read -r who codes args file regex; do
        case $who in
        root) as="chroot root" ;;
        bare) as="setpriv --bounding-set=-all,+sys_chroot chroot root" ;;
        nobody) as="chroot --userspec=65534:65534 --groups= root" ;;
        esac
        say "$where, $who: kvis $args"
        $as /kvis $args >out 2>err 9>&- </dev/null
        st=$?
        cat out err >both
        case " $codes " in *" $st "*) ;; *) fail "$args: want $codes, got $st" ;; esac
        has $file "$regex"
        hasnt both 'Segmentation|runtime error|Assertion|Nothing is saturated'
        # if kvis itself fails, it prints the reason
        [ $st != 125 ] || has err '^kvis: .*: '
        rm -f root/tmp/*
    done <all
}
if [ "${1-}" = mounted ]; then # in a mount namespace of our own, which ends with us
    mount -t proc proc root/proc && mount --rbind /sys root/sys || fail "mount"
    try "with /proc and /sys" rows
    exit 0
fi
cc -static -o root/true -x c - <<'C' || fail "no static libc"
#include <fcntl.h>
#include <unistd.h>
int main(void) { int fd = open("made", O_CREAT | O_WRONLY, 0600); return write(fd, "12345", 5) != 5; }
C
try "an empty root" rows rows.empty
want "by('open', path='/made') and sum(e['bytes'] for e in by('write', filename='/made')) == 5" root/traced
want "[(e['name'], e.get('uid')) for e in by('open', call='execve') + by('open', name='made')] == [('/true', None), ('made', None)]" root/opened
unshare -m sh "$0" mounted || fail "with /proc and /sys"
