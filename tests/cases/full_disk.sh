#!/bin/sh
# If the disk of a recording, a report or a Perfetto trace becomes full, kvis reports the file by name, and the command continues.
# tier: gate asan
# timeout: 60
# needs: root python3 prog:loop
. "$TESTS/lib/lib.sh"
mkdir small
mount -t tmpfs -o size=256k none small 2>err || skip "no tmpfs: $(cat err)"
trap 'umount small' EXIT
run trace -v -q -w small/a.kvis --json=whole -- "$BIN/loop" 9000
status 125; has err 'cannot write small/a.kvis \(its output ends here\): No space left'
want "S['exit_code'] == 0 and len(calls('openat')) > 9000" whole
run replay -v -q --json=part small/a.kvis
status 1; has err 'a.kvis: truncated at offset [0-9]+'
python3 - <<'P' || fail "what was recorded before"
part, whole = open("part").read().split("\n")[:-1], open("whole").read().split("\n")
assert len(part) > 5000 and part == whole[:len(part)], len(part)
P
run replay -q --report=torn.html --perfetto=torn.trace small/a.kvis
status 1; has torn.html '"whole":false'
python3 -c 'import perfetto; assert len(perfetto.load("torn.trace")[1]) > 5000' || fail "a trace of what there is"
rm small/a.kvis
TMPDIR=small run trace -q --report=r.html -- "$BIN/loop" 9000
status 125; has err 'cannot write a temporary file in small.*No space left|small.*No space left'
TMPDIR=/nonexistent run trace -q --report=small/r.html -- true
status 125; has err '/nonexistent'
ln -s "$BIN/loop" loop
while read -r name words; do
    rm -f small/*
    run $words
    status 125; has err "small/$name.*No space left"; hasnt err 'I/O error'
done <<END
r.html trace -v -q --report=small/r.html -- ./loop 9000
p.pf trace -v -q --perfetto=small/p.pf -- ./loop 9000
r.html monitor -i 0.01 -n 200 --per-cpu --report=small/r.html -o text
END
rm -f small/*
# of a report that is being made: in TMPDIR, and not to be seen there
TMPDIR=$PWD/small "$KVIS" trace -q --report=r.html -- sh -c 'until [ -e seen ]; do sleep 0.05; done' >out 2>err 9>&- &
kvis=$!
there() { ls -l /proc/$kvis/fd 2>/dev/null | grep -q " $PWD/small/.*(deleted)\$"; }
until_true 5 there || fail "no file in TMPDIR: $(ls -l /proc/$kvis/fd)"
[ -z "$(ls -A small)" ] || fail "it has a name: $(ls -A small)"
kill -INT $kvis # it goes on until its command ends
: >seen
wait $kvis
[ -s r.html ] || fail "no report"
