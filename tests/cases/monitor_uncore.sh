#!/bin/sh
# Memory controllers, RAPL and resctrl are counted by the kernel's events for each machine, and agree with perf stat.
# tier: quick asan
# timeout: 180
# needs: root python3 strace perf promtool setpriv
# alone: it counts the page faults of a CPU
. "$TESTS/lib/lib.sh"
python3 "$TESTS/lib/mon_uncore.py" "$KVIS" || fail "not the events that the kernel has for them"

# Two sockets, CPU 0 and CPU 1. kvis must count at least the faults of a perf stat that runs while kvis runs, and at most those of a
# perf stat that runs kvis.
python3 "$TESTS/lib/mon_uncore.py" counting t || fail "no tree"
[ "$(cat /sys/devices/system/cpu/online)" != 0 ] || skip "one CPU"
stat="perf stat -x, -C 0 -e page-faults,minor-faults"
cat >load.py <<'EOF'
import mmap
m = mmap.mmap(-1, 40000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(15)  # MADV_NOHUGEPAGE
for page in range(40000):
    m[page * 4096] = 1
EOF
cat >inside <<EOF
"$KVIS" monitor -c uncore -i 0.4 --json=json --prometheus=p.prom --path.rootfs="$PWD/t" -o text &
kvis=\$!
until [ -s p.prom ] && grep -q power_pack text; do sleep 0.05; done
python3 "$TESTS/lib/mon_uncore.py" resctrl t
$stat -o inner taskset -c 0 python3 load.py
n=\$((\$(grep -c ^time text) + 2)) # the first of these may have begun before
until [ "\$(grep -c ^time text)" -ge \$n ]; do sleep 0.05; done
kill -INT \$kvis
wait \$kvis
EOF
$stat -o outer sh inside 2>err 9>&- || fail "kvis failed"
promtool_takes p.prom
cat >check.py <<'EOF'
import json, re
rows = [json.loads(x) for x in open("json")]
E = [r for r in rows if r["type"] == "sample"]
prom = dict(re.match(r"kvis_(\S+) (\S+)", x).groups() for x in open("p.prom") if x[0] != "#")
inner, outer = ([int(x.split(",")[0]) for x in open(f) if ",page-faults" in x or ",minor-faults" in x]
                for f in ("inner", "outer"))
assert len(E) > 2 and inner[0] >= 40000, (len(E), inner)
minor = float(prom['memory_write_bytes_total{socket="0"}']) / 64
assert 2 * inner[1] <= minor <= 2 * outer[1], (inner, minor, outer)  # of both boxes
def near(a, b, by=0.05):
    assert abs(a / b - 1) < by, (a, b)
def mean(key, *at):  # of all intervals: a busy machine makes one longer for what is read late in it
    v = [e if not at else e["socket"][at[0]] for e in E]
    return sum(x[key] * e["interval_ns"] for x, e in zip(v, E)) / sum(e["interval_ns"] for e in E)
for s in ("0", "1"):
    near(mean("power_package_watts", s), 25), near(mean("power_dram_watts", s), 2)
near(mean("power_package_watts"), 50)
near(mean("memory_read_bytes_per_second", "1"), 1e4 * 2 ** 20)  # and faults, which are few
for e in E:
    for s in ("0", "1"):
        k = e["socket"][s]
        near(k["memory_bandwidth_bytes_per_second"], k["memory_read_bytes_per_second"] + k["memory_write_bytes_per_second"])
        assert k["memory_bandwidth_peak_bytes_per_second"] == 51.2e9  # 8 DIMMs of 25.6e9, but 4 channels
        near(k["memory_bandwidth_utilization_ratio"], k["memory_bandwidth_bytes_per_second"] / 51.2e9)
    near(e["memory_read_bytes_per_second"], sum(k["memory_read_bytes_per_second"] for k in e["socket"].values()))
    assert e["memory_bandwidth_peak_bytes_per_second"] == 102.4e9 and e["memory_counters_running_ratio"] == 1
    why = {m: u["reason"] for u in e["unavailable"] for m in u["metrics"]}
    assert why["power_gpu_watts"] == "this CPU has no event for this metric", why
def moved(of):
    return sum(of(e)["mbm_total_bytes_per_second"] * e["interval_ns"] / 1e9 for e in E)
near(moved(lambda e: e["l3"]["00"]), 1e6, 0.3), near(moved(lambda e: e["l3"]["web/00"]), 1e7, 0.3)
near(moved(lambda e: e), 2.2e7, 0.3)
assert prom['mbm_total_bytes_total{l3="web/01"}'] == "10010001"
assert "mbm_local_bytes_per_second" not in E[-1]  # a domain has none: no sum
assert any("web/mon_data/mon_L3_01/mbm_local_bytes: Unavailable" in u["reason"] for u in E[-1]["unavailable"])
EOF
python3 check.py || fail "not what was counted"
has text '^membw +socket=0 memory_read=[0-9.]+GB/s memory_write=.*memory_bandwidth_utilization=[0-9.]+%'
has text '^power +socket=1 power_package=[.0-9]+W power_dram='

# Without rights, without the firmware's table: the reason.
rm t/sys/firmware/dmi/tables/DMI
cp "$KVIS" k && chmod 755 k . t
"$KVIS" monitor -c membw -i 0.05 -n 1 --json=json --path.rootfs=t -o /dev/null 9>&- || fail "exit $?"
want '"memory_bandwidth_utilization_ratio" not in E[0] and any("tables/DMI: ENOENT" in u["reason"] for u in E[0]["unavailable"])'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all ./k monitor -c membw,mbm -i 0.05 -n 1 --json \
        --path.rootfs=t -o /dev/null >json 2>err 9>&- || fail "exit $?"
    want 'any("EACCES (perf_event_paranoid is" in u["reason"] for u in E[0]["unavailable"])'
fi
# A box that cannot be counted: no bandwidth of its socket, nor in sum.
echo 99 >t/sys/bus/event_source/devices/uncore_imc_1/type
"$KVIS" monitor -c uncore -i 0.05 -n 1 --json=json --path.rootfs=t -o /dev/null 9>&- || fail "exit $?"
want '"memory_read_bytes_per_second" not in str({k: v for k, v in E[0].items() if k != "unavailable"})'
want 'any(u["reason"] == "uncore_imc_1/cas_count_read: perf_event_open: ENOENT" for u in E[0]["unavailable"])'
