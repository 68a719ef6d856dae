#!/bin/sh
# A thread gets its turn although its siblings stop as fast as kvis can look.
# wait4(-1) reports the newest tracee first, so the oldest, which ends this program after 100 rounds, could wait
# forever.
# tier: quick
# timeout: 120
# needs: prog:hyb
# alone: it times two programs
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --no-ebpf --backend=ptrace"
truth hyb last 3 12
KVOPT="-q -v --ring=64K"
truth hyb last 3 12
