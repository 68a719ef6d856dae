#!/bin/sh
# The newest Linux of Debian sid on x86_64, with what tests/vm/guest has for it.
# tier: vm
# timeout: 1500
# needs: qemu-system-x86_64 cpio python3
exec sh "$TESTS/vm/vm.sh" x86-sid
