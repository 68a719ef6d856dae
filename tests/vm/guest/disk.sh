# disk: block requests of a program, on disks of known latency and compared with the kernel's own counts.
# kernels: all
# timeout: 60
# modules: configfs null_blk
# covers: E15
. /tests/lib.sh

t_needs_hybrid

facts() { # facts WHAT SCENE ARG...
    what=$1
    shift
    t_scene "$what" "trace -v -w rec.kvis" disk "$@"
    # what was recorded says the same
    kvis replay -v --json=again rec.kvis 2>/dev/null
    t_is "$what: replayed" "$(grep '"type":"block_io' json)" "$(grep '"type":"block_io' again)"
    t_is "$what: replayed summary" "$(tail -n 1 json | grep -o '"block_ios.*')" "$(tail -n 1 again | grep -o '"block_ios.*')"
    rm -f again rec.kvis
    cd ..
}

for ms in 1 5 20; do
    null_disk completion_nsec=${ms}000000
    facts "$ms ms" latency "$name" ${ms}000000
    null_gone
done
null_disk completion_nsec=2000000
facts sizes sizes "$name"
facts crowd crowd "$name"
# The text: as in the article.
t_ok text kvis trace --min-sched-delay=1000000 -- "$BIN/disk" latency "$name"
t_has "one line of 15" err "block I/O [0-9.]*ms avg, [0-9.]*ms max \(4\.0 KB x15, 60\.0 KB total\) $name read$"
t_is "and no other" 1 "$(grep -c 'block I/O' err)"
t_has "in the summary" err '^  disks +15 requests, .*\(60\.0 KB read, 0 B written\)'
t_ok "without" kvis trace --no-ebpf -- "$BIN/disk" latency "$name"
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
