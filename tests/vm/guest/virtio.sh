# virtio: rings of known size, layout and load: a disk with a ring of 4 descriptors (each request takes three), a ring
# of 256 and a packed ring, a network card, a serial port.
# kernels: all
# timeout: 60
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk failover net_failover virtio_net virtio_console
# qemu: -drive if=none,id=a,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=a,queue-size=4,indirect_desc=off,num-queues=1 -drive if=none,id=b,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=b,queue-size=256,num-queues=1 -drive if=none,id=c,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=c,queue-size=64,packed=on,num-queues=1 -netdev user,id=n,restrict=on -device virtio-net-pci,netdev=n,romfile= -chardev file,id=s,path=/dev/null -device virtio-serial-pci,max_ports=2 -device virtserialport,chardev=s
. /tests/lib.sh

[ -b /dev/vdc ] || { t_skip virtio "no virtio disks"; exit 0; }
# References: kprobe events for each refused add and each notification, and /proc/interrupts.
mkdir -p /tmp/t && mount -t tracefs none /tmp/t
echo 'r:vq/refused virtqueue_add_sgs ret=$retval:s32' >/tmp/t/kprobe_events
echo 'p:vq/sent vp_notify' >>/tmp/t/kprobe_events
echo 'ret == -28' >/tmp/t/events/vq/refused/filter
echo 1 >/tmp/t/events/vq/enable
traced() { grep -c "$1: (" /tmp/t/trace; }
irqs() { awk -v name="$1" '$NF == name { print $2 + $3 }' /proc/interrupts; }

total() { # total METRIC REGEX: of the rings whose kvis_virtio_info has it (without BTF there is none), or the line itself
    awk -v m="kvis_virtio_$1{" -v re="$2" 'match($0, /queue="[^"]*"/) { q = substr($0, RSTART, RLENGTH) }
        NR == FNR { if (/^kvis_virtio_info/) info[q] = $0; next }
        index($0, m) == 1 && info[q] " " $0 ~ re { print $NF }' prom prom
}
sum() { total "$1" "$2" | awk '{ n += $1 } END { print n + 0 }'; }
t_begin prom kvis monitor -c virtio -i 0.3 --json=json --histogram --prometheus=prom -o text 2>err
before=$(irqs virtio1-req.0) sent=$(traced sent)
# One disk after the other, because a program does not run for an interrupt that arrives while another program runs. The last read of
# each disk corrects the counts, but not the times.
for disk in vda vdb vdc; do
    echo none >/sys/block/$disk/queue/scheduler
    "$BIN/mon" reads $disk 4 10 >$disk
    "$BIN/mon" reads $disk 1 1 >>one
done
ip link set eth0 up
"$BIN/mon" frames eth0 50 >frames
timeout 20 dd if=/dev/zero of="$(echo /dev/vport*p1)" bs=1 count=37 2>/dev/null
ip link set eth0 down
frames=$(cat /sys/class/net/eth0/statistics/tx_packets)
n=$(wc -l <json)
more() { [ "$(wc -l <json)" -gt $((n + 2)) ]; } # one whole interval
until_true 20 more
echo 0 >/tmp/t/events/vq/enable
t_stop
t_show err
grep '^virtio' text | tail -n 12 | cut -c 1-300 | sed 's/^/# /'

refused=$(traced refused)
t_is "a ring of 4 refuses" 1 $((refused > 0))
t_is "as often as a kprobe event says" "$refused" "$(sum refused_total 'virtio_blk vda')"
t_is "no other ring refuses" "$refused" "$(sum refused_total '')"
for disk in vda vdb vdc; do
    t_is "$disk: all that was read was added, and completed" "41 41" "$(sum added_total "virtio_blk $disk") $(sum completed_total "virtio_blk $disk")"
    t_is "$disk: that is what four at a time take" 1 "$(. ./$disk; sum time_seconds_sum "virtio_blk $disk" |
        awk -v n=$took_ns '{ print ($1 <= 4.2 * n / 1e9 && $1 > n / 2e9) }')"
done
t_is "interrupts" $(($(irqs virtio1-req.0) - before)) $(($(sum interrupts_total 'virtio_blk vdb') + $(sum interrupts_idle_total 'virtio_blk vdb')))
t_is "notifications" $(($(traced sent) - sent)) "$(sum notified_total '')"
t_is "frames sent" "$frames" "$(sum added_total 'output.0".*eth0')"
if [ -e /sys/kernel/btf/virtio_net ]; then
    t_is "writes to a serial port" 37 "$(total added_total ':output".*virtio_console' | sort -n | tail -n 1)"
    t_is "sizes" "4 256 64" "$(for disk in vda vdb vdc; do total size "virtio_blk $disk"; done | tr '\n' ' ' | sed 's/ $//')"
    t_is "two are split, one is packed" "vda, split vdb, split vdc, packed" "$(sed -n 's/^kvis_virtio_info{.*virtio_blk \([^"]*\)".*/\1/p' prom | sort | tr '\n' ' ' | sed 's/ $//')"
    depth() { # depth DISK: all depths, from the lowest
        echo "sorted(v for e in E for h in e['histograms'] if h['name'] == 'virtio_depth' and ' $1,' in e['queue'][h['queue']]['driver'] for v, n in h['buckets'] for k in range(n))"
    }
    t_json "a request takes 3 of 4" json "$(depth vda) == [3] * 41"
    t_json "four come together" json "$(depth vdb) == [1] * 11 + [2] * 10 + [3] * 10 + [4] * 10"
    t_json "to a packed ring, too" json "$(depth vdc) == [1] * 11 + [2] * 10 + [3] * 10 + [4] * 10"
else
    t_is "writes to a serial port" 1 "$(total added_total 'queue-' | grep -c '^37$')"
    t_has "no sizes without types" text 'n/a virtio_size and [0-9]+ more: ring sizes are unknown, because there is no BTF for virtio_ring'
    t_hasnt "and no depths" prom '^kvis_virtio_depth'
fi
echo >/tmp/t/kprobe_events
umount /tmp/t
