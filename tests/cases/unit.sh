#!/bin/sh
# Functions of kvis.c handle forged kernel errors, and BTF files and event formats, valid and damaged.
# lib/unit.c includes kvis.c; lib/btf_hostile.py and lib/format_hostile.py know the right answer to each file.
# tier: gate full
# timeout: 240
# needs: gcc python3
# covers: E1 O1 P27
. "$TESTS/lib/lib.sh"
# shellcheck disable=SC2046 # a list of options
gcc -std=gnu11 -g -O0 $(some "" "-fsanitize=address,undefined -fno-sanitize-recover" "") -pthread -Wall -Wextra \
    -Wno-unused-function -o unit "$TESTS/lib/unit.c" >err 2>&1 || fail "unit.c does not compile"
[ ! -s err ] || fail "warnings"
timeout 60 ./unit >out 2>&1 || fail "unit"
python3 "$TESTS/lib/btf_hostile.py" ./unit >out 2>&1 || fail "BTF"
python3 "$TESTS/lib/format_hostile.py" ./unit >out 2>&1 || fail "formats"
# what else includes kvis.c, and runs rarely, follows it
gcc -std=gnu11 -w -fsyntax-only "$TESTS/fuzz/fuzz.c" 2>err || fail "fuzz.c does not compile"
