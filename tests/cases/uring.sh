#!/bin/sh
# Requests through io_uring's rings are those that the program made.
# On all kernels: tests/vm/guest/uring.sh.
# tier: gate asan
# timeout: 60
# needs: root prog:uring
# covers: P40
. "$TESTS/lib/truth.sh"
kv trace -q --backend=hybrid -- true 2>why || skip "no hybrid backend: $(head -n 1 why)"
KVOPT="-q --backend=hybrid" each truth uring basic polled slow many
