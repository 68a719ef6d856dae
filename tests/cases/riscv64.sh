#!/bin/sh
# The binary of make dist for riscv64 is static and free of warnings, and replays a recording of this machine to the same events.
# tier: full
# timeout: 300
# needs: make riscv64-linux-gnu-gcc qemu-riscv64-static /usr/riscv64-linux-gnu/lib/libc.a
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/elsewhere.sh"
runs_elsewhere riscv64 riscv64 riscv64-linux-gnu qemu-riscv64-static
