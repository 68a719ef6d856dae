#!/bin/sh
# On 32-bit ARM with Linux 6.1 (Debian 12), trace agrees with strace and with programs that know what they did.
# kvis open, proc and monitor work without BPF.
# tier: vm
# timeout: 1200
# needs: make qemu-system-arm arm-linux-gnueabihf-gcc /usr/arm-linux-gnueabihf/lib/libc.a cpio python3
exec sh "$TESTS/vm/vm.sh" armv7 armv7 arm32
