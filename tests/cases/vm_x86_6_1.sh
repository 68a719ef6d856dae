#!/bin/sh
# timeout: 1500
# together: a machine of one thread, which waits for nobody
# plain-only: the guest has the static binary
# needs: qemu-system-x86_64 cpio python3
# Linux 6.1 (Debian 12) on x86_64, with what tests/vm/guest has for it.
exec sh "$TESTS/vm/vm.sh" x86-6.1
