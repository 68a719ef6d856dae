#!/bin/sh
# kvis ends as the program does: with its status, or by the same signal and without a core file of its own. A
# command that cannot be run gives exit status 126 or 127 and one line that says why.
# tier: gate
# timeout: 120
. "$TESTS/lib/lib.sh"
# Ends by exit(2) or by a signal, as subprocess shows them: a signal is negative. Those below 10 run by hybrid.
ends="0 1 2 7 124 125 126 127 128 137 143 254 255 -1 -2 -3 -4 -6 -8 -9 -10 -11 -13 -14 -15 -24 -31 -34 -64"
cat >how.py <<'P'
import subprocess, sys
kvis, program, *ends = sys.argv[1:]
for n in map(int, ends):
    backend = "auto" if abs(n) < 10 else "ptrace" # which costs less
    command = [program, "exit" if n >= 0 else "die", str(abs(n))]
    done = subprocess.run([kvis, "trace", "-q", f"--backend={backend}", f"--json=json.{n}", "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(done.returncode, end=" ")
P
ulimit -c unlimited 2>/dev/null
eq "ends" "$ends " "$(python3 how.py "$KVIS" "$BIN/proc" $ends)"
for n in $ends; do
    if [ $n -lt 0 ]; then
        want "S['exit_signal'].startswith('SIG') and S.get('exit_code') is None" json.$n
    else
        want "S['exit_code'] == $n and S.get('exit_signal') is None" json.$n
    fi
done
! ls core* 2>/dev/null || fail "a core file"

line() { # line STATUS REGEX ARG...
    want_st=$1 regex=$2; shift 2
    how=; case $1 in --*) how=$1; shift ;; esac
    gives "$want_st" trace $how -- "$@"
    grep '^kvis: ' err | grep -v '^kvis: tracing' >msg || fail "$1: no message"
    eq "lines that say so" 1 "$(grep -Eic "$regex" msg)"
    hasnt err "time in calls"
}
mkdir dir
echo 'echo hello' >script; chmod 755 script
: >empty; chmod 755 empty
printf '\177ELF then nothing' >elf; chmod 755 elf
echo x >plain
printf '#!/nonexistent/interpreter\n' >interp; chmod 755 interp
ln -s loop loop
line 127 'nonexistent.*No such file' ./nonexistent
line 127 'no-such-command-here' no-such-command-here
line 126 'plain.*not executable' ./plain
line 126 'script.*(exec format|not a program|no #!)' ./script
line 126 'elf.*(exec format|not a program|no #!)' --backend=ptrace ./elf
for name in dir empty loop; do line 126 $name --backend=ptrace ./$name; done
for how in "" --backend=ptrace $([ "$(id -u)" != 0 ] || echo --backend=hybrid); do
    line 127 'interp' $how ./interp
    hasnt err ' write ' # how the child tells kvis why is no call of the command
done
line 126 'plain' --backend=ptrace ./plain/below
grep -q 'not a directory\|Not a directory' msg || fail "./plain/below: no reason"
printf '#!/bin/sh\nexit 3\n' >good; chmod 755 good
gives 3 trace --backend=ptrace --json=json -- ./good
want "by('exec')[0]['argv'] == ['./good']"
PATH=$PWD/dir:$PWD:$PATH gives 3 trace -q --backend=ptrace -- good # found in PATH; the search skips a directory of that name
for command in trace $([ "$(id -u)" = 0 ] && echo proc); do # nothing is missing in a report of it
    gives 127 "$command" --report=page.html -- ./interp
    has page.html '"whole":true'
done
