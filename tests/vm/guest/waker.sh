# waker: who runs when an interrupt comes has woken nobody; who writes into a pipe has.
# kernels: all
# timeout: 30
. /tests/lib.sh

kvis trace -q --backend=hybrid -- true 2>why || { t_skip waker "$(head -n 1 why)"; exit 0; }
taskset 1 sh -c 'while :; do :; done' &
busy=$!
t_ok "woken" taskset 1 kvis trace -q -v --json=json -- sh -c 'usleep 50000; usleep 50000; (usleep 500000; echo x; usleep 200000; true) | cat'
kill $busy
t_json "an interrupt wakes in nobody's name" json "[e.get('waker_pid') for e in E if e['type'] == 'syscall' and 'nanosleep' in e['name']] == [None] * 4"
t_json "a writer in its own" json "[e['waker_pid'] for e in calls('read') if e.get('ret') == 2] == [e['pid'] for e in calls('write') if e['ret'] == 2][:1]"
t_json "and name" json "[e['waker_comm'] for e in calls('read') if e.get('ret') == 2] == ['sh']"
