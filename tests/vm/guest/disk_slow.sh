# disk_slow: a virtio disk that QEMU limits to 20 requests per second: the duration of each request agrees with the time that
# the program waited.
# kernels: all
# timeout: 40
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# qemu: -drive if=none,id=slow,driver=null-co,size=67108864,throttling.iops-total=20 -device virtio-blk-pci,drive=slow
. /tests/lib.sh

t_needs_hybrid
[ -b /dev/vda ] || { t_skip disk_slow "no virtio disk"; exit 0; }
cat /dev/vda >/dev/null 2>&1 &
flood=$!
sleep 1
kill $flood # the burst that the throttle allows is used up
t_scene slow "trace -q" disk latency vda
t_json "as slow as it is" json "sum(e['duration_ns'] for e in by('block_io')) > 250_000_000"
t_json "where the time went" json "[w['disk_ns'] * 10 > w['duration_ns'] * 7 for w in S['where_time_went'] if w['name'] == 'pread64'] == [True]"
