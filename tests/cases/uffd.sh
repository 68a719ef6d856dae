#!/bin/sh
# kvis does not wait for a page that only another thread of the program can supply.
# tier: gate asan
# timeout: 60
# covers: P38
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel" "-e trace=openat -v"; do each truth ptr uffd uffd_new; done
KVOPT=
each truth ptr uffd_new # where no ioctl is asked for
