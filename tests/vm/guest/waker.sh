# waker: a process that runs when an interrupt arrives is not the waker; a process that writes to a pipe is. The state in
# which a call slept, and the waker, agree with /proc.
# kernels: all
# timeout: 90
# modules: configfs null_blk
. /tests/lib.sh

t_needs_hybrid
case $(uname -m) in aarch64) read=63 ;; *) read=0 ;; esac # the number of read(2)
taskset 1 sh -c 'while :; do :; done' &
busy=$!
t_ok "woken" taskset 1 kvis trace -q -v --json=json -- sh -c 'usleep 50000; usleep 50000; (until read -r nr rest </proc/$(pidof cat)/syscall && [ "$nr" = '$read' ]; do usleep 50000; done; echo x; usleep 200000; true) | cat'
kill $busy
t_json "an interrupt wakes in nobody's name" json "{(e.get('waker_pid'), e.get('waker_comm')) for e in E if e['type'] == 'syscall' and 'nanosleep' in e['name']} == {(None, None)}"
t_json "a writer in its own" json "[e['waker_pid'] for e in calls('read') if e['args'][1] == 'x\n'] == [e['pid'] for e in calls('write') if e['ret'] == 2][:1]"
t_json "and name" json "[e['waker_comm'] for e in calls('read') if e['args'][1] == 'x\n'] == ['sh']"

# On an idle CPU.
t_ok "idle" kvis trace -q -v --json=idle -- taskset 2 usleep 50000
t_json "an interrupt, and called one" idle "[(e['waker_interrupt'], e['sleep_state']) for e in E if e['type'] == 'syscall' and 'nanosleep' in e['name']] == [(True, 'S')]"

sleeps() { # dd sleeps in read(2): its state as /proc has it
    dd=$(pidof dd) && read -r nr rest </proc/$dd/syscall && read -r p name state rest </proc/$dd/stat || return 1
    [ "$nr" = $read ] && case $state in R | t) false ;; esac
}
slept() { # slept FILE JSON: traces `dd if=FILE` of 4096 bytes
    kvis trace -q -v --json=$2 -- dd if=$1 of=/dev/null bs=4096 count=1 2>err &
    state=
    until_true 10 sleeps
    : >go
    wait $!
    echo "# $1: $state"
}
mkfifo fifo
sh -c 'printf "by\"me" >/proc/$$/comm; exec 3<>fifo; until [ -e go ]; do usleep 20000; done; echo yes >&3; until [ -e gone ]; do usleep 20000; done' &
writer=$!
slept fifo pipe
: >gone
t_is "a pipe: its state in /proc" S "$state"
t_json "a pipe: state and who woke it, untraced" pipe "[(e['sleep_state'], e['waker_pid'], e['waker_comm']) for e in calls('read') if e['ret'] == 4] == [('$state', $writer, 'by\"me')]"
wait $writer
null_disk completion_nsec=1000000000
slept /dev/$name disk
t_is "a disk: its state in /proc" D "$state"
t_json "a disk: state" disk "[(e['sleep_state'], 'waker_pid' in e) for e in calls('read') if e['ret'] == 4096 and e['duration_ns'] > 9e8] == [('$state', False)]"
null_gone
