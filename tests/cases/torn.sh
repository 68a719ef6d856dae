#!/bin/sh
# A recording that ends at any byte or has any bit flipped is reported, and all blocks before are shown.
# tier: full
# timeout: 300
# needs: gcc
# covers: O2
. "$TESTS/lib/lib.sh"
export ASAN_OPTIONS=detect_leaks=0
gcc -std=gnu11 -g -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -pthread -Wall -Wextra -Wno-unused-function \
    -o torn "$TESTS/lib/torn.c" >err 2>&1 || fail "torn.c does not compile"
[ ! -s err ] || fail "warnings"
# blocks end when nothing happens: there are several in the last 4 KiB
kv trace -v -q -w a.kvis --json=a.json -e trace=openat,close -- sh -c 'for i in 1 2 3 4 5 6; do : >f; sleep 0.12; done' >out 2>err ||
    fail "no recording"
./torn a.kvis a.json 4096 >out 2>err || fail "torn"
cat out >&9
has out '\(([3-9]|[1-9][0-9]) blocks\).*\([1-9][0-9]* begin\).* 0 wrong$'
