#!/bin/sh
# A hostile or unusual program does not harm its tracer, and lookups of descriptors leave nothing behind. kvis reports exactly
# the io_uring requests that the program made (on all kernels: tests/vm/guest/hybrid.sh), and does not wait for a page that
# only another thread of the program can supply.
# tier: gate asan
# timeout: 120
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v; do each truth ptr cmsg; each truth sec nobrk; done
for KVOPT in -v "-v --no-accel" "-e trace=openat -v"; do each truth ptr uffd uffd_new; done
KVOPT=
each truth ptr uffd_new # where no ioctl is asked for
run trace -q --json=json -e trace=read,close -- "$BIN/loop" 2000 # names come from /proc here
want "len(by('close')) < 3000 and len(by('read', filename='/etc/passwd')) in (0, 2000)"
for KVOPT in "" "-e trace=io_uring_enter,openat"; do
    each truth uring submitted
    grep -q '"backend":"hybrid"' submitted/json && what=results || what='requests submitted'
    has submitted/err "^  io_uring +5 $what"
done
kv trace -q --backend=hybrid -- true 2>why || { say "no hybrid backend: $(head -n 1 why)"; exit 0; }
KVOPT="-q --backend=hybrid" each truth uring basic polled slow many same connected
