# hybrid: on this kernel, BPF records the same calls, nested arguments and io_uring requests as ptrace, or as the program knows. None
# is lost in a small ring, and a program cannot see that it is held.
# kernels: all
# timeout: 320
. /tests/lib.sh

t_needs_hybrid

while IFS=: read -r scene options; do
    t_scene "${scene%% *}" "trace -q -v $options" hyb $scene
    t_json "$scene: nothing lost" json "H['backend'] == 'hybrid' and S['lost'] == 0"
    cd ..
done <<END
calls 60 10:--ring=64K
bomb 100:--ring=64K
last 6:--ring=64K
big 20:--ring=64K -s 5000
execs 5:
relay 3:--ring=64K
END

# stutter: stops kvis again and again, so its ring fills, however fast kvis reads.
stutter() {
    while sleep 0.3; do
        kill -STOP $(pidof kvis) && usleep 300000
        kill -CONT $(pidof kvis)
    done 2>/dev/null
}
held() { ! grep -q '"throttle_stops":0,' "$1"; }
traced() { # traced SCENE ARG...: its output is in ./out, the summary in SCENE.json
    t_run kvis trace -q --backend=hybrid --ring=64K -v --json=json -- "$BIN/hyb" "$@"
    tail -n 1 json >"$1.json"
    rm -f json
}
same() { # same SCENE ARG...: prints the same, traced or not, although it is held
    "$BIN/hyb" "$@" >"$1.want" 2>&1
    traced "$@"
    if ! held "$1.json"; then
        stutter &
        stutterer=$!
        traced "$@"
        kill $stutterer
    fi
    t_is "$1: what it sees" "$(grep -v ^want "$1.want")" "$(grep -v ^want out)" || t_show err
    t_has "$1: nothing lost" "$1.json" '"lost":0,'
    t_ok "$1: it was held" held "$1.json"
    rm -f out
}
same limits 300
same setids 30
same jobs 4
same cont 3

# On one CPU, kvis runs only when the faster program does not, and must not prevent BPF programs from running.
t_run taskset 1 kvis trace -q -v --backend=hybrid --ring=64K --json=json -- "$BIN/hyb" calls 4 1500
t_is "one CPU: every call" 6000 "$(grep -c '"type":"syscall","name":"faccessat"' json)"
grep '"type":"summary"' json >summary
t_has "one CPU: none lost" summary '"lost":0,'
t_ok "one CPU: it was held" held summary
rm json

# Both backends give the same number of events of each type, and of calls of each name.
events() { sed -n 's/.*"type":"\([a-z_]*\)"\(,"name":"\([a-z0-9_]*\)"\)*.*/\1 \3/p' "$1" | grep -Ev '^(sched_delay|block|signal|summary|header)|rt_sigreturn' | sort | uniq -c; }
for b in ptrace hybrid; do
    kvis trace -q -v --backend=$b --json=$b.json -- sh -c 'echo a >f; cat f nothere; mkdir d; mv f d; ls -l d; rm -r d; sh -c "exit 3"' >/dev/null 2>&1
    events $b.json >$b.events
done
t_ok "the same events" cmp ptrace.events hybrid.events || diff ptrace.events hybrid.events | head -n 20 | sed 's/^/# /'
rm -f ptrace.json hybrid.json

# In a pid namespace, pids are those of the namespace.
unshare -p -m -f --mount-proc sh -c 'kvis trace -q -v --json=ns.json -- sh -c "echo \$\$ >pid; true | cat; cat pid >/dev/null"' >ns.out 2>&1
t_is "pid namespace: a small pid" 1 "$(($(cat pid) < 10))" || t_show ns.out
t_json "pid namespace" ns.json "H['backend'] == 'hybrid' and S['lost'] == 0 and S['processes'] >= 3 and all(0 < e['pid'] < 20 for e in E) and len([e for e in by('open') if e['path'].endswith('/pid')]) == 2"
t_json "and the shell's own" ns.json "E[0]['pid'] == $(cat pid)"

# Vectors, messages and sets of descriptors.
nests() { # nests FILE: the calls with nested arguments, without numbers that differ between runs
    sed -n 's/^\[[^]]*\] //; s/ <[0-9][^<>]*>$//; s/pid=[0-9]*/pid/g; s/\(pipe\|socket\):\[[0-9]*\]/\1/g; s/0x[0-9a-f]\{6,\}/address/g; s/, left {[^}]*}//; s/ \{1,\}= / = /
        s/^\(process_vm_[a-z]*\)([0-9]*/\1(pid/; /^p\{0,1\}\(readv\|writev\|select\)/p; /^\(sendm\|recvm\|vmsplice\|process_vm\)/p' "$1"
}
for b in ptrace hybrid; do
    echo | kvis trace -v --backend=$b -o $b -- "$BIN/nest" >nest.out 2>&1
    t_is "nest by $b: exit status" 0 $?
    rm -f a\ name* of\ the*
    nests $b >$b.calls
done
t_is "nest: the calls" 1 $(($(wc -l <ptrace.calls) > 200))
t_ok "nest: the same by both backends" diff ptrace.calls hybrid.calls

for scene in basic polled slow many; do
    t_scene $scene trace uring $scene || break # no io_uring here
    t_hasnt "$scene: no trouble" err '^kvis: io_uring'
    cd ..
done
