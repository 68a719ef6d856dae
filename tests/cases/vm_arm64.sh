#!/bin/sh
# All guest tests pass on Linux 6.1 (Debian 12) on arm64.
# tier: vm
# timeout: 2400
# needs: make qemu-system-aarch64 aarch64-linux-gnu-gcc /usr/aarch64-linux-gnu/lib/libc.a arm-linux-gnueabihf-gcc cpio python3
exec sh "$TESTS/vm/vm.sh" arm64
