#!/bin/sh
# However kvis open and proc end, none of their programs, maps, links or mounts remains.
# Their output has the first and the last events of the command, and the command cannot observe kvis.
# tier: quick
# timeout: 180
# needs: root bpftool prog:self
. "$TESTS/lib/open.sh"

mounts=$(wc -l </proc/self/mountinfo)
left() { # left WHAT: of what ./ids names, and of mounts
    grep -q prog ids || fail "$1: it had no program"
    until_true 10 bpf_gone ids || fail "$1: something is left of: $(cat ids)"
    eq "$1: mounts" "$mounts" "$(wc -l </proc/self/mountinfo)"
}
# As the command of kvis: what kvis holds in the kernel.
cat >held.sh <<'END'
cat /proc/$PPID/fdinfo/* 2>/dev/null | sed -nE 's/^(prog|map|link)_id:[^0-9]*/\1 /p' >>ids
exec /bin/true last
END

for command in open proc; do
    rm -f ids
    for i in $(seq 20); do
        gives 0 $command --json=json -o rows -- sh held.sh
        case $command in
        open) has rows ' held\.sh$'; has rows ' true .*/libc\.' ;;
        proc) want "(lambda argv: {*argv[:2]} == {'cat', 'sed'} and argv[2:] == ['sh', '/bin/true'])([e['argv'][0] for e in by('command')])" ;;
        esac
    done
    left "20 runs of $command"
    for sig in KILL TERM INT; do # ended when it has printed its header
        launch out $command -x -p $$
        bpf_ids $kvis >ids
        ! bpf_gone ids || fail "bpftool does not see its programs"
        finish $sig
        left "$command by SIG$sig"
    done
    launch started $command -o rows -- sh -c 'echo $$ >started; exec sleep 100'
    bpf_ids $kvis >ids
    finish KILL
    left "$command killed with a command"
    kill "$(cat started)" || fail "the command died with kvis $command"
done
# the command sees what it would see anyway (as in cases/neutral.sh)
report native "$BIN/self" a 'b c' ''
[ $st = 0 ] || fail "the program without kvis: $st"
for how in "open -o rows" "open --json=json -o rows" "proc -o rows" "proc -x --json=json -o rows" \
    "proc --report=r.html -w r.kvis -o rows"; do
    report watched "$KVIS" $how -- "$BIN/self" a 'b c' ''
    status 0
    diff native watched >&9 || fail "not neutral with '$how'"
done
eq "mounts at the end" "$mounts" "$(wc -l </proc/self/mountinfo)"
