#!/bin/sh
# Every errno has the name and text that strace prints, which uses another libc than kvis.
# The kernel's internal numbers, which no libc knows, have at least the names that strace prints.
# tier: gate asan
# timeout: 60
# needs: strace
. "$TESTS/lib/lib.sh"
errors() { sed -n 's/.*getpriority([^)]*) *= \(.*)\).*/\1/p' "$1"; }
for backend in auto ptrace; do
    strace -o theirs -e trace=getpriority "$BIN/sec" errnos 1 133 || fail "strace"
    gives 0 trace -v --backend=$backend -e trace=getpriority -- "$BIN/sec" errnos 1 133
    errors theirs >theirs.errors
    errors err >ours.errors
    eq "how many" 133 "$(wc -l <theirs.errors)"
    diff theirs.errors ours.errors >&9 || fail "< strace, > kvis"
    strace -o theirs -e trace=getpriority "$BIN/sec" errnos 517 531 || fail "strace"
    run trace -v --backend=$backend -e trace=getpriority --json=json -- "$BIN/sec" errnos 517 531
    errors theirs | cut -d ' ' -f 2 | grep E >theirs.names
    js "'\n'.join(str(c['error']) for c in calls('getpriority'))" | grep -v '^[0-9]*$' >ours.names
    grep -xFf theirs.names ours.names | diff theirs.names - >&9 || fail "< strace, > kvis"
    has err '= -1 ENOTSUPP \(Operation is not supported\)'
    run trace --backend=$backend --json=json -- "$BIN/sec" errnos 1 1
    has err 'nodir.* failed: 1000$'
    want "any(e.get('error') == '1000' for e in E if e['type'] != 'syscall')"
    want "[f['error'] for f in S['failed'] if f['name'] == 'mkdirat'] == ['1000']"
    has err '^  failed .*mkdirat 1000'
done
