# monitor_parts: a device mapper or md device on several disks is shown with its components; sums count its I/O
# once.
# kernels: all
# timeout: 90
# modules: configfs null_blk dax dm-mod md-mod raid0
. /tests/lib.sh

null_disk memory_backed=1; a=$name
null_disk memory_backed=1; b=$name
reads() { awk '{ print $1 }' "/sys/block/$1/stat"; }

total() { awk -v d="device=\"$1\"" 'index($0, d) && /^kvis_disk_reads_completed_total/ { n = $NF } END { print n + 0 }' $2; }

# seen WHOLE: 400 reads (and those of the kernel, for partitions) of 4 KB from all over it, each by one of its parts
seen() {
    a0=$(reads $a) b0=$(reads $b) w0=$(reads $1)
    t_begin prom kvis monitor -c io -i 1000 --json=json.$1 --prometheus=prom -o text.$1
    cp prom prom.before
    "$BIN/mon" disk "$1" spread 400 >took || t_not_ok "$1: cannot be read"
    t_stop
    in_a=$(($(reads $a) - a0)) in_b=$(($(reads $b) - b0)) in_w=$(($(reads $1) - w0))
    echo "# $1: $in_w reads, $in_a of $a, $in_b of $b"
    [ $in_a -ge 100 ] && [ $in_b -ge 100 ] && [ $in_w -ge 400 ] && t_pass "$1: both parts are read" || t_not_ok "$1: $in_a, $in_b"
    t_json "$1: its parts" json.$1 "sorted(E[0]['device']['$1']['on'].split(',')) == sorted(['$a', '$b'])"
    t_json "$1: a part is nobody's" json.$1 "'on' not in E[0]['device']['$a'] and 'on' not in E[0]['device']['$b']"
    for d in $1:$in_w $a:$in_a $b:$in_b; do
        t_is "$1: reads of ${d%:*}" ${d#*:} $(($(total ${d%:*} prom) - $(total ${d%:*} prom.before)))
    done
    t_json "$1: each once in the sum" json.$1 "(lambda r: r['disk_reads_per_second'] > 0 and abs(sum(r['device'][d]['disk_reads_per_second'] for d in ('$a', '$b')) / r['disk_reads_per_second'] - 1) < 1e-6)(E[0])"
    for d in $a $b; do
        have=$(grep "^kvis_block_size_bytes_count{op=\"read\",device=\"$d\"" prom | awk '{ print $NF }')
        want=$in_a
        [ $d = $a ] || want=$in_b
        if grep -Eq '^block +n/a(:| block_sequential)' text.$1; then t_skip "$1: requests of $d" "no BTF or no rights"
        else t_is "$1: requests of $d" $want "$have"; fi
    done
    t_has "$1: so it is shown" text.$1 "^disks  *device=$1 on=\"$a,$b\"|^disks  *device=$1 on=\"$b,$a\""
}

if "$BIN/stack" linear kvwhole /dev/$a /dev/$b >out 2>&1; then
    dm=$(basename "$(dirname /sys/block/*/dm)")
    until_true 5 test -b /dev/$dm || mknod /dev/$dm b $(tr : ' ' </sys/block/$dm/dev)
    seen $dm
    t_ok "unlinear" "$BIN/stack" unlinear kvwhole
else
    t_skip "device mapper" "$(cat out)"
fi
if "$BIN/stack" raid0 /dev/$a /dev/$b >out 2>&1; then
    seen md127
    t_ok "stop" "$BIN/stack" stop
else
    t_skip md "$(cat out)"
fi
null_gone
