#!/bin/sh
# timeout: 60
# needs: arch:x86_64
# covers: P25
# Syscall user dispatch, as Wine uses it.
. "$TESTS/truth.sh"
for KVOPT in -v "-v --no-accel"; do each same sec sud; done
