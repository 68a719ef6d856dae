#!/bin/sh
# timeout: 120
# together: no clock, and nothing of the machine
# needs: gcc python3
# plain-only: it is built with the sanitizers itself
# covers: E1
# BTF and event formats made here, right and wrong: each is answered as tests/*_hostile.py say.
. "$TESTS/lib.sh"
gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover -pthread -Wall -Wextra \
    -Wno-unused-function -o btf "$TESTS/btf.c" >err 2>&1 || fail "btf.c does not compile"
[ ! -s err ] || fail "warnings"
python3 "$TESTS/btf_hostile.py" ./btf >out 2>&1 || fail "BTF"
python3 "$TESTS/format_hostile.py" ./btf >out 2>&1 || fail "formats"
