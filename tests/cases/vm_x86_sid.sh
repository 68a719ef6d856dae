#!/bin/sh
# All guest tests pass on the newest Linux of Debian sid on x86_64.
# tier: vm
# timeout: 1800
# needs: qemu-system-x86_64 cpio python3
exec sh "$TESTS/vm/vm.sh" x86-sid
