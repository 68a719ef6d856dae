# monitor_bpf: the BPF programs of kvis monitor: the scheduler metrics agree with the kernel's own counts, block metrics with disks
# of known latency and known patterns.
# kernels: all
# timeout: 120
# modules: configfs null_blk loop
. /tests/lib.sh

kvis monitor -c runq,block -i 0.1 -n 1 >out 2>err
grep -q 'runq  *n/a.*:' out && { t_skip monitor "$(grep 'runq  *n/a' out)"; exit 0; }

total() { awk -v m="^kvis_$1[{ ]" '$0 ~ m { n += $NF } END { printf "%.9g\n", n }' prom; } # total METRIC

begin() { # begin LIST JSON: starts kvis monitor for five intervals of a second
    t_begin prom kvis monitor -c $1 -i 1 -n 5 --histogram --prometheus=prom --json=$2 -o text
}

# spinners HOW TYPE: three spinners on each CPU print their own counts of /proc/self. TYPE: the BPF_PROG_TYPE_ of kvis's programs.
spinners() {
how=$1
"$BIN/mon" sums >before
begin runq,depth,stat json.$1
t_is "$how: the form of the programs" "$2" "$(cat /proc/$kvis/fdinfo/* | sed -n 's/^prog_type:[^0-9]*//p' | sort -u)"
"$BIN/mon" spin 3 3 >spun
"$BIN/mon" sums >after
wait
cat before after spun | sed 's/^/# /'
. ./before; forced0=$forced voluntary0=$voluntary wait0=$wait_ns
. ./after; others=$((forced - forced0)) ovol=$((voluntary - voluntary0)) owait=$((wait_ns - wait0))
. ./spun
t_is "$how: the beginning of each wait is known, except at the start" 1 $(($(total runq_waits_unseen_total) < 10))
t_within "$how: forced switches" "$forced" "$(total involuntary_switches_total)" $((forced + others + 60))
t_within "$how: all switches, with those to nothing" $((forced + voluntary)) \
    "$(($(total switches_total) - $(total idle_switches_total)))" $((forced + voluntary + others + 2 * ovol + 400))
[ "$wait_ns" = 0 ] || t_within "$how: time waited, in ms" $((wait_ns / 1000000 * 98 / 100)) \
    "$(total runq_wait_seconds_sum | awk '{ print int($1 * 1000) }')" $(((wait_ns + owait) / 1000000 * 104 / 100 + 50))
t_is "$how: as many waits as switches to a task" 1 "$(awk -v w="$(total runq_wait_seconds_count)" -v u="$(total runq_waits_unseen_total)" \
    -v s="$(total switches_total)" -v i="$(total idle_switches_total)" 'BEGIN { print w + u == s - i }')"
# Both read at nearly the same time (kvis read /proc/stat for the first time before it loaded its programs).
t_json "$how: as /proc/stat" json.$1 'abs(sum((e["switches_per_second"] - e["context_switches_per_second"]) * e["interval_ns"] for e in E[1:])) / 1e9 < 10 + .01 * sum(e["switches_per_second"] for e in E[1:])'
}
spinners btf 26 # TRACING (every kernel of the table has it)
# A task that wakes up next to the three spinners makes a depth of 4; on a busy host, these can be as frequent.
t_json "three can run on each CPU" json.btf '(lambda n: sum(c for v, c in n if v >= 3) >= .9 * sum(c for v, c in n) and sum(c for v, c in n if v == 3) >= .2 * sum(c for v, c in n))([b for e in E[1:3] for h in e["histograms"] if h["name"] == "runq_depth" for b in h["buckets"]])'
# A task on the CPU of a spinner wants more than its share. There are two tasks when it wakes up and one when it sleeps, but the kernel
# may leave it on the queue for a while (6.12).
begin depth json.naps
"$BIN/mon" naps 3 >napped
wait
cat napped
. ./napped
t_json "two can run only when both do" json.naps \
    "-20 < sum(c for e in E for h in e['histograms'] for v, c in h['buckets'] if v == 2) - $naps - 2 * $forced < 40"
t_has "a histogram" text '^ +[0-9]+ -> [0-9]+ +: [0-9]+ +\|\*+ *\|$'

