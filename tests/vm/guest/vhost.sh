# vhost: kvis monitor -c vhost agrees with tests/progs/vhost.c, which drives the devices as a guest does, and with the
# kernel's own probes.
# kernels: all
# timeout: 90
# modules: vhost_iotlb tun tap vhost vhost_net vsock vmw_vsock_virtio_transport_common vhost_vsock configfs scsi_common target_core_mod vhost_scsi
. /tests/lib.sh

total() { awk -v m="^kvis_$1[{ ]" -v t="vhost=\"$2\"" '$0 ~ m && index($0, t) { n += $NF } END { printf "%.9g\n", n }' prom; } # total METRIC THING
events() { grep -c " $1: (" traced; } # events PROBE

mkdir t; mount -t tracefs none t
echo p:kv/tx handle_tx_kick >t/kprobe_events
echo p:kv/rx handle_rx_kick >>t/kprobe_events
echo p:kv/vs vhost_vsock_handle_tx_kick >>t/kprobe_events
t_begin prom kvis monitor -c vhost -i 0.5 --histogram --json=json --prometheus=prom -o text
echo 1 >t/events/kv/enable
mkfifo end
"$BIN/vhost" 50 >said <end &
exec 3>end
until_true 20 grep -q 'done=1\|skip\|not so' said || t_not_ok "the program does not end"
echo 0 >t/events/kv/enable
cat t/trace >traced
echo >t/kprobe_events
umount t
cat said
grep -q done=1 said || exit 1
for line in $(cat said); do eval "$line"; done
net=net/$net_worker mmu=net/$mmu_worker vsock=vsock/$vsock_worker
written() { [ "$(total vhost_kicks_total $net/rx)" -ge $rx_kicks ] && [ "$(total vhost_kicks_total $mmu/tx)" -ge $mmu_kicks ]; }
until_true 10 written
n=$(grep -c '"sample"' json)
two_more() { [ "$(grep -c '"sample"' json)" -ge $((n + 2)) ]; } # the second one has begun after all work
until_true 10 two_more
t_stop
exec 3>&-
grep vhost prom | grep -v '^#' | grep -v bucket | sed 's/^/# /'

t_is "kicks to send" $tx_kicks "$(total vhost_kicks_total $net/tx)"
t_is "kicks for buffers to receive into" $rx_kicks "$(total vhost_kicks_total $net/rx)"
t_is "and those of a device behind an IOMMU" $mmu_kicks "$(total vhost_kicks_total $mmu/tx)"
t_is "as many as the kernel's probe sees" "$(events tx)" $(($(total vhost_kicks_total $net/tx) + $(total vhost_kicks_total $mmu/tx)))
t_is "of the other queue, too" "$(events rx)" "$(total vhost_kicks_total $net/rx)"
if [ $vsock_worker = 0 ]; then t_skip vsock "no /dev/vhost-vsock"
else
    t_is "vsock: as many as the kernel's probe sees" "$(events vs)" "$(total vhost_kicks_total $vsock/tx)"
    t_within "vsock: kicks" $vsock_kicks "$(total vhost_kicks_total $vsock/tx)" $((vsock_kicks + 1))
fi
if [ $scsi_worker = 0 ]; then t_skip scsi "no /dev/vhost-scsi"
elif [ -e /sys/kernel/btf/vhost ]; then
    t_is "scsi: kicks of its first queue for requests" $scsi_kicks "$(total vhost_kicks_total scsi/$scsi_worker/2)"
    t_is "scsi: its depth, 4, 8 and 12" 24 "$(total vhost_depth_sum scsi/$scsi_worker/2)"
    t_json "scsi: the device takes no buffer" json "any(e.get('vhost', {}).get('scsi/$scsi_worker/2', {}).get('vhost_stalled_seconds_per_second', 0) > .9 for e in E)"
else t_is "scsi: kicks" $scsi_kicks "$(total vhost_kicks_total scsi/$scsi_worker/all)"; fi
t_is "none was missed" 0 "$(awk '/^kvis_vhost_missed_total/ { print $2 }' prom)"
t_json "whose it is" json "any(e.get('vhost', {}).get('$net/tx', {}).get('owner') == '$pid vhost' for e in E)"

seconds() { awk -v m="^kvis_vhost_gap_seconds_$2" -v r="ring=\"$1\"" -v t="vhost=\"$net/tx\"" \
    '$0 ~ m && index($0, r) && index($0, t) { printf "%.0f\n", $NF * ("'$2'" == "sum" ? 1e9 : 1) }' prom; } # seconds RING sum|count
# sizes HISTOGRAM VHOST: its buckets, as {LOWEST: COUNT}.
sizes() { echo "{v: sum(c for e in E for h in e.get('histograms', []) if h['name'] == '$1' and h.get('vhost') == '$2' for w, c in h['buckets'] if w == v) for v in range(64)}"; }
if [ ! -e /sys/kernel/btf/vhost ]; then
    t_hasnt "without the module's BTF: nothing of the ring is said" prom 'vhost_(stalled|depth|wake)|ring="(empty|not empty)"'
    t_within "gaps, of which it is not said which they are" $((tx_kicks - 1)) "$(seconds "not known" count)" $((tx_kicks + 5))
    t_within "their time" $((idle_least + stalled_least)) "$(seconds "not known" sum)" $whole
    t_has "why, is said" text 'vhost_stalled.*: reading virtqueues needs BTF for vhost'
    exit 0
fi
t_json "depth at each kick to send" json "{k: n for k, n in $(sizes vhost_depth $net/tx).items() if n} == {3: $tx_3, 5: $stalls, 20: $tx_20}"
t_json "and of the other queue" json "{k: n for k, n in $(sizes vhost_depth $net/rx).items() if n} == {2: 1, 4: 1, 6: 1, 8: 1}"
t_json "p50 and p99" json "all(d['vhost_depth_p50'] in (3, 5, 20) and d['vhost_depth_p50'] <= d['vhost_depth_p99'] <= d['vhost_depth_max'] for e in E for d in [e.get('vhost', {}).get('$net/tx', {})] if 'vhost_depth_p50' in d)"
t_is "from each kick till its handler ran" $tx_kicks "$(total vhost_wake_seconds_count $net/tx)"
t_is "stalls" $stalls "$(seconds "not empty" count)"
t_within "their time" $stalled_least "$(seconds "not empty" sum)" $stalled_most
t_within "gaps with an empty ring" $((tx_kicks - stalls)) "$(seconds empty count)" $((tx_kicks + 2))
t_within "their time" $idle_least "$(seconds empty sum)" $((whole - stalled_least))
t_is "the time stalled is the same" "$(seconds "not empty" sum)" \
    "$(awk -v t="vhost=\"$net/tx\"" '/^kvis_vhost_stalled_seconds_total/ && index($0, t) { printf "%.0f\n", $NF * 1e9 }' prom)"
t_is "what the guest receives by is never stalled" 0 "$(grep -c "stalled.*$net/rx\|ring=.*$net/rx" prom)"
t_is "behind an IOMMU: rings that were not read" $mmu_kicks "$(total vhost_depth_unread_total $mmu/tx)"
t_is "and nothing is said of them" 0 "$(grep -c "\(stalled\|depth_count\|empty\).*$mmu/" prom)"
