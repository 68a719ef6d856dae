#!/bin/sh
# The guest tests for this kernel pass on Linux 6.12 (Debian 12 backports) on x86_64.
# tier: vm
# timeout: 1200
# needs: qemu-system-x86_64 cpio python3
exec sh "$TESTS/vm/vm.sh" x86-6.12
