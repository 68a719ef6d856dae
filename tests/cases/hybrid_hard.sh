#!/bin/sh
# The hard cases of the ptrace backend pass with hybrid and a small ring: userfaultfd, FUSE, own seccomp filters, strict
# mode, tracers.
# tier: quick asan
# timeout: 180
# needs: root
# covers: H8 P23 P24 P25 P30 P38
. "$TESTS/lib/truth.sh"
KVOPT="--backend=hybrid -v --ring=64K"
each truth ptr uffd strings counts hostile
each same sec errno log trap kill trace notify strict sud tracer
[ ! -e /dev/fuse ] || each truth fuse process thread
head -n 1 strict/json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"

# its own tracer: what it wants to trace it cannot, the rest goes on, and one line says so
for tracer in "strace -o log true" "gdb -nx -batch -ex run true </dev/null >gdb.out 2>&1"; do
    command -v "${tracer%% *}" >/dev/null || continue
    run trace -q -v --backend=hybrid --json=json -- sh -c "$tracer; echo went on >on"
    status 0
    eq "lines that say so" 1 "$(grep -c '^kvis: .*ptrace' err)"
    want "S['lost'] == 0 and [e for e in by('open') if e['path'].endswith('/on')]"
done
