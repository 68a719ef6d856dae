#!/bin/sh
# timeout: 120
# needs: root prog:where
# plain-only: it is about time
# covers: E14
# Where the time of calls went, against what the program knows and the scheduler's own count.
. "$TESTS/truth.sh"
KVOPT="-v -q" truth where
KVOPT="-v -q" truth where calls
# Who runs when an interrupt comes has woken nobody; who writes into a pipe has. Not in another pid
# namespace: the waker may not be in it.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" sh -c 'while :; do :; done' &
busy=$!
run trace -v --json=json -- taskset -c "$cpu" sh -c 'sleep 0.05; sleep 0.05; (sleep 0.3; echo x) | cat'
kill $busy
status 0
want "[e.get('waker_pid') for e in calls('clock_nanosleep')] == [None] * 3"
want "[e['waker_pid'] for e in calls('read') if e['ret'] == 2] == [e['pid'] for e in calls('write') if e['ret'] == 2][:1]"
say '$ unshare -pf --mount-proc kvis trace -v --json=json -- sh -c ...'
unshare -pf --mount-proc "$KVIS" trace -v --json=json -- sh -c '(sleep 0.3; echo x) | cat' >out 2>err 9>&-
want "not [e for e in E if 'waker_pid' in e] and calls('read')"
