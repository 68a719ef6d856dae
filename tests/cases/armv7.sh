#!/bin/sh
# The binary of make dist for armv7 is static and free of warnings, and replays a recording of this machine to the same events.
# tier: full
# timeout: 300
# needs: make arm-linux-gnueabihf-gcc qemu-arm-static /usr/arm-linux-gnueabihf/lib/libc.a
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/elsewhere.sh"
runs_elsewhere armv7 arm arm-linux-gnueabihf qemu-arm-static
