#!/bin/sh
# Every number of a machine made of files is right, while devices appear and disappear, and counters wrap and decrease.
# tier: gate
# timeout: 150
# needs: python3 promtool
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_tree.py" a a && python3 "$TESTS/lib/mon_tree.py" b b || fail "no trees"
ln -s a now
now() { cut -d' ' -f1 /proc/uptime; }
ln -s b new
begin=$(now)
launch p.prom monitor -i 4 -n 2 --per-cpu --json=json --csv=csv --prometheus=p.prom --path.rootfs="$PWD/now" -o text
kill -STOP $kvis # before its second look, which is 4 s after the first
stopped=$(now)
cp p.prom before
mv -T new now
sleep 3.8
continued=$(now)
kill -CONT $kvis
until_true 30 grep -q '"type":"sample"' json || fail "no second look"
seen=$(now)
finish; status 0
for f in before p.prom; do promtool_takes $f; done
is() { printf "%s\n\0" "$1" >>wants; } # all at once, below: a python for each takes a minute on a busy machine
# Rates: each file has its own interval between two looks. kvis was stopped between them, so the interval is at
# least as long as the stop, and at most the time from the start of kvis to its line. Those of one file are
# compared with each other, too. What was counted, to the unit: Prometheus, below.
# within RATE COUNTED: RATE is that of COUNTED occurrences in this interval.
within() { is "shortest <= ($2) / ($1) <= longest"; }
same() { is "abs(($1) - ($2)) < 1e-6"; }
exact() { is "abs(($1) / ($2) - 1) < 1e-6"; }
is 'len(E) == 2'
e='E[0]' c0='E[0]["cpu"]["0"]'
# 100 ticks of cpu0; iowait, which went back, counts as none
for m in user:50 system:20 idle:20 iowait:0 irq:1 softirq:2 steal:7 guest:10; do
    same "$c0['${m%:*}_ratio']" "${m#*:} / 100"
done
same "$e['cpu']['1']['user_ratio']" 1
same "$e['user_ratio']" "150 / 200"
is "'5' not in $e['cpu'] and 'user_ratio' not in $e['cpu']['7'] and $e['cpus_online'] == 3"
is "E[1]['counters_backwards'] >= 1"
rates() { # rates OF NAME:COUNTED...
    of=$1; shift
    for m; do within "$of['${m%:*}_per_second']" "${m#*:}"; done
}
# core_throttles: once, and not by each of its two CPUs
rates "$e" context_switches:1000 interrupts:1000 forks:7 pressure_io_waiting_seconds:0.25 pressure_io_stalled_seconds:0.25 \
    schedstat_waiting_seconds:2 paged_in_bytes:10240 swap_in_bytes:$((10 * $(getconf PAGESIZE))) page_faults:1000 minor_faults:990 \
    major_faults:10 allocation_stalls:30 workingset_refaults:30 oom_kills:1 page_migrations:10 disk_reads:134 core_throttles:2 \
    tcp_retransmitted_segments:100 tcp_listen_drops:20 udp_receive_buffer_errors:100
rates "$c0" schedstat_running_seconds:8 schedstat_timeslices:7 softnet_processed:100
# disk_io_time_seconds: the kernel's 32 bits came round
rates "$e['device']['sda']" disk_reads:100 disk_writes:10 disk_read_bytes:$((16000 * 512)) disk_discards:5 \
    disk_discarded_bytes:$((800 * 512)) disk_io_time_seconds:0.196
exact "$e['forks_per_second'] / $e['context_switches_per_second']" 0.007
is "[$e[k] for k in ('procs_running', 'procs_blocked', 'load1', 'load5')] == [3, 1, 0.52, 1.05]"
same "$e['load15']" 12.99
is "'pressure_irq_stalled_seconds_per_second' not in $e"
is "$e['pressure_memory_waiting_seconds_per_second'] == 0"
is "[$e['memory_%s_bytes' % k] for k in ('total', 'free', 'anon', 'anon_huge')] ==
    [1024000000, 256000000, 81920000, 20480000] and $e['thp_ratio'] == 0.25"
