#!/bin/sh
# Calls of the i386 and x32 ABIs in a 64-bit program are decoded by their own tables.
# tier: gate asan
# timeout: 60
# needs: arch:x86_64
# covers: P26
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel"; do each truth abi i386 i386_clone i386_socketcall wide x32; done
KVOPT="-e trace=openat" each truth abi i386_clone
has i386/err 'i386'
run trace -e trace=getpid --json=json -- "$BIN/abi" x32
