#!/bin/sh
# Linux 6.1 (Debian 12) on aarch64, with what tests/vm/guest has for it.
# tier: vm
# timeout: 1500
# needs: make qemu-system-aarch64 aarch64-linux-gnu-gcc /usr/aarch64-linux-gnu/lib/libc.a cpio python3
exec sh "$TESTS/vm/vm.sh" arm64
