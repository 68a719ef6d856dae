"""Used by lib/diagnose.py and the case no_proc.
Fifteen busy but healthy machines, as trees of files for kvis diagnose --path.rootfs: kvis must find no fault in them.

A machine is a dictionary. Its numbers are documented values of such machines; a comment has the purpose of each.
Rates are per second: tree(root, m, s) makes the files of the state s seconds after the machine was started."""
import files

US = 1000000
GB = 1 << 20  # in kB, as /proc/meminfo counts


def cgroup(name, **files):
    return {"name": name, **files}


# Per CPU: shares of user, system, iowait, irq, softirq and steal time; the rest is idle. wait: tasks that wait for each CPU.
# disks: name: (reads/s, ms each, writes/s, ms each, busy ms/s, rotational). net: name: (driver, Mbit/s, rx MB/s, rx packets/s,
# rx drops/s, tx MB/s). psi: (cpu, memory, io) shares; None: the kernel has no PSI.
MACHINES = {
    # %util of NVMe is 100 long before it is full (iostat(1)); a data sheet says 0.08 ms a read. Huge pages are all taken,
    # by one database, and swap is full of what nobody needs. 3 % of this memory is 7 GB.
    "nvme database": dict(
        cpus=32, cpu=(.45, .12, .05, 0, .02, 0), wait=.05, psi=(.08, .002, .35), memory=(256, 7), swap=(4, .2), pool=(65536, 900),
        disks={"nvme0n1": (60000, .1, 20000, .03, 1000, 0)}, net={"eth0": ("ice", 25000, 400, 300000, 0, 700)},
        vmstat={"pgfault": 90000, "pgmajfault": 20}, threads=1800, dirty=(.9, 5.1)),
    # A file that is read through the page cache of a container keeps it at its limit, and costs nobody anything; its parents
    # count all of it again. Probes are executed, threads come and go. veth says that it has 10 Gbit/s, whatever it can.
    "kubernetes node": dict(
        cpus=64, cpu=(.38, .14, .01, 0, .03, 0), wait=.08, psi=(.12, .004, .03), memory=(256, 90), swap=(0, 0),
        disks={"nvme0n1": (900, .12, 2500, .05, 300, 0)},
        net={"eth0": ("mlx5_core", 25000, 500, 350000, 30, 450), **{f"veth{k}": ("", 10000, 1300, 900, 2, 2) for k in range(40)}},
        vmstat={"pgfault": 400000, "pgmajfault": 60, "allocstall_normal": 300}, forks=9000, threads=14000, tracked=(60000, 262144),
        retransmitted=.015, tw=9000,
        cgroups=[cgroup("kubepods.slice", max=40000, own=0)]
        + [cgroup(f"kubepods.slice/pod{k}.slice", quota=2, throttled=.04, max=200 * (k < 20), psi=.004, refaults=20) for k in range(200)]),
    # make -j64: many short processes, each with its page faults, and CPUs that are nearly all used.
    "build host": dict(
        cpus=64, cpu=(.68, .17, .02, 0, 0, 0), wait=.3, psi=(.3, .01, .05), memory=(128, 70), swap=(8, 7.9),
        disks={"nvme0n1": (400, .15, 9000, .4, 700, 0)}, net={"eth0": ("ixgbe", 10000, 60, 50000, 0, 5)},
        vmstat={"pgfault": 1500000, "pgmajfault": 200, "allocstall_normal": 20}, forks=4000, threads=1500, dirty=(4, 14)),
    # Softirqs are what its CPUs are for, and nobody waits for these CPUs. Frames of protocols that it does not have are
    # counted as dropped (statistics.rst); what a bond carries, its members carry.
    "router": dict(
        cpus=8, cpu=(.02, .03, 0, .01, .62, 0), wait=.02, psi=(.01, 0, 0), memory=(32, 26), swap=(0, 0),
        disks={"sda": (1, .2, 20, .3, 8, 0)}, tracked=(410000, 1048576),
        net={"bond0": ("", 20000, 1900, 1600000, 150, 1850), "eth0": ("i40e", 10000, 950, 800000, 80, 930),
             "eth1": ("i40e", 10000, 950, 800000, 70, 920)},
        vmstat={"pgfault": 300}, squeezed=600, threads=300),
    # Nothing to do: the clock is low, and the share of anything in nothing says nothing.
    "idle, 128 CPUs": dict(
        cpus=128, cpu=(.001, .001, 0, 0, 0, 0), wait=0, psi=(0, 0, 0), memory=(512, 500), swap=(8, 8), clock=(1500000, 2250000),
        disks={"nvme0n1": (0, 0, 4, .05, 1, 0), "sda": (0, 0, 0, 0, 0, 1)}, net={"eth0": ("bnxt_en", 25000, 0, 10, 1, 0)},
        vmstat={"pgfault": 200}, threads=1400, nodes=2, retransmitted=.2, segments=10),
    # java -XX:+UseNUMAInterleaving, or numactl -i all: half of its memory is on the other node, wherever its threads run. Page
    # cache has filled a node, which sends pages to the other one and is what free memory is for.
    "interleaved JVM": dict(
        cpus=32, cpu=(.6, .05, 0, 0, .01, 0), wait=.1, psi=(.1, 0, 0), memory=(128, 80), swap=(4, 4), nodes=2,
        disks={"sda": (5, .3, 40, .5, 20, 0)}, net={"eth0": ("ixgbe", 10000, 90, 80000, 0, 90)},
        vmstat={"pgfault": 60000, "numa_hint_faults": 4000, "numa_hint_faults_local": 1900,
                "numa_pages_migrated": 40000},
        numastat={"numa_foreign": 5000, "interleave_hit": 30000, "local_node": 16000, "other_node": 15000},
        interleaved=True, threads=900),
    # One program copies files from a file server, and no other program waits for it.
    # Compressed memory is read faster than any disk: swapping is how it saves memory (Documentation/admin-guide/blockdev/zram.rst).
    "zram laptop": dict(
        cpus=8, cpu=(.1, .04, 0, 0, 0, 0), wait=.02, psi=(.02, .015, .7), blocked=1, memory=(16, 2.6), swap=(8, 2.2), clock=(1400000, 1800000),
        disks={"nvme0n1": (60, .1, 30, .05, 9, 0), "zram0": (1800, .01, 1500, .02, 40, 0)},
        net={"wlan0": ("iwlwifi", 0, .3, 300, 4, .05)},
        vmstat={"pgfault": 9000, "pgmajfault": 900, "pswpin": 1800, "pswpout": 1500, "pgscan_kswapd": 3000,
                "workingset_refault_anon": 1800}, temp=82000, threads=1900),
    # PSI is off there unless the command line says psi=1. The writes are those of writeback, for which nobody waits.
    "RHEL without PSI": dict(
        cpus=16, cpu=(.4, .08, .03, 0, .01, 0), wait=.05, psi=None, memory=(64, 30), swap=(8, 7),
        disks={"sda": (40, 6, 400, 60, 930, 1), "nvme0n1": (30000, .12, 4000, .05, 990, 0)},
        net={"eth0": ("tg3", 1000, 40, 40000, 1, 60)}, vmstat={"pgfault": 30000, "pgmajfault": 40}, threads=900, dirty=(2.5, 5)),
    # Steal below 5 % (AWS and others document a few percent on shared hosts), and a slow clock that nobody asks often.
    "VM with steal": dict(
        cpus=4, cpu=(.3, .06, .02, 0, .01, .035), wait=.08, psi=(.1, 0, .05), memory=(16, 9), swap=(0, 0),
        disks={"vda": (80, .9, 200, 1.2, 150, 1)}, net={"eth0": ("virtio_net", 0, 9, 9000, 0, 20)},
        vmstat={"pgfault": 9000, "pgmajfault": 9}, threads=400, retransmitted=.03, clock=None),
    # A backup reads all disks from one end to the other, and writes are late because nobody waits for them.
    "64-disk array": dict(
        cpus=48, cpu=(.1, .12, .12, 0, .02, 0), wait=.03, psi=(.03, .01, .2), memory=(256, 180), swap=(0, 0),
        disks={f"sd{chr(97 + k // 26)}{chr(97 + k % 26)}": (110, 11, 40, 45, 880, 1) for k in range(64)},
        net={"eth0": ("mlx5_core", 40000, 200, 150000, 0, 3100)}, vmstat={"pgfault": 4000, "pgscan_kswapd": 200000}, threads=2500,
        dirty=(3, 40)),
    # The network is the limit. Large requests wait in the queues of the disks until it is their turn; the tasks that wait read the
    # catalog on the SSD. All memory is page cache, and receivers that write to disks close their TCP windows now and then.
    "backup at night": dict(
        cpus=8, cpu=(.15, .2, .1, .01, .09, 0), wait=.08, psi=(.06, .01, .25), memory=(64, 57), swap=(4, 3.9),
        disks={"sdz": (300, .8, 20, .3, 240, 0), **{f"sd{chr(97 + k)}": (2, 14, 70, 160, 820, 1) for k in range(12)}},
        net={"eth0": ("ixgbe", 10000, 840, 580000, 4, 12)}, vmstat={"pgfault": 3000, "pgscan_kswapd": 260000, "allocstall_normal": 30},
        dirty=(5, 12), segments=40000, zero_windows=300, threads=300),
    # Consumers read what producers wrote a moment ago from the page cache; one that is late reads from disks. sendfile(2).
    "Kafka broker": dict(
        cpus=16, cpu=(.25, .15, .02, .01, .06, 0), wait=.06, psi=(.07, .002, .04), memory=(64, 56), swap=(1, .8),
        disks={f"sd{chr(97 + k)}": (30, 9, 25, 130, 400, 1) for k in range(6)},
        net={"eth0": ("ena", 10000, 250, 200000, 0, 700)},
        vmstat={"pgfault": 5000, "pgmajfault": 40, "pgscan_kswapd": 90000, "workingset_refault_file": 4000}, dirty=(1.5, 12),
        segments=500000, zero_windows=150, tw=3000, threads=700, retransmitted=.004),
    # Containers that live for seconds: processes, page faults and interfaces come and go, and what they leave is compressed.
    "CI runner": dict(
        cpus=16, cpu=(.5, .3, .02, 0, .01, .01), wait=.35, psi=(.35, .03, .12), memory=(32, 5), swap=(16, 6),
        disks={"nvme0n1": (900, .2, 5000, .6, 600, 0), "zram0": (4000, .01, 5000, .02, 120, 0), "loop3": (40, .3, 0, 0, 9, 0)},
        net={"eth0": ("virtio_net", 0, 40, 30000, 0, 4), **{f"veth{k}": ("", 10000, .5, 400, 9, .5) for k in range(30)}},
        vmstat={"pgfault": 1800000, "pgmajfault": 1500, "pswpin": 4000, "pswpout": 5000, "pgscan_kswapd": 40000, "allocstall_normal": 60,
                "workingset_refault_anon": 4000, "workingset_refault_file": 900}, forks=4500, threads=2500, tracked=(30000, 262144),
        cgroups=[cgroup(f"ci{k}.scope", quota=4, throttled=.06, max=9, psi=.02, refaults=60) for k in range(30)]),
    # An SD card needs 100 ms for a write of the journal (the speed class A1 promises 500 a second, of a card that is new).
    "Raspberry Pi": dict(
        cpus=4, cpu=(.12, .05, .03, 0, .01, 0), wait=.03, psi=(.03, .01, .08), memory=(.9, .3), swap=(.1, .01), clock=(1500000, 1500000),
        disks={"mmcblk0": (9, 2, 4, 140, 300, 0)}, net={"eth0": ("bcmgenet", 100, 1, 900, 2, 1), "wlan0": ("brcmfmac", 0, 0, 20, 3, 0)},
        vmstat={"pgfault": 2500, "pgmajfault": 15, "pgscan_kswapd": 400, "workingset_refault_file": 60}, dirty=(.02, .15), temp=66000, threads=250),
    # Every program is read for the first time, by all services at once.
    "VM after its boot": dict(
        cpus=2, cpu=(.35, .25, .3, 0, .01, .02), wait=.35, psi=(.3, 0, .55), blocked=2, memory=(4, 3.2), swap=(2, 2), clock=(2500000, 2500000),
        disks={"vda": (900, 1.4, 90, 3, 850, 1)}, net={"eth0": ("virtio_net", 0, .2, 200, 0, .1)},
        vmstat={"pgfault": 60000, "pgmajfault": 700}, forks=180, threads=220, segments=60, retransmitted=.02),
}


