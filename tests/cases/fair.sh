#!/bin/sh
# With ptrace, every thread gets its turn although its siblings stop as fast as kvis can handle them. (With BPF: hybrid_lossless.)
# wait4(-1) reports the newest tracee first, so the oldest, which ends this program after 100 rounds, could wait
# forever.
# tier: quick
# timeout: 120
# needs: prog:hyb
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --no-ebpf --backend=ptrace"
truth hyb last 3 12
