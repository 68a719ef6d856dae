# open_env: kvis open in various environments: no BTF, namespaces, limits. None of them has tracefs mounted.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: open and verify run on all, and missing features behave in the same way on all.)
# timeout: 180
. /tests/lib.sh

# job OPTION...: a job whose opens are known, relative ones among them.
printf 'cd /tmp; echo x >made; cat made /nothere; cat made >/dev/null\n' >job
job() {
    rm -f /tmp/made
    kvis check open >check.out 2>&1
    t_run kvis open -o rows --json=json "$@" -- sh job
}
sees() { # sees WHAT [EXPRESSION]: after a job
    t_is "$1: status" 0 "$st" || t_show err
    t_has "$1: kvis check" check.out '^open +full$'
    cp json "json.$t_n"
    t_json "$1: made, read, missed" "json.$t_n" "S['lost'] == 0 and [e['access'] for e in by('open', path='/tmp/made')] == ['write', 'read', 'read'] and by('open', path='/nothere', error='ENOENT') ${2-}"
}

job
sees "as it is" "and len(by('open', call='execve')) in (1, 2, 3)"
sh -c 'while :; do cat /proc/version; usleep 20000; done >/dev/null' & loop=$!
t_ok "all of the box" kvis open -d 2
t_has "somebody's opens" out 'cat +3 +0 /proc/version$'

echo 3 >/proc/sys/kernel/perf_event_paranoid
echo 2 >/proc/sys/kernel/kptr_restrict
job
sees "perf_event_paranoid 3, kptr_restrict 2"

(ulimit -l 0 && job && sees "RLIMIT_MEMLOCK 0" && echo $t_n >n)
t_n=$(cat n)
(ulimit -l 0 && kvis open -o rows -- sh -c 'ulimit -l' >limit 2>&1)
t_is "the command's own RLIMIT_MEMLOCK" 0 "$(cat limit)"

# Without BTF.
if [ -e /sys/kernel/btf/vmlinux ]; then
    mount -t tmpfs none /sys/kernel/btf
    echo "sleep 1" >>job # the shell is there when its directory is looked up in /proc
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

# Another pid namespace: its pids, and its processes only; once more inside of it.
unshare -p -m -f --mount-proc sh -c 'sh -c "while :; do cat /proc/uptime; usleep 50000; done >/dev/null" & kvis open -o rows --json=ns.json -d 5; echo $! >pid; kill $!' 2>ns.err
t_is "pid namespace: a small pid" 1 "$(($(cat pid) < 10))"
t_json "pid namespace: its own pids only" ns.json "len(by('open')) > 2 and all(e['pid'] < 1000 for e in by('open')) and by('open', name='/proc/uptime') and not by('open', name='/proc/version')"
unshare -p -m -f --mount-proc sh -c 'unshare -p -m -f --mount-proc sh -c "kvis open -o /dev/null --json=ns2.json -- sh job"' 2>>ns.err
t_json "nested" ns2.json "len(by('open', path='/tmp/made')) == 3 and all(e['pid'] < 10 for e in by('open'))"
unshare -p -m -f --mount-proc sh -c 'cat job >/dev/null; unshare -p -f sh -c "sleep 3; cat job /nothere" & kvis open -o /dev/null --json=ns3.json -d 6' >/dev/null 2>>ns.err
t_json "one that is below ours" ns3.json "len(by('open', name='/nothere')) == 1"
t_show ns.err
kill $loop
t_is "nothing mounted" 0 "$(grep -c tracefs /proc/mounts)"
