#!/bin/sh
# -c alone counts in the kernel: its table agrees with one made from records and with strace -c, and no thread waits for kvis.
# tier: quick asan
# timeout: 150
# needs: root python3 strace prog:hyb prog:sig prog:proc prog:sec prog:abi prog:loop prog:counts
. "$TESTS/lib/lib.sh"
needs_hybrid
# Calls whose number varies by run are left out: $without.
without=nothing
table() { rows "$@" | grep -v "^$without "; }
# strace -c does not count calls that never return, and has what a signal interrupts as failed.
by_strace() { table "$@" | grep -Ev '^(exit|exit_group) '; }

# The kernel's table, that of records (JSON wants them), strace's.
same() { # same [-s] CMD...: -s: strace's is another
    strace=1; [ "$1" != -s ] || { strace=; shift; }
    kv trace -c --backend=hybrid ${e:+-e "$e"} -o kernel -- "$@" >/dev/null 2>err
    kv trace -c --backend=hybrid ${e:+-e "$e"} -o records --json=/dev/null -- "$@" >/dev/null 2>err
    for t in kernel records; do table $t >$t.rows; done
    cmp records.rows kernel.rows >&9 || { diff records.rows kernel.rows >&9; fail "$*: another table by the kernel"; }
    [ -n "$strace" ] || return 0
    strace -f -c ${e:+-e "$e"} -o strace "$@" >/dev/null 2>&1 9>&-
    by_strace kernel >kernel.rows; by_strace strace 6 >strace.rows
    cmp strace.rows kernel.rows >&9 || { diff strace.rows kernel.rows >&9; fail "$*: another table by strace"; }
}
e=
same "$BIN/loop" 1000
same ls /etc /nothere
without=wait4 # SIGCHLD interrupts it, or comes too late for that
same "$BIN/proc" forks
without=nothing
same -s "$BIN/sec" strict # without its filter, strace sees one call more
same -s "$BIN/abi" i386   # by strace in two tables
e=trace=read,openat,close
same "$BIN/loop" 1000
e=

# Known numbers: calls of known length, calls that signals interrupt or restart, and calls in which the program is killed.
for how in "" --json=/dev/null; do
    gives 0 trace -c --backend=hybrid $how -o table -- "$BIN/counts"
    python3 - <<'P' >&9 || { cat table >&9; fail "counts by '$how'"; }
rows = {f[-1]: {"time": float(f[1]), "calls": int(f[3]), "errors": int(f[4]) if len(f) == 9 else 0, "p50": float(f[-4]),
                "p99": float(f[-3]), "max": float(f[-2])}
        for f in map(str.split, open("table")) if len(f) in (8, 9) and f[0][0].isdigit()}
wants = [line[5:].strip() for line in open("out") if line.startswith("want ")]
raise SystemExit(", ".join(w for w in wants if not eval(w, {}, rows)) or not wants)
P
done
for n in 1 2; do
    gives 0 trace -c --backend=hybrid -o table -- "$BIN/hyb" calls 200 20
    eq "calls" "faccessat 4000 0 getppid 4000 0 lseek 4000 0" "$(echo $(rows table | grep -E '^(getppid|faccessat|lseek) '))"
    run trace -c --backend=hybrid -o table -- "$BIN/hyb" bomb 300
    eq "bomb" "exit_group 301 0 getppid 300 0" "$(echo $(rows table | grep -E '^(getppid|exit_group) '))"
done
gives 0 trace -c --backend=hybrid -- "$BIN/hyb" tsync

# The program never waits for kvis: kvis is stopped, and the program runs to its end.
"$KVIS" trace -c --backend=hybrid --ring=64K -o table -- "$BIN/loop" 300000 >out 2>err 9>&- &
kvis=$!
begun() { # forks no process: the loop could end meanwhile
    read -r loop <"/proc/$kvis/task/$kvis/children" # (a line without an end: its status says nothing)
    [ "$loop" ] && read -r _ rchar <"/proc/$loop/io" && [ "$rchar" -gt 20000 ] # beyond what starts it
}
until_true 10 begun || fail "no loop"
kill -STOP $kvis
ended() { case $(state $loop) in Z) ;; *) return 1 ;; esac; }
until_true 20 ended || { was=$(state $loop); kill -KILL $kvis; fail "the loop waits for kvis: $was"; }
kill -CONT $kvis
wait $kvis || fail "exit status $?"
eq "its calls of read" "read 600001 0" "$(rows table | grep '^read ')"
