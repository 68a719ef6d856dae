#!/bin/sh
# Arguments with invalid pointers do no harm, and their readable part is shown.
# tier: gate asan
# timeout: 120
# covers: P37 P39
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel" "-v -s 65536"; do
    each truth ptr strings counts
    case $KVOPT in *65536*) line=1500000 ;; *) line=20000 ;; esac
    for s in strings counts; do
        want "max(len(json.dumps(e)) for e in E) < $line" $s/json
        [ "$(wc -c <$s/err)" -lt 20000000 ] || fail "$s: $(wc -c <$s/err) bytes of text"
        hasnt $s/err "out of memory|[Ss]anitizer"
    done
done
