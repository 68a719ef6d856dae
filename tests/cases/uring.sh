#!/bin/sh
# kvis reports exactly the io_uring requests that the program made. tests/vm/guest/uring.sh tests this on all kernels.
# tier: gate asan
# timeout: 60
# needs: root prog:uring
# covers: P40
. "$TESTS/lib/truth.sh"
kv trace -q --backend=hybrid -- true 2>why || skip "no hybrid backend: $(head -n 1 why)"
KVOPT="-q --backend=hybrid" each truth uring basic polled slow many same
