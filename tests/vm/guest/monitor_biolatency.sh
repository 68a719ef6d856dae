# monitor_biolatency: the times of the same requests as kvis monitor and biolatency see them.
# kernels: x86 !x86-5.10
# timeout: 120
# modules: configfs null_blk
# with: bcc
. /tests/lib.sh

other=/usr/sbin/biolatency
[ -x $other ] || { t_skip biolatency "not to be had"; exit 0; }
kvis monitor -c block -i 0.1 -n 1 >out 2>err
grep -q 'no such requests' out || { t_skip monitor "$(cat out err | cut -c 1-200)"; exit 0; }

null_disk completion_nsec=1000000; fast=$name
null_disk completion_nsec=20000000; slow=$name

$other >lat 2>lat.err &
bio=$!
links() { [ "$(ls -l /proc/$bio/fd | grep -c bpf)" -ge 4 ]; }
until_true 60 links || { t_skip biolatency "it does not begin here: $(head -n 1 lat.err)"; exit 0; }
kvis monitor -c block -i 1000 --histogram --prometheus=prom --json=json -o text &
kvis=$!
until_true 30 test -s prom
sleep 1
"$BIN/mon" disk $fast seq 400
"$BIN/mon" disk $slow spread 100
dd if=/dev/zero of=/dev/$fast bs=16k count=200 oflag=direct 2>/dev/null
kill -INT $kvis $bio
wait
[ -s lat ] || { t_skip biolatency "it says nothing: $(head -n 1 lat.err)"; exit 0; }
sed 's/^/# /' lat
slots=$(awk '$2 == "->" { printf "%d: %d, ", n++, $5 }' lat) # slot k: 2^k us and more
all="[h for h in E[0]['histograms'] if h['name'] in ('block_read_device', 'block_write_device')]"
t_json "as many requests" json "sum(h['count'] for h in $all) == sum({$slots}.values()) >= 700"
below="sum(n for h in $all for low, n in h['buckets'] if low // 1000 < 2 << i + %d)"
t_json "the same times, within a bucket" json "all($(printf "$below" -1) <= sum(n for k, n in {$slots}.items() if k <= i) <= $(printf "$below" 1) for i in range(1, 30))"
null_gone
