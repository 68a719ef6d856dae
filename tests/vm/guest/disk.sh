# disk: block requests of a program, on disks of known latency and compared with the kernel's own counts.
# kernels: all
# timeout: 60
# modules: configfs null_blk
. /tests/lib.sh

t_needs_hybrid

facts() { # facts WHAT SCENE ARG...
    what=$1
    shift
    t_scene "$what" "trace -v" disk "$@"
    cd ..
}

for ms in 1 5 20; do
    null_disk completion_nsec=${ms}000000
    facts "$ms ms" latency "$name" ${ms}000000
    null_gone
done
t_json "where the time went" "20 ms/json" "[w['disk_ns'] * 10 > w['duration_ns'] * 7 for w in S['where_time_went'] if w['name'] == 'pread64'] == [True]"
null_disk completion_nsec=2000000
facts crowd crowd "$name"
t_ok without kvis trace --no-ebpf -- "$BIN/disk" latency "$name"
t_hasnt "nothing of disks" err 'block I/O|Disks'
null_gone
null_disk completion_nsec=2000000 memory_backed=1 cache_size=1 discard=1
facts flush flush "$name"
"$BIN/disk" stranger "$name" >/dev/null &
facts "before a stranger" before "$name"
wait $!
echo 10 >/proc/sys/vm/dirty_writeback_centisecs
echo 10 >/proc/sys/vm/dirty_expire_centisecs
facts writeback writeback "$name"
null_gone
null_disk completion_nsec=1000000 badblocks=+2048-2055
facts "bad block" bad "$name"
null_gone
null_disk irqmode=0
facts "split" split "$name"
null_gone
