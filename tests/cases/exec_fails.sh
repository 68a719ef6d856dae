#!/bin/sh
# A command that cannot be run gives exit status 126 or 127 and one line that says why.
# tier: gate
# timeout: 60
# covers: P32 P33
. "$TESTS/lib/lib.sh"
line() { # line STATUS REGEX ARG...
    want_st=$1 regex=$2; shift 2
    how=; case $1 in --*) how=$1; shift ;; esac
    run trace $how -- "$@"
    status "$want_st"
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
run trace --backend=ptrace --json=json -- ./good
status 3
want "by('exec')[0]['argv'] == ['./good']"
PATH=$PWD/dir:$PWD:$PATH run trace -q --backend=ptrace -- good # found in PATH; a directory of that name is not it
status 3
for command in trace $([ "$(id -u)" = 0 ] && echo proc); do # nothing is missing in a report of it
    run "$command" --report=page.html -- ./interp
    status 127
    has page.html '"whole":true'
done
