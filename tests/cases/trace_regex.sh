#!/bin/sh
# A regular expression of -e trace= applies as a whole, however long it is, with both backends.
# An expression that is invalid or matches no call is an error with its reason, and the command does not run.
# tier: gate asan
# timeout: 60
# needs: root
. "$TESTS/lib/lib.sh"
any= # 62 characters that match every name: what is behind them decides
for i in 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1; do any="$any.*"; done
for backend in ptrace hybrid; do
    for regex in "$any^close\$" '^clo{1}se$' 'nothing|^c[[:lower:]]ose$|none'; do
        run trace -v -q --backend=$backend -e "trace=/$regex" --json=json -- cat /dev/null
        status 0
        want '{c["name"] for c in by("syscall")} == {"close"}'
    done
    run trace -v -q --backend=$backend -e "trace=!/$any^close\$" --json=json -- cat /dev/null
    status 0
    want '"openat" in {c["name"] for c in by("syscall")} and "close" not in {c["name"] for c in by("syscall")}'
done
refused() { # refused EXPR REASON
    run trace -e "trace=$1" -- touch not-there
    status 2
    has err "^kvis: --trace: .*$2"
    [ ! -e not-there ] || fail "it was run all the same"
}
refused "/$any(" 'is not a valid regular expression: .+'
refused "?/a\\" 'is not a valid regular expression: .+'
refused "close,/${any}nosuch" "no system call or class is named '/\.\*"
refused "/$(head -c 5000 /dev/zero | tr '\0' x)" "no system call or class is named '/xxx"