def tree(root, m, s):
    put, link = files.below(root)
    cpus = m["cpus"]
    user, system, iowait, irq, soft, steal = [round(v * 100 * s * 100) for v in m["cpu"]]  # in small ticks: shares count
    idle = round(100 * s * 100) - user - system - iowait - irq - soft - steal
    modes = (user, 0, system, idle, iowait, irq, soft, steal)
    put("proc/stat", "cpu  " + " ".join(str(v * cpus) for v in modes) + " 0 0\n"
        + "".join(f"cpu{k} " + " ".join(map(str, modes)) + " 0 0\n" for k in range(cpus))
        + f"ctxt {int(9000 * cpus * s)}\nprocesses {int(m.get('forks', 20) * s)}\nprocs_running {max(1, int(cpus * sum(m['cpu'][:2])))}\n"
        f"procs_blocked {m.get('blocked', 0)}\n")
    put("proc/schedstat", "version 17\n" + "".join(f"cpu{k} 0 0 0 0 0 0 0 {int(m['wait'] * s * 1e9)} 0\n" for k in range(cpus)))
    put("proc/loadavg", f"1.00 1.00 1.00 1/{m['threads']} 9\n")
    for what, share in zip(("cpu", "memory", "io"), m["psi"] or ()):
        put(f"proc/pressure/{what}", f"some avg10=0 avg60=0 avg300=0 total={int(share * s * US)}\n"
            f"full avg10=0 avg60=0 avg300=0 total={int(share * s * US / 3)}\n")
    total, available = (int(v * GB) for v in m["memory"])
    swap, swap_free = (int(v * GB) for v in m["swap"])
    dirty, limit = m.get("dirty", (.1, total / GB / 5))
    put("proc/meminfo", f"MemTotal: {total} kB\nMemFree: {available // 3} kB\nMemAvailable: {available} kB\nDirty: {int(dirty * GB)} kB\n"
        f"Writeback: 0 kB\nSUnreclaim: {total // 50} kB\nSwapTotal: {swap} kB\nSwapFree: {swap_free} kB\n")
    counts = dict.fromkeys(("pgfault", "pgmajfault", "pswpin", "pswpout", "allocstall_normal", "oom_kill", "workingset_refault_file",
                            "pgscan_kswapd", "pgscan_direct", "thp_fault_alloc", "thp_fault_fallback"), 0)
    counts.update(m["vmstat"])
    put("proc/vmstat", "".join(f"{k} {int(v * s)}\n" for k, v in counts.items()) + f"nr_dirty_threshold {int(limit * GB / 4)}\n")
    for node in range(m.get("nodes", 1)):
        d = f"sys/devices/system/node/node{node}"
        stat = {"numa_hit": 50000, "numa_miss": 0, "numa_foreign": 0, "interleave_hit": 0, "local_node": 50000, "other_node": 0}
        stat.update(m.get("numastat", {}))
        put(f"{d}/numastat", "".join(f"{k} {int(v * s)}\n" for k, v in stat.items()))
        put(f"{d}/distance", "10\n" if m.get("nodes", 1) == 1 else "10 21\n" if not node else "21 10\n")
        put(f"{d}/meminfo", f"Node {node} MemTotal: {total // m.get('nodes', 1)} kB\nNode {node} AnonPages: {total // 8} kB\n"
            f"Node {node} FilePages: {total // 4} kB\n")
    for cpu in range(cpus):
        d = f"sys/devices/system/cpu/cpu{cpu}"
        put(f"{d}/node{cpu * m.get('nodes', 1) // cpus}/x", "")
        if m.get("clock", ()) is not None:
            now, base = m.get("clock", (2900000, 2400000))
            for f, v in (("cpuinfo_max_freq", 3700000), ("cpuinfo_min_freq", 800000), ("scaling_max_freq", 3700000),
                         ("scaling_cur_freq", now), ("base_frequency", base)):
                put(f"{d}/cpufreq/{f}", f"{v}\n")
    if "pool" in m:
        for f, v in zip(("nr_hugepages", "free_hugepages", "resv_hugepages", "surplus_hugepages", "nr_overcommit_hugepages"),
                        (*m["pool"], 0, 0, 0)):
            put(f"sys/kernel/mm/hugepages/hugepages-2048kB/{f}", f"{v}\n")
    lines = []
    for k, (name, (reads, read_ms, writes, write_ms, busy, rotates)) in enumerate(m["disks"].items()):
        lines.append(f"8 {k * 16} {name} {int(reads * s) + 9} 0 {int(reads * s) * 32} {int(reads * read_ms * s)} {int(writes * s) + 9} 0 "
                     f"{int(writes * s) * 32} {int(writes * write_ms * s)} 0 {int(busy * s)} "
                     f"{int((reads * read_ms + writes * write_ms) * s)}\n")
        put(f"sys/class/block/{name}/queue/rotational", f"{rotates}\n")
    put("proc/diskstats", "".join(lines))
    lines = []
    for name, (driver, speed, rx, packets, drops, tx) in m["net"].items():
        lines.append(f"{name}: {int(rx * s * 1e6)} {int(packets * s)} 0 {int(drops * s)} 0 0 0 0 {int(tx * s * 1e6)} {int(packets * s)} "
                     "0 0 0 0 0 0\n")
        put(f"sys/class/net/{name}/speed", f"{speed or -1}\n")
        put(f"sys/class/net/{name}/carrier_changes", "2\n")
        if driver and "bond0" in m["net"]:
            put(f"sys/class/net/{name}/bonding_slave/mii_status", "up\n")
        if driver:
            link(f"sys/class/net/{name}/device/driver", f"../x/{driver}")
    put("proc/net/dev", "Inter-| Receive | Transmit\n face |bytes\n" + "".join(lines))
    put("proc/net/softnet_stat", f"{int(9e5 * s):08x} 00000000 {int(m.get('squeezed', 1) * s):08x}\n")
    segments = m.get("segments", 20000)
    put("proc/net/snmp", f"Tcp: OutSegs RetransSegs\nTcp: {int(segments * s)} {int(segments * m.get('retransmitted', .002) * s)}\n"
        "Udp: InDatagrams RcvbufErrors SndbufErrors\nUdp: 0 0 0\n")
    put("proc/net/netstat", f"TcpExt: ListenOverflows ListenDrops TCPTimeouts SyncookiesSent TCPAbortOnMemory TCPToZeroWindowAdv\n"
        f"TcpExt: 3 9 {int(9 * s)} 1 0 {int(m.get('zero_windows', 9) * s)}\n")
    put("proc/net/sockstat", f"TCP: inuse 900 orphan 3 tw {m.get('tw', 200)} alloc 1200 mem 900\n")
    put("proc/sys/net/ipv4/tcp_mem", "90000 120000 180000\n")
    put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
    put("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
    put("sys/class/thermal/thermal_zone0/temp", f"{m.get('temp', 55000)}\n")
    put("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical\n")
    put("sys/class/thermal/thermal_zone0/trip_point_0_temp", "105000\n")
    put("proc/sys/fs/file-nr", "21000 0 9223372036854775807\n")
    put("proc/sys/kernel/pid_max", "4194304\n")
    put("proc/sys/kernel/threads-max", "1030000\n")
    if "tracked" in m:
        put("proc/sys/net/netfilter/nf_conntrack_count", f"{m['tracked'][0]}\n")
        put("proc/sys/net/netfilter/nf_conntrack_max", f"{m['tracked'][1]}\n")
    put("sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n")
    for g in m.get("cgroups", ()):
        d = f"sys/fs/cgroup/{g['name']}"
        put(f"{d}/memory.max", "4294967296\n")
        put(f"{d}/memory.events", f"low 0\nhigh 0\nmax {int(g['max'] * s)}\noom 0\noom_kill 0\n")
        put(f"{d}/memory.events.local", f"low 0\nhigh 0\nmax {int(g['max'] * g.get('own', 1) * s)}\noom 0\noom_kill 0\n")
        put(f"{d}/memory.stat", f"anon 900000\nfile 3300000000\nworkingset_refault_anon 0\nworkingset_refault_file {int(g.get('refaults', 0) * s)}\n")
        put(f"{d}/memory.pressure", f"some avg10=0.00 avg60=0.00 avg300=0.00 total={int(g.get('psi', 0) * s * US)}\n")
        if "quota" in g:
            put(f"{d}/cpu.max", f"{g['quota'] * 100000} 100000\n")
            put(f"{d}/cpu.stat", f"usage_usec 0\nnr_periods {int(10 * s)}\nnr_throttled {int(10 * s * g['throttled'])}\n"
                f"throttled_usec {int(g['throttled'] * 3000 * s)}\n")
        put(f"{d}/pids.current", "70\n")
        put(f"{d}/pids.max", "max\n" if "quota" not in g else "4096\n")
    # images are full and read-only; ECC has corrected something since boot
    put("proc/1/mountinfo", "31 1 7:1 / /snap/x ro - squashfs /dev/loop1 ro\n32 1 0:9 / /proc rw - proc proc rw\n")
    put("sys/devices/system/edac/mc/mc0/ce_count", "3\n")
    put("sys/devices/system/edac/mc/mc0/ue_count", "0\n")
    put("proc/mdstat", "Personalities : [raid6]\nmd0 : active raid6 sda[0](S)\n      9 blocks level 6, 512k chunk, algorithm 2 [64/64] [U]\n")
    put("sys/devices/system/clocksource/clocksource0/current_clocksource", "acpi_pm\n" if m.get("clock", ()) is None else "tsc\n")
    # the busiest process: 64 threads, of which each waits a little
    ticks = round(sum(m["cpu"][:2]) * cpus * s * 50)
    pages = (700000 if m.get("interleaved") else 200000)
    put("proc/4711/stat", f"4711 (java) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 {pages}" + " 0" * 14 + " 0 0 0\n")
    put("proc/4711/task/4711/stat", f"4711 (java) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 {pages}" + " 0" * 14 + " 0 0 0\n")
    for d in ("proc/4711", "proc/4711/task/4711"):
        put(f"{d}/schedstat", f"{ticks * 10000000} {ticks * 40000} 9\n")
    put("proc/4711/cgroup", "0::/system.slice/java.service\n")
    put("proc/4711/limits", "Limit Soft Limit Hard Limit Units\nMax open files            65536                524288               files\n")
    put("proc/4711/numa_maps", "7f00 interleave:0-1 anon=9 N0=350000 N1=350000 kernelpagesize_kB=4\n" if m.get("nodes", 1) > 1
        else "7f00 default anon=9 N0=200000 kernelpagesize_kB=4\n")
