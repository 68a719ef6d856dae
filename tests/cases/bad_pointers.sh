#!/bin/sh
# timeout: 120
# covers: P37 P39
# Arguments that lie cost nothing, and what can be read of them is shown.
. "$TESTS/truth.sh"
for KVOPT in -v "-v --no-accel" "-v -s 65536"; do
    each truth ptr strings counts
    for s in strings counts; do
        [ "$(wc -c <$s/err)" -lt 4000000 ] || fail "$s: $(wc -c <$s/err) bytes of text"
        hasnt $s/err "out of memory|[Ss]anitizer"
    done
done
