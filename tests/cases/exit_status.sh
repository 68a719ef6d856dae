#!/bin/sh
# kvis ends as the program does: with its status, or by the same signal and without a core file of its own.
# tier: gate
# timeout: 120
# covers: P34
. "$TESTS/lib/lib.sh"
# Ends by exit(2) or by a signal, as subprocess shows them: a signal is negative. Those below 10 run by hybrid.
ends="0 1 2 7 124 125 126 127 128 137 143 254 255 -1 -2 -3 -4 -6 -8 -9 -10 -11 -13 -14 -15 -24 -31 -34 -64"
cat >how.py <<'P'
import subprocess, sys
kvis, program, *ends = sys.argv[1:]
for n in map(int, ends):
    backend = "auto" if abs(n) < 10 else "ptrace" # which costs less
    done = subprocess.run([kvis, "trace", "-q", f"--backend={backend}", f"--json=json.{n}", "--", program, "exit" if n >= 0 else "die", str(abs(n))],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(done.returncode, end=" ")
P
ulimit -c unlimited 2>/dev/null
# shellcheck disable=SC2086 # a list
eq "ends" "$ends " "$(python3 how.py "$KVIS" "$BIN/proc" $ends)"
for n in $ends; do
    if [ $n -lt 0 ]; then
        want "S['exit_signal'].startswith('SIG') and S.get('exit_code') is None" json.$n
    else
        want "S['exit_code'] == $n and S.get('exit_signal') is None" json.$n
    fi
done
! ls core* 2>/dev/null || fail "a core file"
