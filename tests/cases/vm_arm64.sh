#!/bin/sh
# timeout: 1500
# together: a machine of one thread, which waits for nobody
# plain-only: another architecture
# needs: make qemu-system-aarch64 aarch64-linux-gnu-gcc /usr/aarch64-linux-gnu/lib/libc.a cpio python3
# Linux 6.1 (Debian 12) on aarch64, with what tests/vm/guest has for it.
exec sh "$TESTS/vm/vm.sh" arm64
