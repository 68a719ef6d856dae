#!/bin/sh
# Guest tests of all commands pass on Linux 6.12 (Debian 13) on riscv64.
# tier: vm
# timeout: 1200
# needs: make qemu-system-riscv64 riscv64-linux-gnu-gcc /usr/riscv64-linux-gnu/lib/libc.a cpio python3
exec sh "$TESTS/vm/vm.sh" riscv64 check open proc riscv64
