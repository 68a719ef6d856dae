#!/bin/sh
# The report, recording and Perfetto trace of kvis proc agree with its JSON.
# tier: browser
# timeout: 120
# needs: root chromium gcc make python3 prog:cmd
. "$TESTS/lib/lib.sh"
export HOME="$PWD"
mkdir build && cd build || fail "mkdir"
cat >Makefile <<'END'
all: prog odd bad
prog: o1.o o2.o o3.o
	@gcc -o $@ $^
o%.o: gen%.c
	@gcc -O2 -c -o $@ $<
gen%.c:
	@sh -c 'echo "int f$*(void) { return $*; }" >$@; [ $* != 1 ] || echo "int main(void) { return 0; }" >>$@; sleep 0.0$*'
odd: prog
	@sh -c './prog && exec sleep 0.05'
	@sh -c 'printf "%s" "<img src=x onerror=alert(1)>" >/dev/null; exec true "<b>" "$$(printf "a\033[31m\377")"'
bad: prog
	-@sh -c 'kill -TERM $$$$'
	-@sh -c '/nonexistent/x; exit 3' 2>/dev/null
END
kv proc -x --forks --json=../json -o ../text -w ../r.kvis --report=../r.html --perfetto=../p -- make -j2 \
    >../made 2>../err </dev/null || fail "the build"
cd ..
want "S['lost'] == 0 and S['ends_unseen'] == 0 and S['commands'] > 15"
kv replay --json=events r.kvis >out 2>replayed || fail "replay"
has replayed ' gcc -O2 -c -o o1.o gen1.c' && has replayed '^make: [0-9.]+ m?s, [0-9]+ commands, [0-9]+ processes, CPU ' && hasnt replayed 'emory|I/O|calls'
python3 "$TESTS/lib/proc_report.py" json events r.html >out 2>err || { cat out err >&9; fail "proc_report.py"; }
cat out >&9
# of the replay: the same page, the same trace
kv replay -q --report=r2.html --perfetto=p2 -w r2.kvis r.kvis 2>err || fail "replay to all"
cmp r.html r2.html >&9 && cmp p p2 >&9 || fail "other bytes from the replay"
kv replay --json=events2 -q r2.kvis 2>err && cmp events events2 >&9 || fail "other events from the replay's recording"
python3 "$TESTS/lib/perfetto.py" p events >&9 2>err || fail "perfetto"
kv diff r.kvis r.kvis >out 2>err || fail "diff"
hasnt out 'only in'
# threads, with -T; filters choose rows, not what is recorded
kv proc -T -n nothing_has_this_name --report=t.html -w t.kvis -o rows -- "$BIN/cmd" threads >facts 2>err || fail "threads"
kv replay --json=events -q t.kvis 2>err || fail "replay of threads"
js "sum(e['type'] == 'spawn_thread' for e in E) >= 1 and sum(e['type'] == 'exec' for e in E) >= 1" events >&9 || fail "threads"
eq "ends of threads" "$(js "sum(e['type'] == 'spawn_thread' for e in E) + sum(e['type'] == 'exit_process' for e in E)" events)" \
    "$(js "sum(e['type'] == 'exit_thread' for e in E)" events)"
# what cannot be written is known before anything runs
for o in -w --report= --perfetto=; do
    run proc $o/nonexistent/x -- touch ran; status 125; has err '/nonexistent/x: No such file or directory'
done
[ ! -e ran ] || fail "it ran"
run proc --report=/dev/full -- true; status 125; has err '/dev/full.*No space'
run proc -w /dev/full -- true; status 125; has err '/dev/full.*No space'
