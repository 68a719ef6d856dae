# open_env: kvis open in various environments: no BTF, namespaces, limits. None of them has tracefs mounted.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: open and verify run on all, and missing features behave in the same way on all.)
# timeout: 180
. /tests/lib.sh

# job OPTION...: kvis open with a job whose opens are known, some of them relative.
printf 'cd /tmp; echo x >made; cat made /nothere; cat made >/dev/null\n' >job
job() {
    rm -f /tmp/made
    kvis check open >check.out 2>&1
    t_run kvis open -o rows --json=json "$@" -- sh job
}
sees() { # sees WHAT [EXPRESSION]: checks the rows of the last job
    t_is "$1: status" 0 "$st" || t_show err
    t_has "$1: kvis check" check.out '^open +full$'
    cp json "json.$t_n"
    t_json "$1: made, read, missed" "json.$t_n" "S['lost'] == 0 and [e['access'] for e in by('open', path='/tmp/made')] == ['write', 'read', 'read'] and by('open', path='/nothere', error='ENOENT') ${2-}"
}

job
sees "as it is" "and len(by('open', call='execve')) in (1, 2, 3)"
echo 3 >/proc/sys/kernel/perf_event_paranoid
echo 2 >/proc/sys/kernel/kptr_restrict
job
sees "perf_event_paranoid 3, kptr_restrict 2"

(ulimit -l 0 && job && sees "RLIMIT_MEMLOCK 0" && echo $t_n >n)
t_n=$(cat n)
# Without BTF.
if [ -e /sys/kernel/btf/vmlinux ]; then
    mount -t tmpfs none /sys/kernel/btf
    echo "sleep 1" >>job # kvis looks up the shell's directory in /proc before the shell ends
    job
    cp json nobtf.json
    t_json "no BTF" nobtf.json "[e['access'] for e in by('open', name='made')] == ['write', 'read', 'read'] and by('open', path='/nothere', error='ENOENT') and by('open', call='execve')"
    t_json "no BTF: the shell's path" nobtf.json "[e['path'] for e in by('open', comm='sh', name='made')] == ['/tmp/made']"
    job -F
    t_has "no BTF: -F by /proc" err '^kvis: .*no BTF'
    t_has "no BTF: -F" rows ' /tmp/made$'
    mkdir nobtf
    (cd nobtf && t_run kvis open -o rows --json=json -- "$BIN/opens" threads && mv out facts)
    t_host nopaths "no BTF: threads" nobtf/json nobtf/facts
    (unshare -p -m -f --mount-proc sh -c 'kvis open -o rows -- sh job' >ns.out 2>&1)
    t_has "no BTF, pid namespace" rows '^[2-9] +sh +3 +0 made$'
    umount /sys/kernel/btf
fi

# A pid namespace below that of kvis. (cases/open_rights.sh has other pid namespaces.)
unshare -p -m -f --mount-proc sh -c 'unshare -p -f sh -c "sleep 3; cat job /nothere" & kvis open -o /dev/null --json=ns.json -d 6' >/dev/null 2>ns.err
t_json "one that is below ours" ns.json "len(by('open', name='/nothere')) == 1 and all(e['pid'] < 1000 for e in by('open'))"
t_show ns.err
t_is "nothing mounted" 0 "$(grep -c tracefs /proc/mounts)"
