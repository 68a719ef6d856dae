#!/bin/sh
# timeout: 60
# needs: arch:x86_64
# covers: P26
# Calls of i386 and x32 in a 64-bit program, by their own tables.
. "$TESTS/truth.sh"
for KVOPT in -v "-v --no-accel"; do each truth abi i386 x32; done
has i386/err 'i386'
run trace -e trace=getpid --json=json -- "$BIN/abi" x32