is "'memory_available_bytes' not in $e"
exact "$e['minor_faults_per_second'] / $e['page_faults_per_second']" 0.99
exact "$e['paged_in_bytes_per_second'] / $e['page_faults_per_second']" 10.24
p="$e['hugepages']['2048kB']"
is "$p == {'hugepages': 100, 'hugepages_free': 10, 'hugepages_reserved': 30,
    'hugepages_surplus': 4, 'hugepages_overcommit': 8, 'hugepage_pool_ratio': 0.9}"
is "'hugepage_pool_ratio' not in $e['hugepages']['1048576kB']"
n="$e['node']"
is "list($n) == ['0', '8'] and $n['0']['topology'] == 'CPUs 0-1, distances 10 21 31'"
within "$n['0']['numa_hit_per_second']" 80
same "$n['0']['numa_remote_ratio']" 0.25
same "$n['8']['numa_remote_ratio']" 1
is "0.4 * shortest / longest <= $e['numa_remote_ratio'] <= 0.4 * longest / shortest" # two files
is "$n['8']['node_memory_anon_bytes'] == 77 * 1024 and $n['8']['node_hugepages'] == 9"
d="$e['device']['sda']"
within "$d['block_iops']" 110
exact "$d['block_iops'] / $d['disk_reads_per_second']" 1.1
exact "$d['disk_read_bytes_per_second'] / $d['disk_reads_per_second']" 81920
exact "$d['disk_io_time_seconds_per_second'] / $d['disk_reads_per_second']" 0.00196
is "$d['disk_flushes_per_second'] == 0 and $d['disk_io_now'] == 2"
same "$d['disk_read_mean_seconds']" 0.002
same "$d['disk_write_mean_seconds']" 0.005
is "'disk_reads_per_second' not in $e['device']['sdb'] and 'loop1' not in $e['device']"
is "E[1]['device']['sdb']['disk_reads_per_second'] == 0"
is "$e['device']['sda1']['on'] == 'sda' and sorted($e['device']['dm-0']['on'].split(',')) == ['sda1', 'sdb']"
is "'cciss/c0d0' in $e['device']"
within "$e['device']['sdc']['disk_reads_per_second']" 30 # it was there, with nothing
within "$e['device']['sdd']['disk_reads_per_second']" 4  # it was not
z="$e['zone']"
is "$z['0']['type'] == 'x86_pkg_temp' and $z['0']['thermal_celsius'] == 61"
is "$z['0']['thermal_headroom_celsius'] == 34 and $z['0']['thermal_critical_celsius'] == 105"
within "$z['0']['thermal_trend_celsius_per_second']" 1
is "$z['5']['thermal_critical_celsius'] == 100.5 and $z['5']['thermal_headroom_celsius'] == 70.5"
is "not any('thermal_celsius' in $z.get(k, {}) for k in '1234')"
is "$e['thermal_celsius'] == 61 and $e['thermal_headroom_celsius'] == 34"
h="$e['sensor']"
is "$h['hwmon2/temp2'] == {'label': 'coretemp Core 0', 'sensor_celsius': 63,
    'sensor_critical_celsius': 100, 'sensor_headroom_celsius': 37}"
is "$h['hwmon2/power1'] == {'label': 'coretemp', 'sensor_power_watts': 12.5}"
is "$h['hwmon0/temp1'] == {'label': 'k10temp', 'sensor_celsius': 50.125}"
is "$c0['frequency_hertz'] == 2.4e9 and $e['frequency_hertz'] == 3e9"
is "$e['frequency_limit_hertz'] == 3.8e9 and $e['frequency_max_hertz'] == 4e9"
within "$e['core']['1/4']['core_throttles_per_second']" 2
is "$e['core']['1/4']['package'] == '1' and list($e['package']) == ['1']"
i="$e['interface']"
# hardware first, whatever the order of the files
is "[n for n in $i if n != 'odd'] == ['eth0', 'wide0', 'br0', 'lo']"
is "list($e['device'])[-1] == 'loop0'"
within "$i['eth0']['network_receive_bytes_per_second']" 2500000
for m in receive_packets:2000 receive_errs:2 receive_drop:10 receive_fifo:1 transmit:1250000 \
    transmit_packets:1000 transmit_drop:20 transmit_carrier:1; do
    name=${m%:*}
    [ $name = transmit ] && name=transmit_bytes
    exact "$i['eth0']['network_${name}_per_second'] / $i['eth0']['network_receive_bytes_per_second']" \
        "${m#*:} / 2500000"
