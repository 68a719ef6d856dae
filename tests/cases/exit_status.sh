#!/bin/sh
# kvis ends as the program does: with its status, or by the same signal and without a core file of its own.
# tier: gate
# timeout: 120
# covers: P34
. "$TESTS/lib/lib.sh"
for n in 0 1 2 7 124 125 126 127 128 137 143 254 255; do
    case $n in 0 | 7 | 255) backend=auto ;; *) backend=ptrace ;; esac # which costs less
    run trace -q --backend=$backend --json=json -- "$BIN/proc" exit $n
    status $n
    want "S['exit_code'] == $n and 'exit_signal' not in S or S.get('exit_signal') is None"
done
signals="1 2 3 4 6 8 9 10 11 13 14 15 24 31 34 64" # those below 10 by hybrid
cat >how.py <<'P'
import subprocess, sys
kvis, program, *signals = sys.argv[1:]
for s in signals:
    backend = "auto" if int(s) < 10 else "ptrace"
    done = subprocess.run([kvis, "trace", "-q", f"--backend={backend}", f"--json=json.{s}", "--", program, "die", s], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(-done.returncode, end=" ")
P
ulimit -c unlimited 2>/dev/null
# shellcheck disable=SC2086 # a list
eq "signals" "$signals " "$(python3 how.py "$KVIS" "$BIN/proc" $signals)"
for s in $signals; do
    want "S['exit_signal'].startswith('SIG') and S.get('exit_code') is None" json.$s
done
ls core* 2>/dev/null && fail "a core file"
for s in 17 18 23 28; do # ignored by default: the program waits on
    "$KVIS" trace -q --backend=ptrace -o text -- "$BIN/proc" die $s >out 2>err 9>&- &
    kvis=$!
    sleep 0.2
    kill -0 $kvis || fail "ended by signal $s"
    kill -TERM $kvis; wait $kvis
done
true
