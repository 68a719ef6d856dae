#!/bin/sh
# The hard cases of the ptrace backend pass with hybrid: userfaultfd, FUSE, own seccomp filters, strict mode, 32-bit
# calls, tracers.
# tier: quick asan
# timeout: 180
# needs: root prog:hyb prog:ptr prog:sec
# covers: H8 P23 P24 P25 P26 P30 P38
. "$TESTS/lib/truth.sh"
hybrid() { head -n 1 "$1" | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"; }
for KVOPT in "--backend=hybrid -v" "--backend=hybrid -v --ring=64K"; do
    each truth ptr uffd strings counts hostile
    each same sec errno log trap kill trace notify strict sud
    each same sec tracer
    [ ! -e /dev/fuse ] || each truth fuse process thread
    hybrid strict/json
done
KVOPT="--backend=hybrid -v"
each truth proc clone_untraced clone_ptrace clone_vm leader_exit leader_exec exec_thread
each truth abi i386 i386_clone wide x32

# its own tracer: what it wants to trace it cannot, the rest goes on, and one line says so
if command -v strace >/dev/null; then
    run trace -q -v --backend=hybrid --json=json -- sh -c 'strace -o log true; echo went on >on'
    status 0
    eq "lines that say so" 1 "$(grep -c '^kvis: .*ptrace' err)"
    want "S['lost'] == 0 and [e for e in by('open') if e['path'].endswith('/on')]"
fi
if command -v gdb >/dev/null; then
    run trace -q -v --backend=hybrid --json=json -- sh -c 'gdb -nx -batch -ex run true </dev/null >gdb.out 2>&1; echo went on >on'
    status 0
    eq "lines that say so" 1 "$(grep -c '^kvis: .*ptrace' err)"
    want "S['lost'] == 0 and [e for e in by('open') if e['path'].endswith('/on')]"
fi