done
is "$i['eth0']['driver'] == 'e1000e' and $i['eth0']['network_speed_bytes_per_second'] == 12.5e6"
within "$i['eth0']['network_receive_utilization_ratio']" 0.2
within "$i['eth0']['network_transmit_utilization_ratio']" 0.1
is "$i['eth0']['network_transmit_errs_per_second'] == 0 and 'driver' not in $i['lo']"
is "'network_speed_bytes_per_second' not in $i['wide0'] and 'network_speed_bytes_per_second' not in $i['br0']"
within "$i['eth0']['network_carrier_changes_per_second']" 4
exact "$e['network_receive_packets_per_second']" "2 * $i['eth0']['network_receive_packets_per_second']" # not lo
exact "$e['tcp_segments_received_per_second'] / $e['tcp_retransmitted_segments_per_second']" 9
same "$e['tcp_retransmit_ratio']" 0.25
is "$e['tcp_established'] == 12 and $e['tcp_backlog_drops_per_second'] == 0"
exact "$e['tcp_listen_overflows_per_second'] / $e['tcp_listen_drops_per_second']" 0.5
is "'udp_send_buffer_errors_per_second' not in $e"
exact "$c0['softnet_times_squeezed_per_second'] / $c0['softnet_dropped_per_second']" 2
is "$e['cpu']['7']['softnet_dropped_per_second'] == 0"
is "[$e[k] for k in ('filefd_allocated', 'filefd_maximum', 'filefd_used_ratio')] == [3000, 12000, 0.25]"
is "[$e[k] for k in ('threads', 'threads_maximum', 'threads_used_ratio')] == [456, 1824, 0.25]"
is "$e['nf_conntrack_used_ratio'] == 0.9 and $e['tcp_memory_used_ratio'] == 0.25"
is "$e['tcp_memory_limit_bytes'] == 100 * $(getconf PAGESIZE)"
why() { echo "[u['reason'] for u in $e['unavailable'] if u['source'] == '$1'][0]"; }
is "$(why psi).startswith('/proc/pressure/irq needs')"
is "'thermal_zone1/temp: ERANGE' in $(why zones)"
python3 - $begin $stopped $continued $seen <<'END' || fail "not so in json"
import sys
import j
E = [e for e in j.load(open("json", "rb")) if e["type"] == "sample"]
begin, stopped, continued, seen = map(float, sys.argv[1:])
shortest, longest = continued - stopped - 0.01, seen - begin + 0.01  # /proc/uptime has hundredths
print("each file: between", shortest, "and", longest, "s")
wants, bad = open("wants").read().split("\0")[:-1], 0
for w in wants:
    try:
        if not eval("(" + w + ")"):
            raise AssertionError
    except Exception as e:
        bad += 1
        print("not so:", w, repr(e))
