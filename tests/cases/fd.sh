#!/bin/sh
# A descriptor number refers to the right open file, with its kind, name, bytes, age and opener: after dup, exec, close_range,
# chdir and rename, in shared and copied tables, and for files that another process passed or left open.
# tier: gate asan
# timeout: 120
. "$TESTS/lib/truth.sh"
each truth fd dup cloexec clone_files fork_copy thread_files
each truth fd renamed dotdot deep kinds sockets made ledger tmpfile linked
has linked/err 'rename .*/f [^ ]+ .*/g [(]exchange[)]$'
has ledger/err "left"
KVOPT="-v -e trace=read,dup2,dup3"
each truth fd closed
KVOPT=-v
each truth fd reused
KVOPT=
each truth fd scm getfd flight
# The receiver's event can come before the sender's.
for i in 1 2 3; do each truth fd scm; done
