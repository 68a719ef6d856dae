#!/usr/bin/env python3
"""Used by the case diagnose.
diagnose.py KVIS TREE: kvis diagnose finds the known fault of each machine made of files, and nothing just below a threshold.

A machine is a dictionary with the increments of counters and the values of other numbers.
ROWS has, for each rule, the numbers of a machine with a finding, and of one without. The
command that diagnose runs replaces the first state of the machine by the second."""
import os
import re
import shutil
import subprocess
import sys
import time

import files
import healthy
import j as jsonlines

kvis, tree = sys.argv[1:]
FUTEX = {"x86_64": 202}.get(os.uname().machine, 98)
HOG = 'h<o"g\x1b\\'

# name: (resource, a machine that causes the finding, one just below the threshold). Counters are increases in one second.
BUSY = {"idle": 5}
ROWS = {
    "cgroup-throttled": ("cgroup", {"cg_periods": 100, "cg_throttles": 50, "cg_usec": 4e6},
                         {"cg_periods": 100, "cg_throttles": 9, "cg_usec": 4e4}),
    "cgroup-quota-used": ("cgroup", {"cg_periods": 100, "cg_throttles": 60}, {"cg_periods": 100, "cg_throttles": 9}),
    "cgroup-oom-kill": ("cgroup", {"cg_oom": 1, "cg_max": 9}, {}),
    "cgroup-pids": ("cgroup", {"pids": 97}, {"pids": 94}),
    "cgroup-memory-limit": ("cgroup", {"cg_max": 40, "cg_refaults": 900, "cg_psi": 3e6}, {"cg_max": 90, "cg_refaults": 9000, "cg_psi": 4e4}),
    "cgroup-memory-refaults": ("cgroup", {"cg_max": 4000, "cg_refaults": 9000, "cg_no_psi": 1}, {}),
    "cpu-steal": ("cpu", {"steal": 10}, {"steal": 4}),
    "cpu-interrupts": ("cpu", {"irq0": 200, "wait0": 9e9}, {"irq0": 80}),
    "cpu-interrupts-full": ("cpu", {"irq0": 9000}, {"irq0": 80}),
    "cpu-interrupt-pressure": ("cpu", {"psi_irq": 2e6}, {"psi_irq": 4e4}),
    "cpu-clock-capped": ("cpu", {"clock_limit": 2000, **BUSY}, {"clock_limit": 3300}),
    "cpu-clock-low": ("cpu", {"clock": 1900, **BUSY}, {"clock": 2600}),
    "cpu-forks": ("cpu", {"forks": 40000, "pgfault": 320000, "system": 60}, {"forks": 900}),
    "clock-slow": ("cpu", {"clock_source": "hpet", "system": 300, **BUSY}, {}),
    "cpu-kernel": ("cpu", {"system": 300, **BUSY}, {"system": 45}),
    "run-queue-long": ("run queue", {"wait0": 20e9, "wait1": 20e9, "psi_cpu": 4e6, **BUSY}, {"wait0": 4e8, "wait1": 4e8}),
    "cpu-pressure": ("run queue", {"psi_cpu": 9e6, **BUSY}, {"psi_cpu": 3e5}),
    "run-queue-one-cpu": ("run queue", {"wait0": 20e9, "psi_cpu": 4e6, "pinned": 1}, {"wait0": 4e8}),
    "cpu-busy": ("cpu", {**BUSY}, {}),
    "memory-oom-kill": ("memory", {"oom_kill": 1, "allocstall_normal": 9}, {}),
    "limit-oom-kill": ("memory", {"oom_kill": 1}, {}),
    "memory-pressure": ("memory", {"psi_memory": 2e6, "pgscan_kswapd": 9000}, {"psi_memory": 4e4, "pgscan_kswapd": 9000}),
    "memory-direct-reclaim": ("memory", {"allocstall_normal": 4000, "psi_memory": 2e6}, {"allocstall_normal": 4000, "psi_memory": 4e4}),
    "memory-thrashing": ("memory", {"workingset_refault_file": 40000, "pgmajfault": 2000, "psi_memory": 3e6},
                         {"workingset_refault_file": 900, "pgmajfault": 40}),
    "memory-nearly-full": ("memory", {"available": 20}, {"available": 210}),
    "memory-kernel": ("memory", {"slab": 400}, {"slab": 280}),
    "memory-dirty": ("memory", {"dirty": 97, "psi_io": 9e6}, {"dirty": 94}),
    "swap-thrashing": ("swap", {"pswpin": 10000, "pswpout": 10000, "psi_memory": 3e6, "available": 150}, {"pswpin": 200, "pswpout": 20}),
    "swap-in": ("swap", {"pswpin": 40000, "psi_memory": 3e6, "available": 150}, {"pswpin": 200}),
    "swap-out": ("swap", {"pswpout": 40000, "psi_memory": 3e6, "available": 150}, {"pswpout": 20}),
    "swap-full": ("swap", {"swap_left": 5, "available": 90}, {"swap_left": 15}),
    "numa-remote-memory": ("numa", {"far": 90000, "hog_cpu": 200}, {"far": 29000, "hog_cpu": 50}),
    "numa-remote-allocations": ("numa", {"other_node": 90000, "local_node": 90000},
                                {"other_node": 20000, "local_node": 90000}),
    "numa-remote-faults": ("numa", {"numa_hint_faults": 40000, "numa_hint_faults_local": 5000},
                           {"numa_hint_faults": 40000, "numa_hint_faults_local": 25000}),
    "numa-node-full": ("numa", {"numa_foreign": 40000, "node_anon": 80}, {"numa_foreign": 900, "node_anon": 80}),
    "numa-migrations": ("numa", {"numa_pages_migrated": 400000}, {"numa_pages_migrated": 9000}),
    "hugepages-refused": ("tlb, hugepages", {"thp_fault_fallback": 2000, "thp_fault_alloc": 100},
                          {"thp_fault_fallback": 40, "thp_fault_alloc": 100}),
    "compaction-fails": ("tlb, hugepages", {"compact_stall": 900, "compact_fail": 800},
                         {"compact_stall": 900, "compact_fail": 400}),
    "hugepage-pool-empty": ("tlb, hugepages", {"pool_free": 0, "pool_surplus": 4}, {"pool_free": 4}),
    "disk-errors": ("hardware", {"log": "I/O error, dev sda, sector 9 op 0x0"}, {}),
    "hung-tasks": ("disk", {"log": "INFO: task x:9 blocked for more than 120 seconds."}, {}),
    "machine-check": ("hardware", {"log": "mce: [Hardware Error]: CPU 0"}, {}),
    "filesystem-remounted": ("file systems", {"log": "EXT4-fs (sda1): Remounting filesystem read-only"}, {}),
    "tasks-stuck": ("disk", {"stuck": "D"}, {"stuck": "S"}),
    "disk-saturated": ("disk", {"disk_busy": 30000, "disk_queue": 200000, "psi_io": 3e6, "disk_reads": 1000, "disk_read_ms": 60000},
                       {"disk_busy": 1000, "disk_queue": 1000, "psi_io": 90000}),
    "flash-saturated": ("disk", {"rotates": 0, "disk_queue": 200000, "psi_io": 3e6, "disk_reads": 1000, "disk_read_ms": 12000}, {}),
    "disk-slow-reads": ("disk", {"disk_reads": 10, "disk_read_ms": 900, "psi_io": 3e6},
                        {"disk_reads": 10, "disk_read_ms": 450, "psi_io": 90000}),
    "disk-slow-writes": ("disk", {"disk_writes": 10, "disk_write_ms": 1900, "psi_io": 3e6},
                         {"disk_writes": 10, "disk_write_ms": 900, "psi_io": 90000}),
    "disk-slow-flushes": ("disk", {"disk_flushes": 10, "disk_flush_ms": 1900, "psi_io": 3e6},
                          {"disk_flushes": 10, "disk_flush_ms": 900, "psi_io": 90000}),
    "io-pressure": ("disk", {"psi_io": 9e6, "blocked": 4}, {"psi_io": 9e6, "blocked": 1}),
    "network-full-receive": ("network", {"rx_bytes": 3e9}, {"rx_bytes": 1e8}),
    "network-full-transmit": ("network", {"tx_bytes": 3e9}, {"tx_bytes": 1e8}),
    "network-drops": ("network", {"rx_drop": 4000, "rx_packets": 2e6}, {"rx_drop": 90}),
    "network-bond-degraded": ("network", {"member": "down"}, {"member": "up"}),
    "network-half-duplex": ("network", {"duplex": "half"}, {"duplex": "full"}),
    "network-link-flaps": ("network", {"carrier": 2}, {}),
    "network-errors": ("network", {"tx_errs": 40}, {}),
    "network-backlog-drops": ("network", {"soft_drop": 40}, {}),
    "network-squeezed": ("network", {"soft_squeezed": 4000}, {"soft_squeezed": 90}),
    "tcp-listen-overflows": ("network", {"listen_overflows": 20}, {}),
    "tcp-retransmits": ("network", {"retrans": 400, "segments": 4000}, {"retrans": 90, "segments": 4000}),
    "tcp-syn-cookies": ("network", {"cookies": 400}, {"cookies": 9}),
    "tcp-memory-aborts": ("network", {"aborts": 20}, {}),
    "tcp-zero-windows": ("network", {"zero_windows": 4000, "segments": 90000}, {"zero_windows": 90}),
    "lock-contended": ("locks", {"locks": "0x80 0x2"}, {"locks": "0x189 0x2"}),
    "conntrack-drops": ("network", {"ct_drop": 20, "ct_fail": 20}, {}),
    "neighbor-table-full": ("network", {"table_fulls": 40}, {}),
    "udp-receive-drops": ("network", {"udp_rcvbuf": 400}, {"udp_rcvbuf": 9}),
    "thermal-headroom": ("thermal", {"temp": 98000}, {"temp": 96000}),
    "sensor-critical": ("thermal", {"sensor": 98000}, {"sensor": 96000}),
    "cpu-throttled": ("thermal", {"core_throttles": 40}, {}),
    "package-throttled": ("thermal", {"package_throttles": 40}, {}),
    "limit-files": ("kernel limits", {"files": 950}, {"files": 890}),
    "limit-threads": ("kernel limits", {"threads": 950}, {"threads": 890}),
    "limit-conntrack": ("kernel limits", {"tracked": 950}, {"tracked": 890}),
    "limit-tcp-memory": ("kernel limits", {"tcp_pages": 950}, {"tcp_pages": 890}),
    "limit-descriptors": ("kernel limits", {"descriptors": 20}, {"descriptors": 24}),
    "limit-ports": ("kernel limits", {"ports": 10}, {"ports": 8}),
    "filesystem-errors": ("file systems", {"fs_errors": 1, "fs_mode": "ro,errors=remount-ro"}, {"fs_errors": 0, "fs_mode": "ro"}),
    "filesystem-recent-errors": ("file systems", {"fs_errors": 1, "fs_mode": "rw", "fs_last_error": time.time() - 60},
                                 {"fs_last_error": time.time() - 90000}),
    "memory-uncorrected": ("hardware", {"ue": 1}, {}),
    "memory-corrected": ("hardware", {"ce": 90}, {}),
    "md-degraded": ("hardware", {"md": "[3/2] [UU_]"}, {"md": "[3/3] [UUU]"}),
}
# Rules about numbers from CPU counters, BPF programs or live processes, which are in no file of /proc or /sys.
DISK = "cciss/c0d0"  # in sysfs: cciss!c0d0
MEASURED = {"memory-stalls", "tlb-misses", "hugepages-off", "run-queue-latency", "disk-queue", "virtio-queue-full", "virtio-adds-fail",
            "process-waits-for-cpu", "memory-bandwidth-full", "clock-unsynchronized", "network-link-slow"}
