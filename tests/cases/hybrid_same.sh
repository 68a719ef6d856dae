#!/bin/sh
# Both backends of kvis trace report the same events for the same program (lib/same_backends.py). The case
# trace_strace compares them for larger programs.
# tier: quick asan
# timeout: 300
# needs: root setarch python3
same() { exec python3 "$TESTS/lib/same_backends.py" "$@"; }
case $KVIS in *asan*) same io:files fd:dup fd:tmpfile mem:maps proc:vfork proc:odd net:tcp4 chg:names 'sh:ls -l /; echo a | cat' ;; esac
same io:files io:pipes io:socks io:moves io:short \
    fd:dup fd:cloexec fd:clone_files fd:fork_copy fd:thread_files fd:scm fd:flight \
    fd:getfd fd:renamed fd:kinds fd:sockets fd:made fd:ledger fd:tmpfile \
    mem:maps mem:many \
    proc:forks proc:vfork proc:threads proc:exec_thread proc:leader_exit proc:leader_exec proc:daemon \
    proc:clone_parent proc:clone_untraced proc:clone_ptrace proc:clone_vm proc:failed_exec proc:bad_elf \
    proc:odd proc:pidns proc:nspid "proc:die 11" \
    sig:rt sig:restart sig:faults sig:waits \
    nest:all net:tcp4 net:udp net:unix \
    chg:names chg:attrs chg:failing sec:nobrk \
    sec:errno sec:log sec:trap sec:kill sec:trace sec:notify sec:strict sec:sud ptr:counts ptr:ext ptr:hostile \
    'sh:mkdir -p a/b; touch a/c a/b/d; ls -lR a; sort /etc/passwd | uniq -c | wc -l; cat /etc/passwd nothere' \
    'sh:for i in 1 2 3; do echo $i >f$i; done; mkdir b; cp f? b; cp -r b a; rm -r a; kill -USR1 $$'
