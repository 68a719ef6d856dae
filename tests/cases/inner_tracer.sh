#!/bin/sh
# Tracers run under kvis with the hybrid backend: they cannot trace, but otherwise continue, and kvis reports this in one line.
# The hard cases of the ptrace backend pass with a small ring.
# tier: quick
# timeout: 120
# needs: root
# covers: H8 P24 P30 P38
. "$TESTS/lib/truth.sh"
KVOPT="--backend=hybrid -v --ring=64K"
each same sec errno strict tracer
head -n 1 strict/json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"

for tracer in "strace -o log true" "gdb -nx -batch -ex run true </dev/null >gdb.out 2>&1"; do
    command -v "${tracer%% *}" >/dev/null || continue
    run trace -q -v --backend=hybrid --json=json -- sh -c "$tracer; echo went on >on"
    status 0
    eq "lines that say so" 1 "$(grep -c '^kvis: .*ptrace' err)"
    want "S['lost'] == 0 and [e for e in by('open') if e['path'].endswith('/on')]"
done
