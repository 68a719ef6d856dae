#!/bin/sh
# kvis monitor -c busy ranks processes in the order of their own accounting.
# tier: quick
# timeout: 200
# needs: root python3 promtool
. "$TESTS/lib/lib.sh"
# In a pid namespace: no other processes are in the top five.
[ "${MONITOR_BUSY_INSIDE:-}" ] || MONITOR_BUSY_INSIDE=1 exec unshare -pf --kill-child --mount-proc /bin/sh "$0"
mkdir a b
python3 "$TESTS/lib/mon_tree.py" a tasks:a && python3 "$TESTS/lib/mon_tree.py" b tasks:b || fail "no trees"
for t in a b; do # a thread of process 20 exits before its CPU is read, and a CPU has the number that kvis uses for unknown ones
    mkdir -p $t/proc/20/task/77 $t/sys/devices/system/node/node0 $t/sys/devices/system/node/node1 \
        $t/sys/devices/system/cpu/cpu8192/node0
    echo "7f00 default anon=10 N0=10 kernelpagesize_kB=4" >$t/proc/20/numa_maps
done
ln -s a now
launch p.prom monitor -i 4 -n 2 -c busy,pages --json=json --prometheus=p.prom --path.rootfs="$PWD/now" -o text
ln -s b new && mv -T new now
finish; status 0
promtool_takes p.prom
s='E[0]["interval_ns"] / 1e9 *' B='E[0]["busy"]'
# A reading may be late. The real length of the interval follows from process 20, which used 1 s of CPU time. All rates of a process
# have the same interval.
near() { want "abs(($1) / ($2) / ($s $B['20']['busy_cpu_seconds_per_second']) - 1) < 0.15"; }
want "$B['20']['comm'] == 'spins) (' and $B['50']['busy_resident_bytes'] == 5000 * $(getconf PAGESIZE)"
near "$s $B['30']['busy_waiting_seconds_per_second']" 0.65 # of its threads, not of the first alone
want "$B['30']['busy_threads'] == 3 and $B['30']['busy_read_bytes_per_second'] == 0"
near "$s $B['40']['busy_read_bytes_per_second']" 8e6
want "$B['40']['busy_written_bytes_per_second'] == 0 and $B['40']['busy_cpu_seconds_per_second'] == 0"
near "$s $B['50']['busy_minor_faults_per_second']" 6000
want "abs($B['50']['busy_minor_faults_per_second'] / $B['50']['busy_major_faults_per_second'] / 20 - 1) < 1e-6"
near "$s $B['60']['busy_cpu_seconds_per_second']" 0.03 # another process of that pid: all it did, it did since
near "$s $B['80']['busy_cpu_seconds_per_second']" 0.4
want "abs($B['80']['busy_cpu_seconds_per_second'] / $B['80']['busy_waiting_seconds_per_second'] / 4 - 1) < 1e-6"
want "$B['70']['busy_swap_bytes'] == 600 * 1024 and $B['20']['busy_swap_bytes'] == 0"
want "'90' not in $B and '105' not in $B and '85' not in $B" # 85: what it did before is no part of this interval
want "all(v == 0 for k, v in E[1]['busy']['50'].items() if 'per_second' in k) and '80' not in E[1]['busy']"
has text '^busy +pid=20 comm="spins\) \(" busy_cpu='
run monitor -n 1 -i .1 --json=json --path.rootfs="$PWD/now"
want '"busy" not in E[0]'
cp -r b old && find old -name schedstat -delete
run monitor -n 1 -i 0.1 -c busy -o text --path.rootfs="$PWD/old" # a kernel without CONFIG_SCHED_INFO
has text 'busy +n/a busy_waiting and 1 more: /proc/PID/schedstat: ENOENT [(]needs a kernel with CONFIG_SCHED_INFO'

# A process that was among the first five is shown until it leaves the first ten.
for t in 0 1 2 3; do python3 "$TESTS/lib/mon_tree.py" turns$t turns:$t || fail "no tree"; done
rm -r turns3/proc/212
turns() { # kvis monitor through the four
    ln -sfn turns0 now
    launch p.prom monitor -i 2 -n 3 -c busy --json=json --prometheus=p.prom --path.rootfs="$PWD/now" -o text
    for t in 1 2 3; do
        ln -sfn turns$t new && mv -T new now
        until_true 30 eval '[ "$(grep -c sample json)" -ge $t ]' || fail "no sample"
    done
    finish; status 0
}
turns
want "[sorted(int(p) for p in e['busy']) for e in E[:3]] == [[201, 202, 203, 204, 205], [201, 202, 203, 204, 205, 206], \
    [201, 202, 203, 204, 206]]"
