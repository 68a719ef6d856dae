#!/bin/sh
# Truncated JSON consists of whole lines; after a signal that can be caught, it ends with the summary.
# tier: gate asan
# timeout: 60
# covers: O4 P14
. "$TESTS/lib/truth.sh"
for sig in TERM HUP KILL; do
    target loop
    launch json trace -q -v --json=json -p "$tee"
    until_true 10 has_lines json '"type":"open"' 40 || fail "its calls are not seen"
    finish $sig
    untarget
    case $sig in
    KILL) PARTIAL=1 js "len(E) > 0 or S" json >/dev/null || fail "cut by SIGKILL" ;;
    *) want "len(by('open')) > 10 and S['syscalls'] > 100" ;;
    esac
done
