#!/bin/sh
# BTF files and event formats, valid and damaged, get the answer that lib/btf_hostile.py and lib/format_hostile.py
# know.
# tier: quick
# timeout: 120
# needs: gcc python3
# covers: E1
. "$TESTS/lib/lib.sh"
gcc -std=gnu11 -g -O0 -fsanitize=address,undefined -fno-sanitize-recover -pthread -Wall -Wextra \
    -Wno-unused-function -o btf "$TESTS/lib/btf.c" >err 2>&1 || fail "btf.c does not compile"
[ ! -s err ] || fail "warnings"
python3 "$TESTS/lib/btf_hostile.py" ./btf >out 2>&1 || fail "BTF"
python3 "$TESTS/lib/format_hostile.py" ./btf >out 2>&1 || fail "formats"
