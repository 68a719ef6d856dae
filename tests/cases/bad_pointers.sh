#!/bin/sh
# Invalid pointers in arguments do no harm.
# kvis shows the part of the memory that can be read, but an extensible structure only if all of it can be read. Unusual arguments
# are shown as the kernel interprets them: invalid times, socket addresses and structures that are shorter or longer than known,
# results of another type. (The case abis has those of 32-bit programs.)
# tier: gate asan
# timeout: 240
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel" "-v -s 65536"; do
    each truth ptr counts
    each truth opens names
    case $KVOPT in *65536*) line=1500000 ;; *) line=20000 ;; esac
    want "not [c for c in calls('openat', error='EFAULT') if 'z' in str(c['args'][1])]" names/json
    for s in names counts; do
        want "max(len(json.dumps(e)) for e in E) < $line" $s/json
        [ "$(wc -c <$s/err)" -lt 20000000 ] || fail "$s: $(wc -c <$s/err) bytes of text"
        hasnt $s/err "out of memory|[Ss]anitizer"
    done
done
KVOPT=-v
each truth ptr ext
KVOPT="-v -s 4096" each truth shapes sleeps wide times sockaddrs messages sizes larger others
! grep -q 'ppoll(' others/err || has others/err 'ppoll\(.*= 1 \(\[\.\.\.\]\)'

# Text beyond the limit of a call ends in "...", and arguments after it are shown as numbers.
for backend in $(backends); do
    "$KVIS" trace -v -s 4096 --backend=$backend --json=long.json -o long -e trace=writev -- \
        python3 -c 'import os; os.writev(1, [b"a" * 4096] * 200)' 9>&- >/dev/null
    grep -q 'a\.\.\., 0xc8) = 819200' long || fail "$backend: no mark of the truncated text"
    grep -qE '\[\{iov_base="a{4096}", ' long || fail "$backend: a buffer is incomplete"
    grep -q 'a\.\.\.","0xc8"\],"ret":819200' long.json || fail "$backend: no mark in the JSON"
    "$KVIS" trace -v --backend=$backend -o long -e trace=mkdir -- mkdir "$(printf a%.0s $(seq 5000))" 2>&9 9>&-
    grep -qE 'mkdir."a{4095}"\.\.\., 0777. += -1 ENAMETOOLONG' long || fail "$backend: no mark of the truncated path"
done
