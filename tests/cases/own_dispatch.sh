#!/bin/sh
# Syscall user dispatch, as Wine uses it, works under kvis.
# tier: gate
# timeout: 60
# needs: arch:x86_64
# covers: P25
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel"; do each same sec sud; done
