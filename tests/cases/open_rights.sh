#!/bin/sh
# Without the required privileges, kvis open prints what is missing and the fix; in a pid namespace it shows only that namespace.
# tier: gate asan
# timeout: 60
# needs: root python3 setpriv unshare
. "$TESTS/lib/open.sh"
for_nobody

denied() { # denied WHY CMD...
    why=$1; shift
    say "\$ $*"
    "$@" >out 2>err 9>&-
    st=$?
    status 125
    eq "messages" 1 "$(wc -l <err)"
    has err "^kvis: cannot watch opens: .*$why"
    [ ! -s out ] || fail "something on stdout"
}
denied 'fix: run kvis as root, or with CAP_BPF and CAP_PERFMON' $user ./kvis-copy open
denied 'CAP_BPF' $user ./kvis-copy open --backend=bpf -- touch ran
[ ! -e ran ] || fail "the command ran"
denied 'user namespace' unshare -r ./kvis-copy open
denied 'user namespace' unshare -r -p -f --mount-proc ./kvis-copy open
if setpriv --bounding-set=-bpf true 2>/dev/null; then
    denied 'CAP_BPF' setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin ./kvis-copy open
    denied 'CAP_PERFMON' setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin ./kvis-copy open
fi

# pid namespaces. The loop outside must not be shown; no other process has its name
cp "$(command -v cat)" catkvis
sh -c 'while :; do ./catkvis /etc/hostname >/dev/null; sleep 0.05; done' 9>&- &
outside=$!
# The last line: a pid that is at least as large as all that kvis saw.
inner='./catkvis /etc/passwd >/dev/null & rm -f json; "$0" open -n catkvis -o rows --json=json & kvis=$!
    until grep -q "/job\"" json && grep -q "/etc/group\"" json; do ./catkvis job /etc/group >/dev/null; sleep 0.05; done 2>/dev/null
    kill -INT $kvis; wait; sh -c "echo \$\$" >last'
echo >job
in_ns() { unshare -p -m --fork --mount-proc "$@" 9>&-; }
in_ns sh -c "$inner" "$KVIS" 2>err
want "by('open', name='/etc/group') and not by('open', name='/etc/hostname')"
want "all(e['pid'] <= $(cat last) for e in by('open')) and by('open', path='$PWD/job')"
in_ns sh -c 'unshare -p -m --fork --mount-proc sh -c "$1" "$0"' "$KVIS" "$inner" 2>err
want "by('open', name='/etc/group') and not by('open', name='/etc/hostname') and all(e['pid'] <= $(cat last) for e in by('open'))"
in_ns sh -c '"$0" open -o rows --json=json -- sh -c "./catkvis job; echo \$\$ >pid"' "$KVIS" 2>err || fail "a command in a namespace"
want "by('open', path='$PWD/job')[0]['pid'] < 100 and {e['pid'] for e in by('open', comm='sh')} == {$(cat pid)}"
in_ns sh -c 'rm -f json; "$0" open -p 1 -o rows --json=json & kvis=$!
    until grep -q "job\"" json; do : <job; sleep 0.05; done 2>/dev/null; kill -INT $kvis; wait' "$KVIS" 2>err
want "by('open', name='job') and {e['pid'] for e in by('open')} == {1}"
# from outside, the pids of outside
gives 0 open -o rows --json=json -- unshare -p -m --fork --mount-proc ./catkvis job
want "by('open', path='$PWD/job')[0]['pid'] > 100 or int(open('/proc/sys/kernel/pid_max').read()) < 1000"
kill $outside; wait $outside 2>/dev/null
true
