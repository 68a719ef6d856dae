#!/bin/sh
# timeout: 60
# covers: P36
# A program that reports all it can see of itself reports the same traced or not. What cannot be
# hidden: getppid, TracerPid, and with acceleration the fields Seccomp and Seccomp_filters.
. "$TESTS/lib.sh"
report native "$BIN/self" a 'b c' ''
[ $st = 0 ] || fail "the program without kvis: $st"
for opt in --no-accel "--no-accel --faults" "" -v "-v --json=json" "-e trace=openat" -c; do
    report traced "$KVIS" trace $opt -- "$BIN/self" a 'b c' ''
    status 0
    case $opt in
    --no-accel*) diff native traced >&9 || fail "not neutral with '$opt'" ;;
    *) grep -v 'Seccomp' native >native2; grep -v 'Seccomp' traced >traced2
        diff native2 traced2 >&9 || fail "not neutral with '$opt'" ;;
    esac
done
