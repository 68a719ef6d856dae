#!/bin/sh
# --perfetto writes a valid trace that agrees with --json on each call, state, counter, event and arrow; a replay writes the
# same bytes.
# tier: gate asan
# timeout: 120
# needs: gcc python3 taskset prog:diff_threads prog:pid_again prog:uring
. "$TESTS/lib/lib.sh"
one() { # one OPTION... -- COMMAND
    kv trace -v -w r.kvis --perfetto=p --json=json "$@" >out 2>err </dev/null
    python3 "$TESTS/lib/perfetto.py" p json >&9 2>want.err || { cat want.err >&9; fail "$*"; }
    kv replay -q --perfetto=p2 r.kvis 2>err || fail "replay"
    cmp p p2 >&9 || fail "other bytes from the replay"
}
echo 'int main(void) { return 0; }' >a.c
backends=$(backends)
for b in $backends; do
    one --backend=$b -- gcc -o /dev/null a.c
    one --backend=$b -- "$BIN/diff_threads"
    one --backend=$b -- sh -c 'printf "x" >"$(printf "a\"<b>\033[31m\377")"; kill -TERM $$'
    if [ "$("$BIN/pid_again")" ]; then # two children with one pid
        one --backend=$b -o text -- sh -c 'exec "$0" >pid' "$BIN/pid_again"
        again=$(cat pid)
        [ -n "$again" ] || fail "no pid"
        python3 "$TESTS/lib/perfetto.py" p json $again >&9 2>want.err || { cat want.err >&9; fail "a pid twice"; }
    fi
done
if [ "$backends" != ptrace ]; then
    one --backend=hybrid -- "$BIN/uring" slow
    one --backend=hybrid -- sh -c 'sleep 0.2; dd if=/dev/zero of=/dev/null bs=8M count=4'
    # Two that seldom call the kernel share a CPU: each wait between two calls is a slice.
    loop='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
    cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    one --backend=hybrid -- taskset -c "$cpu" sh -c "($loop) & $loop; wait"
    want "len(by('sched_delay')) > 9"
fi
