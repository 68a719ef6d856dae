#!/bin/sh
# All guest tests pass on Linux 6.1 (Debian 12) on x86_64.
# tier: vm
# timeout: 2400
# needs: qemu-system-x86_64 cpio python3
exec sh "$TESTS/vm/vm.sh" x86-6.1