# Live: three on one CPU, of which each waits; one that writes; one with memory. They tell what they did.
cat >live.py <<'END'
import mmap, os, resource, sys, threading, time
what = sys.argv[1]
open("/proc/self/comm", "w").write(what)
def thread():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
if what == "spin":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for _ in range(2):
        threading.Thread(target=thread, daemon=True).start()
if what == "memory":
    m = mmap.mmap(-1, 256 << 20)
    for at in range(0, len(m), 4096):
        m[at] = 1
if what == "write":
    f = os.open("big", os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
    page = mmap.mmap(-1, 1 << 16)
print("there", flush=True)
def scheduled():
    """The time on CPUs and in run queues of all threads, in seconds."""
    both = [open(f"/proc/self/task/{t}/schedstat").read().split()[:2] for t in os.listdir("/proc/self/task")]
    return [sum(map(int, each)) / 1e9 for each in zip(*both)]
n = 0
while not os.path.exists("stop"):
    if what == "write":
        os.pwrite(f, page, n % 64 << 16)
        n += 1
    if what == "spin":
        print("at", time.time_ns(), *scheduled(), time.time_ns(), flush=True)
    if what != "write":
        time.sleep(0.05)
r = resource.getrusage(resource.RUSAGE_SELF)
print(r.ru_utime + r.ru_stime, scheduled()[1], n << 16, r.ru_maxrss << 10, flush=True)
os._exit(0)
END
touch big
[ "$(stat -f -c %T .)" != tmpfs ] && disk='write' || disk='' # which has no disk
for p in spin memory $disk; do
    python3 live.py $p >$p.out 2>$p.err 9>&- &
    eval $p=$!
done
trap 'touch stop' EXIT
for p in spin memory $disk; do until_true 20 grep -q there $p.out || fail "no $p: $(cat $p.err)"; done
launch p.prom monitor -i 0.5 -c busy --json=json --prometheus=p.prom -o text
until_true 20 eval '[ "$(grep -c sample json)" -ge 4 ]' || fail "no samples"
touch stop
wait $spin
finish INT; status 0
want "all(e['busy']['$spin']['comm'] == 'spin' for e in E[:4])"
want "all(e['busy']['$spin']['busy_threads'] == 3 for e in E[:3])"
rate() { js "sum(e['interval_ns'] * e['busy']['$1']['$2'] for e in E[:4]) / 1e9" json; } # rate PID WHAT: added up
# Each interval lies between what spin itself read shortly before and after its ends.
python3 - $spin <<'END' || fail "spin: not what it says"
import json, sys
own = [list(map(float, line.split()[1:])) for line in open("spin.out") if line.startswith("at ")]
def around(ns):
    """The last row before this time and the first one after it, each at least 0.1 s away: kvis may read the threads late."""
    before = [row for row in own if row[3] < ns - 1e8]
    after = [row for row in own if row[0] > ns + 1e8]
    return (before or own[:1])[-1], (after or own[-1:])[0]
for e in [e for e in map(json.loads, open("json")) if e["type"] == "sample"][1:4]:
    (first, last), (least, most) = around(e["time_ns"] - e["interval_ns"]), around(e["time_ns"])
    for column, key in (1, "busy_cpu_seconds_per_second"), (2, "busy_waiting_seconds_per_second"):
        got = e["busy"][sys.argv[1]][key] * e["interval_ns"] / 1e9
        print(key, least[column] - last[column], got, most[column] - first[column])
        # 0.02: CPU time is in ticks, and the kernel does not report a wait before it ends
        assert least[column] - last[column] - 0.02 <= got <= most[column] - first[column] + 0.02, key
END
want "max(v['busy_resident_bytes'] for e in E[:4] for k, v in e['busy'].items() if k == '$memory') > 256 << 20"
if [ "$disk" ]; then
    wait $write
    got=$(rate $write busy_written_bytes_per_second) all=$(tail -n 1 write.out | cut -d ' ' -f 3)
    say "write: $got of $all"
    want "0 < $got <= $all * 1.02"
fi
# tasks_waiting has CPUs even if no other source reads the list of CPUs.
gives 0 monitor -c busy -i 0.3 -n 1 --per-cpu -o text
has text ' tasks_waiting=[0-9.]+'
hasnt text 'n/a .*tasks_waiting|busy +n/a'
