#!/bin/sh
# Every command runs with an address space or data size limited to 32 MB, or prints why it cannot.
# kvis trace then uses a smaller ring and prints a note; with ptrace, 16 MB are enough.
# tier: gate
# timeout: 300
# needs: root musl-gcc prog:io
. "$TESTS/lib/lib.sh"

# limited FLAG KB ARG...: kvis under `ulimit FLAG KB`.
limited() {
    flag=$1 kb=$2; shift 2
    say "\$ ulimit $flag $kb; kvis $*"
    (ulimit $flag "$kb" && exec "$KVIS" "$@") >out 2>err </dev/null 9>&-
    st=$?
}

run trace -q -v -w run.kvis -- "$BIN/io" files
want_st=$st
for flag in -v -d; do
    for backend in ptrace auto; do
        limited $flag 32768 trace --backend=$backend --json=json -- "$BIN/io" files
        status $want_st
        hasnt err 'out of memory|Out of memory'
        name=$(js 'S["backend"]')
        case $backend in ptrace) eq backend ptrace "$name" ;; *) eq backend hybrid "$name" ;; esac
        want 'S["lost"] == 0 and S["file_bytes_written"] > 0'
        case $flag$backend in
        -vauto) has err '^kvis: the ring buffer has 2048 KB instead of 4096 KB: the address space is limited; fix: ' ;;
        *) hasnt err 'the ring buffer has' ;;
        esac
    done
    limited $flag 16384 trace --backend=ptrace --json=json -- "$BIN/io" files
    status $want_st
    want 'S["backend"] == "ptrace" and S["lost"] == 0'
done
limited -v 32768 trace --ring=4M --json=json -- "$BIN/io" files # as it is asked for
status $want_st
hasnt err 'the ring buffer has'
want 'S["backend"] == "hybrid"'

# commands KB: all of them; those that cannot run say so.
commands() {
    for flag in -v -d; do
        while read -r line; do
            limited $flag $1 $line
            [ $st -lt 126 ] || fail "ended with $st"
            [ "$line" != check ] || tr -s ' \n' ' ' <out | sed 's/^/kvis: /' >>err # its answer has the reason
            [ $st = 0 ] || has err 'kvis: .*(memory|allocate)' # perhaps after truncated text
            [ $st = 0 ] || [ $1 -lt 32768 ] || fail "$st although the memory suffices"
        done <<END
--version
help
help --man
completion bash
check
trace -c -- /bin/true
trace -w again.kvis --report=r.html --perfetto=p.json -- /bin/true
open -- /bin/true
proc --report=r.html -- /bin/true
monitor -n 2 -i 0.1 -c cpu,sched,mem,numa,io,net,limits,busy,cgroups --report=r.html
diagnose -d 0.3
replay -c run.kvis
diff run.kvis run.kvis
END
    done
}
commands 32768
commands 6144
# Memory runs out at a random place of a recording: kvis never reports the recording as damaged.
kb=6144
while [ $kb -le 7680 ]; do
    for words in "diff run.kvis run.kvis" "replay -c run.kvis"; do
        limited -v $kb $words
        [ $st = 0 ] || has err 'kvis: .*(memory|allocate)'
        hasnt err 'damaged|has no system calls'
    done
    kb=$((kb + 96))
done
