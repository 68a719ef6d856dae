#!/bin/sh
# If ptrace is denied, kvis reports whether a capability, a user namespace, a seccomp filter or another tracer is the
# reason, and the capability that it names is sufficient.
# tier: gate
# timeout: 60
# needs: root setpriv unshare strace prog:refuse
. "$TESTS/lib/lib.sh"
cp "$KVIS" kvis && chmod 755 kvis . || exit 1
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
unshare -r true 2>err || skip "no user namespaces: $(cat err)"
sleep 600 9>&- &
roots=$!
$nobody sleep 600 9>&- &
others=$!
trap 'kill $roots $others 2>/dev/null' EXIT
until_true 10 eval '[ "$(cat /proc/$others/comm)" = sleep ]'
refused() { # refused REGEX CMD...: it ends with one line of why
    regex=$1; shift
    say "\$ $*"
    "$@" >out 2>err 9>&-; st=$?
    eq "lines" 1 "$(grep -c '^kvis: ' err)"
    has err "^kvis: .*$regex"
}
attach="trace -d 2 -p"
refused "pid $roots: the process belongs to another user; fix: run kvis as root, or with CAP_SYS_PTRACE\$" $nobody ./kvis $attach $roots
status 1
refused "pid $others: the process belongs to another user; fix: run kvis with CAP_SYS_PTRACE .in a container: --privileged.\$" \
    setpriv --bounding-set=-sys_ptrace --inh-caps=-all ./kvis $attach $others
refused "pid $roots: the process is outside the user namespace of kvis; fix: run kvis outside" unshare -r ./kvis $attach $roots
refused "pid $roots: a seccomp filter forbids ptrace.2.; fix: allow ptrace in the container" "$BIN/refuse" ptrace ./kvis trace --backend=ptrace -d 2 -p $roots
hasnt err 'root'
refused 'cannot trace the command: a seccomp filter forbids ptrace.2.; fix: ' "$BIN/refuse" ptrace ./kvis trace -- touch ran
status 125
refused 'cannot trace the command: pid [0-9]* already traces the command$' strace -f -o log ./kvis trace --backend=ptrace -- touch ran
status 125
[ ! -e ran ] || fail "the command ran"
say "with the capability"
$nobody --inh-caps=+sys_ptrace --ambient-caps=+sys_ptrace ./kvis trace -q -d 1 --json -p $roots >json 2>err 9>&- ||
    fail "CAP_SYS_PTRACE is not enough"
want "H['pids'] == [$roots]"