MOUNTED = {"filesystem-full", "filesystem-inodes"}  # rules about the result of statfs(2)
# Findings that are also allowed, because they are about this machine, not the files.
OURS = {"run-queue-latency", "disk-queue"} | {r for r in MEASURED if r.startswith("virtio")}
US, GB = 1000000, healthy.GB


def machine(root, m, s):
    """Makes root/proc and root/sys of a machine, s seconds after its start: counters have grown by what m has for a second."""
    put, link = files.below(root)
    well = "memory" in m  # a machine of healthy.py
    m = {**m, **m.get("vmstat", {}), **m.get("numastat", {})}

    def n(name, base=0, usual=0):  # a counter
        return base + int(m.get(name, usual) * s)

    def g(name, usual):
        return int(m.get(name, usual))

    cpus, nodes = g("cpus", 2), m.get("nodes", 1 if well else 2)
    # ticks of each CPU: user, nice, system, idle, iowait, irq, softirq, steal
    if well:
        user, system, iowait, irq, soft, steal = [round(v * 100 * s * 100) for v in m["cpu"]]  # in small ticks: shares count
        idle = round(100 * s * 100) - user - system - iowait - irq - soft - steal
        ticks = [[user, 0, system, idle, iowait, irq, soft, steal]] * cpus
    else:
        row = [100 * ("idle" in m), 0, m.get("system", 0), 2 * m.get("idle", 100), 0, 0, 0, 2 * m.get("steal", 0)]
        ticks = [[int(v * s * ("still" not in m)) for v in row] for _ in range(cpus)]
        ticks[0][5] = n("irq0")
        if "pinned" in m:
            ticks[0][0], ticks[0][3] = 200 * s, 0
    put("proc/stat", "".join(f"cpu{k} " + " ".join(map(str, v)) + " 0 0\n" for k, v in [(" ", [sum(v) for v in zip(*ticks)]), *enumerate(ticks)])
        + f"ctxt {int(9000 * cpus * s)}\nprocesses {n('forks')}\nprocs_running {max(1, int(cpus * sum(m.get('cpu', ())[:2])))}\n"
        f"procs_blocked {g('blocked', 0)}\n")
    waits = [m["wait"] * 1e9] * cpus if well else [m.get("wait0", 0), m.get("wait1", 0)]
    put("proc/schedstat", "version 17\n" + "".join(f"cpu{k} 0 0 0 0 0 0 0 {int(v * s)} 0\n" for k, v in enumerate(waits)))
    put("proc/loadavg", f"1.00 1.00 1.00 1/{g('threads', 100)} 9\n")
    psi = m.get("psi", [m.get("psi_" + what, 0) / US for what in ("cpu", "memory", "io")])
    for what, share in zip(("cpu", "memory", "io"), psi or ()):
        put(f"proc/pressure/{what}", f"some avg10=0 avg60=0 avg300=0 total={round(share * s * US)}\n"
            f"full avg10=0 avg60=0 avg300=0 total={int(share * s * US / 3) * well}\n")
    if psi:
        put("proc/pressure/irq", f"full avg10=0 avg60=0 avg300=0 total={n('psi_irq')}\n")
    if well:
        dirty, limit = m.get("dirty", (.1, m["memory"][0] / 5))
        total, available, swap, left, dirty, limit = (int(v * GB) for v in (*m["memory"], *m["swap"], dirty, limit))
        slab = total // 50
    else:
        total, swap, limit = 1000000, 100000, 100000
        available, left, dirty, slab = (1000 * g(*v) for v in (("available", 600), ("swap_left", 100), ("dirty", 1), ("slab", 10)))
    put("proc/meminfo", f"MemTotal: {total} kB\nMemFree: {available // 3} kB\nMemAvailable: {available} kB\nDirty: {dirty} kB\n"
        f"Writeback: 0 kB\nSUnreclaim: {slab} kB\nSwapTotal: {swap} kB\nSwapFree: {left} kB\n")
    put("proc/vmstat", "".join(f"{k} {n(k)}\n" for k in (
        "pgfault", "pgmajfault", "pswpin", "pswpout", "allocstall_normal", "oom_kill", "workingset_refault_file", "workingset_refault_anon",
        "compact_stall", "compact_fail", "compact_success", "thp_fault_alloc", "thp_fault_fallback", "numa_pte_updates",
        "numa_hint_faults", "numa_hint_faults_local", "numa_pages_migrated", "pgmigrate_success", "pgscan_kswapd", "pgscan_direct"))
        + f"nr_dirty_threshold {limit // 4}\n")
    usual = {"numa_hit": 50000, "local_node": 50000} if well else {}
    sizes = (total // nodes, total // 8, total // 4) if well else (100, g("node_anon", 20), 0)
    for node in range(nodes):
        d = f"sys/devices/system/node/node{node}"
        put(f"{d}/numastat", "".join(f"{k} {n(k, 0, usual.get(k, 0)) * (well or not node)}\n" for k in (
            "numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node")))
        put(f"{d}/distance", " ".join("10" if k == node else "20" for k in range(nodes)) + "\n")
        put(f"{d}/meminfo", "".join(f"Node {node} {k}: {v} kB\n" for k, v in zip(("MemTotal", "AnonPages", "FilePages"), sizes)))
    clock = m.get("clock", (2900000, 2400000) if well else 4000)
    now, base = clock if isinstance(clock, tuple) else (1000 * (clock or 0), 2500000)
    for cpu in range(cpus):
        d = f"sys/devices/system/cpu/cpu{cpu}"
        put(f"{d}/node{cpu * nodes // cpus}/x", "")
        put(f"{d}/cpufreq", {"cpuinfo_max_freq": 4000000, "cpuinfo_min_freq": 800000, "scaling_max_freq": 1000 * g("clock_limit", 4000),
                             "scaling_cur_freq": now, "base_frequency": base} if clock else {})
        put(f"{d}/thermal_throttle", {"core_throttle_count": n("core_throttles"), "package_throttle_count": n("package_throttles")})
        put(f"{d}/topology", {"core_id": cpu, "physical_package_id": 0})
    pool = m.get("pool", (100, g("pool_free", 50)))
    put("sys/kernel/mm/hugepages/hugepages-2048kB", {"nr_hugepages": pool[0], "free_hugepages": pool[1], "resv_hugepages": 0,
                                                     "surplus_hugepages": g("pool_surplus", 0), "nr_overcommit_hugepages": 9})
    lines = []
    for k, (name, row) in enumerate(m.get("disks", {DISK: ()}).items()):
        if row:
            reads, read_ms, writes, write_ms, busy, rotates = row
            counts = (reads, reads * read_ms, writes, writes * write_ms, busy, reads * read_ms + writes * write_ms)
        else:
            counts, rotates = [m.get(f"disk_{f}", 0) for f in ("reads", "read_ms", "writes", "write_ms", "busy", "queue")], g("rotates", 1)
        reads, read_ms, writes, write_ms, busy, queue = (int(v * s) for v in counts)
        lines.append(f"8 {k * 16} {name} {reads + 9} 0 {reads * 32} {read_ms} {writes + 9} 0 {writes * 32} {write_ms} 0 {busy} {queue} "
                     f"0 0 0 0 {n('disk_flushes')} {n('disk_flush_ms')}\n")
        put(f"sys/class/block/{name.replace('/', '!')}", {"size": 9, "queue/rotational": rotates})
    put("proc/diskstats", "".join(lines))
    part = DISK.replace("/", "!") + "p1"
    put(f"sys/devices/x/{part[:-2]}/{part}/partition", "1\n")
    for path in f"sys/class/block/{part}", "sys/dev/block/8:1":
        link(path, f"../../devices/x/{part[:-2]}/{part}")
    # name: driver, Mbit/s, received MB/s, packets/s, drops/s, sent MB/s
    net = m.get("net") or {"eth0": ("driver", 1000, m.get("rx_bytes", 0) / 1e6, m.get("rx_packets", 0), m.get("rx_drop", 0), m.get("tx_bytes", 0) / 1e6),
                           **{f"ens{k}": ("", 0, 0, m.get("rx_packets", 0), m.get("rx_drop", 0), 0) for k in range(m.get("interfaces", 0))}}
    lines = []
    for name, (driver, speed, rx, packets, drops, tx) in net.items():
        d = f"sys/class/net/{name}"
        lines.append(f"{name}: {round(rx * s * 1e6)} {int(packets * s)} 0 {int(drops * s)} 0 0 0 0 {round(tx * s * 1e6)} {int(packets * s * well)} "
                     f"{n('tx_errs')} 0 0 0 0 0\n")
        put(d, {"speed": speed or -1, "duplex": m.get("duplex", "full"), "carrier_changes": n("carrier", 2)})
        if driver:
            link(f"{d}/device/driver", f"../x/{driver}")
        if "member" in m or driver and "bond0" in net:
            put(f"{d}/bonding_slave/mii_status", m.get("member", "up"))
    put("proc/net/dev", "Inter-| Receive | Transmit\n face |bytes\n" + "".join(lines))
    put("proc/net/softnet_stat", f"{int(9e5 * s):08x} {n('soft_drop'):08x} {n('soft_squeezed', 0, 1):08x}\n")
    segments = m.get("segments", 20000 * well)
    put("proc/net/snmp", f"Tcp: OutSegs RetransSegs\nTcp: {int(segments * s)} {n('retrans', 0, segments * m.get('retransmitted', .002))}\n"
        f"Udp: InDatagrams RcvbufErrors SndbufErrors\nUdp: 0 {n('udp_rcvbuf')} 0\n")
    put("proc/net/netstat", "TcpExt: ListenOverflows ListenDrops TCPTimeouts SyncookiesSent TCPAbortOnMemory TCPToZeroWindowAdv\n"
        f"TcpExt: {n('listen_overflows', 3)} 9 {int(9 * s)} {n('cookies', 1)} {n('aborts')} {n('zero_windows', 0, 9)}\n")
    put("proc/net/stat/nf_conntrack", f"entries clashres found insert_failed drop early_drop\n{9:08x} 0 0 {n('ct_fail'):08x} {n('ct_drop'):08x} 0\n{9:08x} 0 0 0 0 0\n")
    put("proc/net/stat/arp_cache", f"entries unresolved_discards table_fulls \n{9:08x} 0 {n('table_fulls'):08x}\n")
    put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n" if well else "1000\t1009\n")
    put("proc/net/tcp", "  sl  local_address rem_address   st\n"
        + "".join(f"   {k}: 0100007F:{1000 + k:04X} 0200007F:0050 06\n" for k in range(m.get("ports", 0)))
        + "   9: 0100007F:0050 0200007F:03E8 01\n   9: 00000000:03E8 00000000:0000 0A\n")
    put("proc/net/sockstat6", "TCP6: inuse 4\n")  # without these there are too few connections to count them
    put("proc/net/sockstat", f"TCP: inuse {900 * well} orphan 0 tw {g('tw', 200 if well else 2)} alloc 5 mem {g('tcp_pages', 10)}\n")
    put("proc/sys/net/ipv4/tcp_mem", "500 700 1000\n")
    put("sys/devices/system/clocksource/clocksource0/current_clocksource", m.get("clock_source", "tsc") + "\n")
    # ECC has corrected something since boot; images are full and read-only
    put("sys/devices/system/edac/mc/mc0", {"ce_count": n("ce", 3), "ue_count": g("ue", 0)})
    put("proc/mdstat", f"Personalities : [raid5]\nmd0 : active raid5 sda1[0](S) sdb1[1] sdc1[2]\n      9 blocks {m.get('md', '[3/3] [UUU]')}\n")
    put("proc/1/mountinfo", "30 1 7:1 / /snap/x ro - squashfs /dev/loop1 ro\n"
        f"31 1 8:1 / /mnt\\040a rw - ext4 /dev/disk {m.get('fs_mode', 'ro')}\n32 1 0:9 / /proc rw - proc proc rw\n")
    put(f"sys/fs/ext4/{part}", {"errors_count": g("fs_errors", 0), "last_error_time": g("fs_last_error", 0)})
    put("sys/class/thermal/thermal_zone0", {"type": "zone", "temp": g("temp", 50000), "trip_point_0_type": "critical", "trip_point_0_temp": 100000})
    put("sys/class/hwmon/hwmon0", {"name": "chip", "temp1_input": g("sensor", 50000), "temp1_crit": 100000})
    put("proc/sys/fs/file-nr", f"{g('files', 100)} 0 {(1 << 63) - 1 if well else 1000}\n")
    put("proc/sys/kernel", {"pid_max": 4194304 if well else 1000, "threads-max": 1030000 if well else 9999})
    tracked = m["tracked"] if isinstance(m.get("tracked"), tuple) else (g("tracked", 100), 1000)
    put("proc/sys/net/netfilter", {"nf_conntrack_count": tracked[0], "nf_conntrack_max": tracked[1]})
    put("sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n")
    # "a b" is the one with the limits; what happens there is counted in "over", too, whose limit is never reached
    events = {"max": m.get("cg_max", 0), "oom": m.get("cg_oom", 0), "refaults": m.get("cg_refaults", 0), "psi": m.get("cg_psi", 0) / US}
    for c in m.get("cgroups", () if well else (
            {"name": "a b", "quota": .5, "periods": m.get("cg_periods", 0), "throttles": m.get("cg_throttles", 0), "usec": m.get("cg_usec", 0), **events},
            {"name": "over", "own": 0, **events})):
        d = f"sys/fs/cgroup/{c['name']}"
        put(f"{d}/memory.max", "4294967296\n")
        for f, own in ("memory.events", 1), ("memory.events.local", c.get("own", 1)):
            put(f"{d}/{f}", f"low 0\nhigh 0\nmax {int(c['max'] * own * s)}\noom 0\noom_kill {int(c.get('oom', 0) * s)}\n")
        put(f"{d}/memory.stat", f"anon 900000\nfile 3300000000\nworkingset_refault_anon {int(c.get('refaults', 0) * s)}\nworkingset_refault_file 9\n")
        if "cg_no_psi" not in m:
            put(f"{d}/memory.pressure", f"some avg10=0.00 avg60=0.00 avg300=0.00 total={round(c.get('psi', 0) * s * US)}\n")
        if "quota" in c:
            put(f"{d}/cpu.max", f"{int(c['quota'] * 100000)} 100000\n")
            put(f"{d}/cpu.stat", f"nr_periods {int(c['periods'] * s)}\nnr_throttled {int(c['throttles'] * s)}\nthrottled_usec {int(c['usec'] * s)}\n")
        put(f"{d}/pids.max", "100\n" if "quota" in c else "max\n")
        put(f"{d}/pids.current", f"{g('pids', 9)}\n")
    return put, link, n, g


def java(root, m, s):
    """A machine of healthy.py. The busiest process: 64 threads, of which each waits a little."""
    machine(root, m, s)
    put, _ = files.below(root + "/proc/4711")
    ticks, pages = round(sum(m["cpu"][:2]) * m["cpus"] * s * 50), 700000 if m.get("interleaved") else 200000
    for d in "", "task/4711/":
        put(f"{d}stat", f"4711 (java) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 {pages}" + " 0" * 14 + " 0 0 0\n")
        put(f"{d}schedstat", f"{ticks * 10000000} {ticks * 40000} 9\n")
    put("cgroup", "0::/system.slice/java.service\n")
    put("limits", "Limit Soft Limit Hard Limit Units\nMax open files            65536                524288               files\n")
    put("numa_maps", "7f00 interleave:0-1 anon=9 N0=350000 N1=350000 kernelpagesize_kB=4\n" if m.get("nodes", 1) > 1
        else "7f00 default anon=9 N0=200000 kernelpagesize_kB=4\n")


def sick(root, m, late):
    """A machine of ROWS, whose counters are those of one second, and its processes."""
    put, link, n, g = machine(root, m, late)
    # the log: of a program, which anybody may have started, and of the kernel
    put("dev/kmsg", f"12,1,1,-;I/O error, dev sda: says a program\n3,2,2,-;{m['log']}\n SUBSYSTEM=x\n" if late and "log" in m else "")
    for pid in (81, 82, 83, 84):  # the last is the kernel's own
        put(f"proc/{pid}/stat", f"{pid} (wait) {m.get('stuck', 'S')} 1 1 1 0 -1 {1 << 21 if pid == 84 else 0} 0 0 0 0 5 0 0 0 20 0 1 0 5 0 9" + " 0" * 14 + " 1 0 0\n")
        put(f"proc/{pid}/schedstat", "9000 9000 9\n")
    # pid 85: threads that wait in futex(2), with this operation and value
    for tid in range(85, 90 if "locks" in m else 85):
        for f in ("stat", f"task/{tid}/stat"):
            put(f"proc/85/{f}", "85 (threads) S 1 1 1 0 -1 0 0 0 0 0 5 0 0 0 20 0 5 0 5 0 9" + " 0" * 14 + " 1 0 0\n")
        put(f"proc/85/task/{tid}/schedstat", f"{9000 + late} 9000 9\n")
        if tid < 89:  # the last has just ended
            put(f"proc/85/task/{tid}/syscall", f"{FUTEX} 0x7f00 {m['locks']} 0x0 0x0 0x0 0x7ffd 0x7fff\n")
    # pid 78: does more of everything, but in no cgroup with a limit, on CPU 1, and on no disk of this machine
    more = 1000 if late else 100
    for f in ("stat", "task/78/stat"):
        put(f"proc/78/{f}", f"78 (more) R 1 1 1 0 -1 0 {more} 0 {more} 0 {more} 0 0 0 20 0 1 0 5 0 60000" + " 0" * 14 + " 1 0 0\n")
    for f in ("schedstat", "task/78/schedstat"):
        put(f"proc/78/{f}", f"{more}0000000 {more}0000000 9\n")
    put("proc/78/task/78/io", f"rchar: 0\nread_bytes: {1 << 30 if late else 0}\nwrite_bytes: {1 << 30 if late else 0}\n")
    put("proc/78/cgroup", "0::/a bc\n")
    put("proc/78/mountinfo", "30 1 0:5 / /dev rw - devtmpfs udev rw\n31 1 9:9 / / rw - ext4 /dev/other rw\n")
    put("proc/78/fdinfo/0", "pos:\t0\nflags:\t0\nmnt_id:\t30\n")  # /dev/null
    put("proc/78/fdinfo/5", "pos:\t0\nflags:\t0\nmnt_id:\t31\n")
    # pid 77: the one that does all of it, on CPU 0, in the cgroup and on the disk
    put("proc/77/cgroup", "3:cpu:/x\n0::/a b/inner\n")
    put("proc/77/mountinfo", "30 1 0:5 / /dev rw - devtmpfs udev rw\n31 1 8:1 / / rw - ext4 /dev/disk rw\n")
    cpu = n("hog_cpu", 100) + (100 if late else 0)
    stat = f"77 ({HOG}) R 1 1 1 0 -1 0 {n('hog', 9)} 0 {n('hog', 9)} 0 {cpu} 0 0 0 20 0 1 0 5 0 {g('resident', 50000)}" + " 0" * 14 + " 0 0 0\n"
    put("proc/77/stat", stat)
    put("proc/77/task/77/stat", stat)
    for d in ("proc/77", "proc/77/task/77"):
        put(f"{d}/schedstat", f"{cpu}0000000 {cpu}000000 9\n")
    put("proc/77/limits", f"Limit Soft Limit\nMax open files            {g('descriptors', 1000)}                 524288               files\n")
    put("proc/77/status", "VmSwap: 9 kB\n")
    put("proc/77/task/77/io", f"rchar: 0\nread_bytes: {1 << 22 if late else 0}\nwrite_bytes: {1 << 20 if late else 0}\n")
    put("proc/77/io", f"rchar: 0\nread_bytes: {1 << 40 if late else 0}\nwrite_bytes: 0\n")  # its children's, too
    put("proc/77/numa_maps", f"7f00 default anon=9 N0=10000 N1={g('far', 0)} kernelpagesize_kB=4\n")
    put("sys/fs/cgroup/a b/inner/memory.numa_stat", f"anon N0={1 << 30} N1={4 << 30}\nfile N0=9 N1=9\n")
    for k in range(m.get("many_files", 0)):  # each on a mount of its own
        put(f"proc/77/fdinfo/{k + 10}", f"pos:\t0\nflags:\t0\nmnt_id:\t{k + 40}\n")
    put("proc/77/fdinfo/5", f"pos:\t{1 << 22 if late else 0}\nflags:\t0\nmnt_id:\t31\n")
    for k in range(20):
        link(f"proc/77/fd/{k}", "/x")


def run(m, *args, script=None, make=sick, seconds=1):
    """The machine m at its start, then so many seconds later: `make` makes its files."""
    for f in ("a", "b", "now"):
        shutil.rmtree(f, ignore_errors=True) if not os.path.islink(f) else os.remove(f)
    make("a", m, 0)
    make("b", m, seconds)
    os.symlink("a", "now")
    p = subprocess.run([kvis, "diagnose", "--path.rootfs=" + os.path.abspath("now"), *args, "--", "sh", "-c",
                        script or "cat b/dev/kmsg >>a/dev/kmsg; ln -s b new && mv -T new now"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert p.returncode == 0 and not p.stderr, (p.returncode, p.stderr)
    return p.stdout.decode()


def diagnose(m, *args, **kw):
    return jsonlines.DECODER.decode(run(m, "--json", *args, **kw))


def rules(j):
    return [f["rule"] for f in j["findings"]]


def crosses(f):
    e = f["evidence"][0]
    below = f["rule"] in ("cpu-clock-capped", "cpu-clock-low", "memory-nearly-full", "thermal-headroom", "sensor-critical", "filesystem-recent-errors")
    return e["value"] <= e["threshold"] if below else e["value"] >= e["threshold"]


wrong = []


def check(right, what, *found):
    if not right:
        wrong.append(f"{what}: {found}")


listed = subprocess.run(["sh", os.path.join(tree, "gen/rules.sh"), "list"], stdout=subprocess.PIPE, check=True)
have = {line.split()[0] for line in listed.stdout.decode().splitlines()}
check(have - MEASURED - MOUNTED == set(ROWS), "rules without a row here, rows without a rule", have - set(ROWS) - MEASURED - MOUNTED, set(ROWS) - have)
for rule, (resource, over, _) in ROWS.items():
    j = diagnose(over, script="sleep 1.2" if rule == "tasks-stuck" else None)
    f = next((f for f in j["findings"] if f["rule"] == rule), None)
    check(f and f["resource"] == resource and crosses(f), f"{rule} is not found with {over}", f or rules(j))
    check([f["rank"] for f in j["findings"]] == list(range(1, len(j["findings"]) + 1)), "ranks", j["findings"])
print(f"{len(ROWS)} rules are found")

check("tasks-stuck" not in rules(diagnose({"stuck": "D"})), "tasks-stuck is found after less than a second")


def nothing(what, m, *args):
    """No findings. -d 1: no rate may exceed the counts of that second."""
    j = diagnose(m, "-d", "1", *args, script="ln -s b new && mv -T new now; sleep 1.2")
    check(not set(rules(j)) - OURS, what, m, j["findings"])
    return j


# a little below each threshold
m = {}
for _, _, under in ROWS.values():
    for k, v in under.items():
        if k != "idle":
            m[k] = min(m.get(k, v), v) if k not in ("clock", "clock_limit", "available") else v
j = nothing("found though nothing crosses its threshold", m)
check([r["name"] for r in j["resources"]] == ["cpu", "run queue", "memory", "swap", "numa", "memory bandwidth", "tlb, hugepages", "disk", "network",
                                              "virtio", "thermal", "kernel limits", "cgroup", "file systems", "locks", "hardware"], "resources", j["resources"])
nothing("of a time before: no task waits now", {"wait0": 20e9, "wait1": 20e9})
nothing("no task can wait for a CPU that is idle", {"wait0": 20e9, "psi_cpu": 4e6})
nothing("a disk with few requests, while tasks wait for another one",
        {f"disk_{k}": v for op in ("read", "write", "flush") for k, v in ((f"{op}{'e' * (op == 'flush')}s", 1), (f"{op}_ms", 60))} | {"psi_io": 9e5},
        "--threshold=disk-slow-writes=50ms", "--threshold=disk-slow-flushes=50ms")
nothing("writes that are late, while tasks wait for reads", {"disk_writes": 10, "disk_write_ms": 2000, "disk_reads": 9000, "disk_read_ms": 900, "psi_io": 5e5})
nothing("a few of many TCP windows", {"zero_windows": 900, "segments": 200000})
nothing("one reader, who waits for nobody else", {"disk_busy": 900, "disk_queue": 900, "psi_io": 9e5})

# ten that are busy and well
S = 0.3  # how long they are watched, at least
for name, m in healthy.MACHINES.items():
    j = diagnose(m, script=f"ln -s b new && mv -T new now; sleep {S}", make=java, seconds=S)
    check(not set(rules(j)) - OURS, f"{name} is well, and kvis finds", [(f["rule"], f["sentence"], f["evidence"]) for f in j["findings"]])
    check([u for u in j["unseen"] if "(needs CONFIG_TASK_IO_ACCOUNTING)" in u["why"]], "no /proc/PID/io", j["unseen"])
    known = {r["name"] for r in j["resources"] if r["utilization"]}
    check({"cpu", "memory", "disk", "kernel limits"} <= known and j["busiest"], f"{name}: kvis sees only", known)
print(f"nothing is found in {len(healthy.MACHINES)} machines that are well")

# culprits, their files, and hostile bytes in their names; a cause comes before its consequences
ill = {**ROWS["disk-saturated"][1], "psi_memory": 9e6, "pgscan_kswapd": 9000}
j = diagnose(ill)
f = {f["rule"]: f for f in j["findings"]}
disk, machine_wide = f["disk-saturated"], [c.get("pid") for c in f["memory-pressure"]["culprits"]]
check(machine_wide[:2] == [78, 77], "culprits of the machine", machine_wide)
check(rules(j)[0] == "memory-pressure", "the cause is not before its consequence", rules(j))
check(disk["culprits"][0] == {"device": DISK} and (disk["culprits"][1]["pid"], disk["culprits"][1]["comm"]) == (77, HOG), "culprits of the disk", disk["culprits"])
check(disk["next"] == "kvis trace -p 77", "next", disk["next"])
# a busier process outside the cgroup, CPU or disk is not a culprit
for rule in "cgroup-throttled", "run-queue-one-cpu", "disk-saturated", "disk-slow-writes":
    j = diagnose(ROWS[rule][1])
    named = [c["pid"] for f in j["findings"] if f["rule"] == rule for c in f["culprits"] if "pid" in c]
    check(named == [77], f"{rule} blames, not 77", named, rules(j))
check(j["busiest"][0]["pid"] == 78 and j["busiest"][0]["busy_read_bytes_per_second"] > 0, "busiest", j["busiest"])
page = run(ill)
check("\x1b" not in page and "h<o\"g\\x1b\\\\ (pid 77)" in page and "\n1. Tasks wait for memory" in page, "the page", page)
check(not re.search(r"^ *·", page, re.M), "a line begins with a separator", page)
# one screen, whatever was found and however large the numbers are; what must be typed or read in full is not cut
most = {k: v for _, over, _ in ROWS.values() for k, v in over.items()}
many = run({**most, "hog": 123456, "hog_cpu": 10 ** 6})
for p in (page, many):
    wide = [line for line in p.split("\n") if len(line) > 79 and not re.match("   next", line)]
    rows = p.partition("    pid command")[2].partition("\n\n")[0].split("\n")
    check(not wide and len(rows) >= 3 and {len(r) for r in rows[1:]} == {79} and len(p.rstrip("\n").split("\n")) <= 24, "the screen", wide, p)
check(re.search(r"^\d+ more findings?: -v shows (it|them)$", many, re.M), "all findings of many", many)
page = run({})
check("\n1. " in page or "\nNothing is saturated.\n" in page, "the page of a machine that is well", page)

page = run({"psi_memory": 1}, "-v", "-d", "9", script="ln -s b new && mv -T new now; sleep 2")  # a microsecond of waiting
check("memory <0.0001 % of the time" in re.sub(r"\s+", " ", page) and not re.search(r"\de-\d", page), "very little", page)

# a clock that stands still tells nothing, and not that the CPUs are busy
j = diagnose({"still": 1})
check(not [f for f in j["findings"] if f["resource"] == "cpu"] and not j["resources"][0]["utilization"], "/proc/stat stands still", j["findings"], j["resources"][0])
# a program cannot forge a message of the kernel; the victim of the OOM killer is named
killed = "Out of memory: Killed process 9 (vic\\x1btim) total-vm:9kB"
j = diagnose({"oom_kill": 1, "allocstall_normal": 9, "log": killed})
told = [f.get("kernel") for f in j["findings"] if f["rule"] == "memory-oom-kill"]
check(told == [killed] and "disk-errors" not in rules(j), "the log", j["findings"])
# what, the machine, what is found first, what is found, what is not
CG, OOM = ROWS["cgroup-memory-limit"][1], {"oom_kill": 1}
for what, m, first, has, lacks in (
        ("many CPUs can make many processes", {"forks": 20000, "cpus": 64}, "", "", "cpu-forks"),
        ("new threads, and page faults of their process", {**ROWS["cpu-forks"][1], "hog": 150000}, "", "", "cpu-forks"),
        # the kernel would walk all page tables of it for numa_maps, which here says that its memory is near
        ("a large process on a distant node", {"resident": 5 << 18, "hog_cpu": 200}, "", "numa-remote-memory", ""),
        ("a kill by a cgroup's limit, which is not the machine's fault", {**OOM, "cg_oom": 1, "cg_max": 9}, "", "cgroup-oom-kill", "memory-oom-kill"),
        ("the machine's kill in a cgroup", {**OOM, "cg_oom": 1, "allocstall_normal": 9}, "", "memory-oom-kill", "cgroup-oom-kill"),
        ("errors before the rest, and before them what they follow from",
         {**ROWS["cpu-interrupts"][1], **ROWS["network-backlog-drops"][1], **ROWS["udp-receive-drops"][1], **ROWS["io-pressure"][1]},
         "cpu-interrupts", "udp-receive-drops io-pressure", ""),
        ("what a cgroup reclaims at its limit, although pgscan_direct counts it", {**CG, "psi_memory": 3e6, "pgscan_direct": 9000},
         "cgroup-memory-limit", "", "memory-pressure"),
        ("two faults of a cgroup", {**ROWS["cgroup-throttled"][1], **CG}, "", "cgroup-throttled cgroup-memory-limit", "")):
    found = rules(diagnose(m, "-d", "1", script="ln -s b new && mv -T new now; sleep 1.2") if "forks" in m else diagnose(m))
    places = [found.index(rule) if rule in found else -1 for rule in has.split()]
    check(found[:1] == [first] or not first, f"{what}: first", found)
    check(places == sorted(places) and -1 not in places and lacks not in found, what, found)
page = re.sub(r"\s+", " ", run(ROWS["cgroup-throttled"][1]))
check("rest of each period; throttled in 50 %" in page, "the sentence and its evidence", page)
for rule, words in (("swap-in", r"[\d.]+ [MG]B/s read from swap \(threshold"), ("thermal-headroom", r"2.0 °C below a trip point \(threshold 3.0 °C\)")):
    page = re.sub(r"\s+", " ", run(ROWS[rule][1]))
    check(re.search(words, page) and not re.search(r"\d/ s", page), "units", page)
# all findings are kept; what has no place is counted
found = rules(diagnose({**ROWS["network-drops"][1], **ROWS["tcp-listen-overflows"][1], "interfaces": 200}))
check(found.count("network-drops") >= 198 and "tcp-listen-overflows" in found, "200 interfaces that drop packets", len(found), set(found))
left_out = diagnose({"many_files": 300})["left_out"]
check(left_out["processes"] == 1 and not left_out["findings"], "300 files of a process", left_out)  # 256 files of a process are read
left_out = diagnose({})["left_out"]
check(not any(left_out.values()), "few files", left_out)
print("\n".join(wrong))
sys.exit(bool(wrong))
