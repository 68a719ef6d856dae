#!/bin/sh
# Every call of the table, with right and wrong arguments, is the same through both backends of kvis trace.
# tier: quick
# timeout: 300
# needs: root strace setarch python3 gcc git
case $(uname -m) in x86_64) arch=x86_64 ;; aarch64) arch=arm64 ;; *) skip "no numbers of its calls" ;; esac
python3 "$TESTS/lib/every_call.py" "$TESTS/../gen/tables/syscalls.tbl" $arch >every.c || exit 1
gcc -w -O1 -static -o every every.c || exit 1
grep -c '^    call(' every.c
exec python3 "$TESTS/lib/same_backends.py" "sh:exec $PWD/every"
