#!/bin/sh
# All guest tests pass on Linux 6.12 (Debian 12 backports) on x86_64.
# tier: vm
# timeout: 2400
# needs: qemu-system-x86_64 cpio python3
exec sh "$TESTS/vm/vm.sh" x86-6.12
