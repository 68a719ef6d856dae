#!/bin/sh
# Calls that -e trace= excludes are not shown as zero: in text and JSON, the summary omits values that depend on them.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/lib.sh"
for accel in "" --no-accel; do
    run trace $accel -C -e trace=openat --json=json -- /bin/sh -c 'cat /etc/passwd >copy; kill -0 $$'
    status 0
    hasnt err '^  (files|network) '
    want "'file_bytes_read' not in S and S['exit_code'] == 0"
    want "{e['type'] for e in E} <= {'open', 'exec', 'spawn_process', 'exit_thread', 'exit_process', 'signal'}"
    want "S['syscalls'] == len(by('open')) and len(by('open', path='/etc/passwd')) == 1"
    run trace $accel -c -e trace=openat -- /bin/sh -c 'cat /etc/passwd >copy'
    has err ' openat$'; hasnt err ' (execve|close|read|clone|vfork)$'
done
run trace --json=json -- cat /etc/passwd
want "S['file_bytes_read'] > 0"