print(len(wants), "conditions,", bad, "failed")
sys.exit(bad > 0 or len(wants) < 70)
END
# Prometheus: what the kernel has counted, to the unit, and never less than before
has p.prom '^kvis_cpu_seconds_total[{]mode="user",cpu="0"} 10.5$'
has p.prom '^kvis_cpu_seconds_total[{]mode="iowait",cpu="0"} 1$'
has p.prom '^kvis_context_switches_total 31000$'
has p.prom '^kvis_disk_read_bytes_total[{]device="sda"} 12288000$'
has p.prom '^kvis_disk_io_time_seconds_total[{]device="sda"} 4294967.392$'
has p.prom '^kvis_disk_reads_completed_total[{]device="sda1"} 10$'
has p.prom '^kvis_disk_on_info[{]device="sda1",on="sda"} 1$'
has p.prom '^kvis_memory_MemTotal_bytes 1024000000$'
has p.prom '^kvis_memory_numa_MemTotal[{]node="8"} 1024000$'
has p.prom '^kvis_numa_node_info[{]node="8",topology="CPUs none, distances 10 21 31"} 1$'
has p.prom '^kvis_thermal_zone_temp[{]zone="0",type="x86_pkg_temp"} 61$'
has before '^kvis_cpu_seconds_total[{]mode="user",cpu="5"} 0.01$'
hasnt p.prom 'cpu="5"'
has p.prom '^kvis_network_receive_bytes_total[{]device="eth0"} 3500000$'
has p.prom '^kvis_cpu_core_throttles_total[{]core="4",package="1"} 12$'
has p.prom '^kvis_cpu_package_throttles_total[{]package="1"} 3$'
has p.prom '^kvis_network_speed_bytes[{]device="eth0"} 12500000$'
has p.prom '^kvis_network_driver_info[{]device="eth0",driver="e1000e"} 1$'
has p.prom '^kvis_softnet_processed_total[{]cpu="7"} 4294967295$'
has p.prom '^kvis_netstat_Tcp_RetransSegs 140$'
has p.prom '^kvis_threads_maximum 1824$'
# the same numbers in the other sinks
python3 - <<'END' || fail "csv"
import csv, json
e = [json.loads(s) for s in open("json")][1]
rows = [r for r in csv.DictReader(open("csv")) if int(r["time_ns"]) == e["time_ns"]]
flat = {(k, ""): v for k, v in e.items() if not isinstance(v, (dict, list))}
for dim in ("cpu", "core", "package", "node", "device", "zone", "sensor", "hugepages", "interface", "longest_wait"):
    for name, v in e.get(dim, {}).items():  # the last one is of this machine
        flat.update({(k, name): x for k, x in v.items()})
for r in rows:
    assert float(r["value"]) == flat[r["metric"], r["name"]], r
    assert r["info"] == (flat["type", r["name"]] if r["of"] == "zone" else r["info"]), r
print(len(rows), "rows agree")
assert len(rows) > 200
END
has text '^stat +cpu=0 user=50.0% .* steal=7.0%'
has text '^disks +device=sda1 on="sda" '
has text '^zones +zone=0 type="x86_pkg_temp" thermal=61.0C .*thermal_headroom=34.0C'
has text '^psi +n/a pressure_irq_stalled: .*needs Linux 6.1'
eq "reasons" 1 "$(grep -c '^psi.*n/a' text)"
# text shows a missing source with the reason, not each of its metrics
has text '^membw +n/a: '
has text '^meminfo +n/a memory_available and 10 more: /proc/meminfo of this kernel lacks this value'
has text '^cpufreq +n/a in part: .*cpu7'
# A '/' at the end of a root is no part of the names in it.
run monitor -c psi,zones -i 0.05 -n 1 --json=json --path.rootfs="$PWD/none//" -o text
hasnt err '//'
# the interrupts that occurred most often, by CPU
rm now && ln -s a now && ln -s b new
launch q.prom monitor -i 1 -n 1 -c irqs --json=json --prometheus=q.prom --path.rootfs="$PWD/now" -o text
mv -T new now
finish; status 0
want "[(k, v['handler']) for k, v in E[0]['irq'].items()] == [('24/1', 'PCI-MSI  1-edge  eth0-rx'), ('LOC/0', 'Local timer interrupts')]"
want "abs(E[0]['irq']['24/1']['irq_interrupts_per_second'] / E[0]['irq']['LOC/0']['irq_interrupts_per_second'] - 5) < 1e-6"
# file systems below one that may wait for a server are not looked up; one with a similar name is
mkdir -p mounts/proc/1
{
    echo '1 0 0:50 / /n rw - nfs4 server:/ rw'
    echo '2 1 0:51 / /f rw - fuse.sshfs server:/ rw'
    n=3
    for path in /n/x /nx /f '/a\040b'; do
        printf '%s\n' "$n 1 8:$n / $path ro - ext4 /dev/sda$n ro"
        n=$((n + 1))
    done
} >mounts/proc/1/mountinfo
run monitor -c filesystems -i 0.05 -n 1 --json=json --path.rootfs="$PWD/mounts" -o text
want "set(E[0]['filesystem']) == {'/nx', '/a b'}"
