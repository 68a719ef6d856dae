#!/bin/sh
# The critical path of kvis proc follows its definition, for the recorded processes.
# tier: gate
# timeout: 60
# needs: root python3 gcc
. "$TESTS/lib/proc.sh"

path() { # path PROGRAM...: runs it, checks the path; $critical: how many are on it
    run proc --forks --json=json -o text -- "$@"
    pid=$(js "max((e for e in by('command')), key=lambda e: e['ts_ns'])['pid']" json)
    python3 "$TESTS/lib/critical.py" json "$pid" >pids 2>&9 || fail "$*"
    critical=$(wc -w <pids)
}

# which of these are on the path is up to the scheduler: critical.py knows
path sh -c 'sleep 0.25 & sleep 0.1; (sleep 0.2; true); sleep 0.02 & sleep 0.15; wait'
has err "critical path, $(js "len(S['critical_path'])") steps"

# of a process that calls exec again, each command is a step
path sh -c 'sh -c "sleep 0.1; exec sleep 0.01"; exec sleep 0.02'
want "[s['name'] for s in S['critical_path'] if s['name'].startswith('sleep')] == ['sleep 0.1', 'sleep 0.01', 'sleep 0.02']"
has err 'critical path, 5 steps'
has err '[0-9.]+ m?s +[0-9]+ +sleep 0\.02$'
want "all(s['self_ns'] <= e['duration_ns'] for s in S['critical_path'] for e in by('command') if s['name'] == ' '.join(e['argv']))"
eq "steps" 5 "$critical"

for i in 1 2 3 4 5 6; do echo "int f$i(int x) { return x * $i; }" >"f$i.c"; done
cat >Makefile <<'END'
all: $(patsubst %.c,%.o,$(wildcard f*.c)); ld -r -o all.o $^
%.o: %.c; gcc -O2 -c -o $@ $<
END
path make -s -j2
[ "$critical" -ge 6 ] || fail "only $critical processes on the path of a build" # sh, make, gcc, cc1, as, ld
path sh -c 'i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i + 1)); done'
eq "each of a loop is on the path" 151 "$critical"