# A task moves 500 times to another CPU. The kernel also counts the migrations of all other tasks.
t_begin prom kvis monitor -c runq -i 1000 --prometheus=prom -o text
"$BIN/mon" sums >before
"$BIN/mon" hop 500 >hopped
"$BIN/mon" sums >after
t_stop
. ./before; moved0=$moved
. ./after; . ./hopped
cat hopped
[ "$own" = 0 ] || t_is "hops by the kernel's own count" 500 "$own"
t_within "migrations" 500 "$(total sched_migrations_total)" $((500 + moved - moved0 + 30))

mount -t tmpfs none /sys/kernel/btf
spinners nobtf 5
t_json "without BTF: their number is not known" json.nobtf 'not any("runq_depth_p50" in e for e in E)'
t_fails 125 "without BTF: blocks" kvis monitor -c block -n 1 -i 0.1
t_has "are n/a" out '^block +n/a: blk_issue: no usable request.*: no BTF: /sys/kernel/btf/vmlinux cannot be opened: '
umount /sys/kernel/btf

seen() { # seen HOW: 160 reads of it, all in one interval
    t_begin prom kvis monitor -c block,disks -i 1000 --histogram --prometheus=prom --json=json.$1 -o text
    "$BIN/mon" disk "$name" "$1" 160 >took
    t_stop
    cat took
    . ./took
    rm took
    t_is "$1: requests" 160 "$(grep "^kvis_block_size_bytes_count{op=\"read\",device=\"$name\"" prom | awk '{ print $NF }')"
    t_is "$1: bytes" 655360 "$(grep "^kvis_block_size_bytes_sum{op=\"read\",device=\"$name\"" prom | awk '{ print $NF }')"
    d="[e['device']['$name'] for e in E][0]"
    t_is "$1: reads and bytes of diskstats" "$(awk -v d="$name" '$3 == d { printf "%d %d\n", $4, $6 * 512 }' /proc/diskstats)" \
        "$(awk -v d="device=\"$name\"" 'index($0, d) && /reads_completed/ { r = $NF } index($0, d) && /disk_read_bytes/ { b = $NF } END { printf "%d %d\n", r, b }' prom)"
    t_json "$1: IOPS" json.$1 "abs($d['block_iops'] * E[0]['interval_ns'] / 1e9 / 160 - 1) < .15"
    t_json "$1: none missed" json.$1 'E[0]["block_requests_missed_per_second"] == 0'
}
null_disk completion_nsec=10000000
"$BIN/mon" disk "$name" first 1 # kvis ignores a disk that has never been used
seen first
t_json "first: not sequential" json.first "$d['block_sequential_ratio'] < .1"
t_json "10 ms in the device, and never more than the reads took" json.first "1e7 * .968 <= $d['block_read_device_p50_ns'] <= $p50_ns * 1.032 and $d['block_read_device_p99_ns'] <= $p99_ns * 1.032 and $d['block_read_device_max_ns'] <= $max_ns * 1.032"
t_json "queue and device together" json.first "$d['block_read_device_p50_ns'] + $d['block_read_queue_p50_ns'] <= $p50_ns * 1.1"
t_json "4096 bytes" json.first "$d['block_read_size_p50_bytes'] == $d['block_read_size_max_bytes'] == 4096"
seen spread
t_json "spread: not sequential" json.spread "$d['block_sequential_ratio'] < .1"
seen seq
t_json "seq: sequential" json.seq "$d['block_sequential_ratio'] > .95"

# A new loop device, whose first request has no predecessor; then another file, which is 16 times as large.
loop() { # loop MB
    truncate -s ${1}M f$1 && losetup /dev/loop7 f$1
}
if loop 16; then
    kvis monitor -c block,disks -i 1 -n 9 --json=json.loop -o text &
    until_true 10 grep -q '"type":"sample"' json.loop
    "$BIN/mon" disk loop7 seq 1 >took
    sleep 1.5
    losetup -d /dev/loop7
    loop 256
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$BIN/mon" disk loop7 spread 160 >took
        sleep .4
    done
    wait
    d="[e['device']['loop7'] for e in E if 'block_sequential_ratio' in e.get('device', {}).get('loop7', {})]"
    t_json "loop: nothing was before the first request, and others are not in order" json.loop "len($d) > 2 and $d[0]['block_sequential_ratio'] == 0 and all(x['block_sequential_ratio'] < .1 for x in $d)"
    losetup -d /dev/loop7
    rm f16 f256
else
    t_skip loop "no loop device here"
fi
null_gone
