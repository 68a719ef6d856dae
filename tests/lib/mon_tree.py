#!/usr/bin/env python3
"""Used by the cases monitor_* that read the files of a simulated machine, and fuzz/run.sh.
mon_tree.py DIR NAME: makes DIR/proc and DIR/sys of a machine for kvis monitor --path.rootfs. NAME:

a, b      the same machine at two times: in between CPUs worked, one went offline, a disk was replaced ...
huge      4096 CPUs, all with frequencies
tasks:a, tasks:b  its processes at the two times
turns:0 ... turns:3  12 processes, one of which is the fifth by CPU time, then the seventh, then the eleventh
hostile:N the N-th way of putting nonsense into every file of `a`, and every other file in DIR"""
import os
import random
import sys

import files

root, name = sys.argv[1:]
put, link = files.below(root)
late = name in ("b", "tasks:b")


def cpu(label, *v):
    return f"cpu{label} " + " ".join(map(str, v)) + "\n"


def stat():
    #            user nice sys idle iowait irq softirq steal guest guest_nice
    a = {"0": [1000, 10, 500, 10000, 100, 5, 15, 50, 100, 0],
         "1": [2000, 0, 100, 20000, 0, 0, 0, 0, 0, 0], "5": [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]}
    b = {"0": [1050, 10, 520, 10020, 97, 6, 17, 57, 110, 0],  # 100 ticks; iowait went back
         "1": [2100, 0, 100, 20000, 0, 0, 0, 0, 0, 0],
         "7": [9, 9, 9, 9, 9, 9, 9, 9, 9, 9]}  # 5 went, 7 came
    cpus = b if late else a
    total = [sum(x) for x in zip(*(cpus[c] for c in ("0", "1")))]
    put("proc/stat", "".join(cpu(c, *v) for c, v in [(" ", total)] + list(cpus.items()))
        + f"intr {5000 if late else 4000} 1 2 3 {'0 ' * 20000}\nctxt {31000 if late else 30000}\n"
        + f"btime 1700000000\nprocesses {707 if late else 700}\nprocs_running 3\nprocs_blocked 1\n"
        + "softirq 1 2 3\n")


def memory():
    put("proc/loadavg", "0.52 1.05 12.99 3/456 789\n")
    for what, some, full in (("cpu", 1000000, 0), ("memory", 20, 10), ("io", 3000000, 2000000)):
        more = 250000 if late and what == "io" else 0
        put(f"proc/pressure/{what}", f"some avg10=0.00 avg60=0.00 avg300=0.00 total={some + more}\n"
            f"full avg10=0.00 avg60=0.00 avg300=0.00 total={full + more}\n")
    put("proc/meminfo", "MemTotal:       1000000 kB\nMemFree: 250000 kB\nAnonPages: 80000 kB\n"
        "AnonHugePages:   20000 kB\nNewThing:  1 kB\nNoNumber: x\nHugePages_Total: 4\n")
    m = 10 if late else 0
    put("proc/vmstat", f"nr_free_pages 1\npgpgin {100 + m}\npgfault {5000 + 100 * m}\n"
        f"pgmajfault {50 + m}\npswpin {3 + m}\nallocstall_dma {1 + m}\nallocstall_normal {2 + m}\n"
        f"allocstall_movable {3 + m}\noom_kill {m // 10}\npgmigrate_success {40 + m}\n"
        f"workingset_refault_anon {m}\nworkingset_refault_file {2 * m}\nthp_fault_alloc 7\n")
    for size, total, free, resv, surp in (("2048", 100, 10, 30, 4), ("1048576", 0, 0, 0, 0)):
        put(f"sys/kernel/mm/hugepages/hugepages-{size}kB", {
            "nr_hugepages": total, "free_hugepages": free, "resv_hugepages": resv, "surplus_hugepages": surp, "nr_overcommit_hugepages": 8})
    for node, hit, local, other in ((0, 1000, 900, 100), (8, 500, 450, 50), (252, 5, 5, 0)):
        if late and node == 252:
            continue
        d = f"sys/devices/system/node/node{node}"
        more = (60, 20) if late and node == 0 else (0, 20) if late else (0, 0)
        put(f"{d}/numastat", f"numa_hit {hit + sum(more)}\nnuma_miss 1\nnuma_foreign 2\n"
            f"interleave_hit 3\nlocal_node {local + more[0]}\nother_node {other + more[1]}\n")
        put(f"{d}/meminfo", f"Node {node} MemTotal:  1000 kB\nNode {node} AnonPages: 77 kB\n"
            f"Node {node} HugePages_Total: 9\n")
        put(f"{d}/distance", "10 21 31\n")
        put(f"{d}/cpulist", "0-1\n" if not node else "\n")


def disk(major, minor, name, *v):
    return f"{major:4} {minor:7} {name} " + " ".join(map(str, v)) + "\n"


def disks():
    #      reads merged sectors ms writes merged sectors ms now io_ms weighted disc . sect ms fl ms
    put("proc/diskstats",
        disk(7, 0, "loop0", 1, 0, 8, 1, *[0] * 13)
        + disk(8, 0, "sda", *((1100, 1, 24000, 700, 210, 0, 8000, 300, 2, 96, 999, 5, 0, 800, 1, 7, 1)
             if late else (1000, 1, 8000, 500, 200, 0, 7000, 250, 1, 2 ** 32 - 100, 900, 0, 0, 0, 0, 7, 1)))
        + disk(8, 1, "sda1", 10, 0, 80, 5, 2, 0, 7, 2, 0, 9, 9, 0, 0, 0, 0, 0, 0)
        + (disk(8, 16, "sdb", 5, 0, 40, 2, 0, 0, 0, 0, 0, 1, 1) if late  # another disk: it begins anew
           else disk(8, 16, "sdb", 5000, 0, 40000, 200, 9, 9, 9, 9, 0, 99, 99))
        + disk(253, 0, "dm-0", 120 if late else 50, 0, 400, 20, 0, 0, 0, 0, 0, 10, 10, 0, 0, 0, 0, 0, 0)
        + disk(8, 32, "sdc", *([30, 0, 240] + [0] * 14 if late else [0] * 17))  # its first reads
        + (disk(8, 48, "sdd", *[4] * 17) if late else "")  # has just come
        + disk(7, 1, "loop1", *[0] * 17) + disk(104, 0, "cciss/c0d0", 1, 0, 8, 1, *[0] * 13)
        + "garbage\n  9 9\n\n")
    for path in ("sda", "sda/sda1", "dm-0", "sdb"):
        put(f"sys/devices/block/{path}/size", "1\n")
        link(f"sys/class/block/{os.path.basename(path)}", f"../../devices/block/{path}")
    put("sys/devices/block/sda/sda1/partition", "1\n")
    for part in ("sda1", "sdb"):
        put(f"sys/devices/block/dm-0/slaves/{part}/x", "")


def thermal():
    zones = (("x86_pkg_temp", 61000 if late else 60000, (("passive", 95000), ("critical", 105000))),
             ("acpitz", -274000, (("hot", 90000),)), ("odd\"\\\n", 0, ()), ("far", 2 ** 31 - 1, ()),
             ("words", "N/A", ()), ("cool", 30000, (("critical", -274000), ("active", 40000),
                                                  ("critical", 110000), ("critical", 100500))))
    for i, (kind, temp, trips) in enumerate(zones):
        d = f"sys/class/thermal/thermal_zone{i}"
        put(d, {"type": f"{kind}\n", "temp": temp})
        for k, (trip, at) in enumerate(trips):
            put(d, {f"trip_point_{k}_type": trip, f"trip_point_{k}_temp": at})
    put("sys/class/thermal/cooling_device0/type", "Processor")
    put("sys/class/hwmon/hwmon2", {"name": "coretemp", "power1_average": 12500000})
    for i, label, temp in ((1, "Package id 0", 64000), (2, "Core 0", 63000), (3, "Core 1", 62500)):
        put("sys/class/hwmon/hwmon2", {f"temp{i}_input": temp, f"temp{i}_label": label, f"temp{i}_crit": 100000})
    put("sys/class/hwmon/hwmon0", {"name": "k10temp", "temp1_input": 50125})
    for c, khz in (("0", 2400000), ("1", 3600000)):
        d = f"sys/devices/system/cpu/cpu{c}"
        put(f"{d}/cpufreq", {"scaling_cur_freq": khz, "scaling_max_freq": 3800000, "cpuinfo_min_freq": 800000, "cpuinfo_max_freq": 4000000})
        put(f"{d}/thermal_throttle", {"core_throttle_count": 12 if late else 10, "package_throttle_count": 3})
        put(f"{d}/topology", {"core_id": 4, "physical_package_id": 1})  # two CPUs of one core
    put("sys/devices/system/cpu/cpu5/online", "1\n")
    put("sys/devices/system/cpu/cpu7/cpufreq/cpuinfo_max_freq", "4000000\n")  # and nothing else
    put("sys/devices/system/cpu/cpufreq/policy0/x", "")
    put("proc/schedstat", f"version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 {9 if late else 1}000000000 "
        f"{4 if late else 2}000000000 {77 if late else 70}\ndomain0 MC 3 1 2\n"
        "cpu1 0 0 0 0 0 0 5 6 7\n")


def network():
    def dev(name, *v):
        return f"{name:>6}:" + " ".join(f"{x:8}" for x in v) + "\n"
    a = [1000000, 1000, 1, 2, 3, 4, 0, 9, 500000, 600, 5, 6, 7, 8, 9, 0]
    b = [3500000, 3000, 3, 12, 4, 4, 0, 9, 1750000, 1600, 5, 26, 7, 8, 10, 0]
    put("proc/net/dev", "Inter-|   Receive                |  Transmit\n face |bytes    packets errs\n"
        + dev("lo", *[70 if late else 10] * 16) + dev("eth0", *(b if late else a))
        + dev("wide0", *(b if late else a)) + dev("br0", *[7] * 16) + "nocolon 1 2 3\n  odd: x y z\n")
    put("sys/class/net", {"eth0": {"speed": 100, "carrier_changes": 6 if late else 2}, "wide0/speed": -1, "br0/speed": 4294967295})
    for name, driver in (("eth0", "e1000e"), ("wide0", "virtio_net")):
        link(f"sys/class/net/{name}/device/driver", f"../../../bus/pci/drivers/{driver}")
    n = 100 if late else 0
    put("proc/net/snmp", "Ip: Forwarding RetransSegs\nIp: 1 77777\n"
        "Tcp: RtoAlgorithm MaxConn InSegs OutSegs CurrEstab RetransSegs InErrs New\n"
        f"Tcp: 1 -1 {900 + 9 * n} {300 + 3 * n} 12 {40 + n} 0 5\n"
        f"UdpLite: RcvbufErrors\nUdpLite: 88888\nUdp: InDatagrams RcvbufErrors\nUdp: 5 {6 + n}\n")
    put("proc/net/netstat", "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPBacklogDrop\n"
        f"TcpExt: 0 {n // 10} {n // 5} 3\nIpExt: InNoRoutes\nIpExt: 4\n")
    put("proc/net/softnet_stat", f"{0x1000 + n:08x} {n // 50:08x} {0x10 + n // 25:08x}" + " 00000000" * 9
        + f" 00000000\n{'ffffffff 0000000a 00000000' + ' 00000000' * 9} 00000007\n")
    # The rows after a new interrupt are those of other counters than before.
    put("proc/interrupts", f"           CPU0       CPU1\n 24:  5 {1000 + 50 * n}  PCI-MSI  1-edge  eth0-rx\n"
        f"LOC:  {100 + 10 * n} 7  Local timer interrupts\n" + ("25:  99999 0  PCI-MSI  2-edge  new\n" if late else ""))
    put("proc/softirqs", f"                    CPU0       CPU1\n      NET_RX:  5 {9 + 20 * n}\n")
    put("proc/sys/fs/file-nr", "3000\t0\t12000\n")
    put("proc/sys/kernel", {"threads-max": 60000, "pid_max": 1824})
    put("proc/sys/net/netfilter", {"nf_conntrack_count": 900, "nf_conntrack_max": 1000})
    put("proc/net/sockstat", "sockets: used 9\nTCP: inuse 4 orphan 0 tw 0 alloc 5 mem 25\nUDP: inuse 1 mem 3\n")
    put("proc/sys/net/ipv4/tcp_mem", "50\t75\t100\n")


def task(pid, comm, ran, waited, threads=((0, 0),), cpu=(0, 0), minor=0, major=0, born=5, rss=1, io=(0, 0),
         swap=None):
    """A process of /proc; threads: what each beyond the first has waited."""
    put(f"proc/{pid}/stat", f"{pid} ({comm}) S 1 1 1 0 -1 4194560 {minor} 5 {major} 6 {cpu[0]} {cpu[1]} 7 8 20 0 "
        f"{len(threads)} 0 {born} 1000000 {rss} 18446744073709551615" + " 0" * 27 + "\n")
    put(f"proc/{pid}/schedstat", f"{ran} {waited} 9\n")
    put(f"proc/{pid}/io", f"rchar: 999\nwchar: 999\nsyscr: 1\nsyscw: 1\nread_bytes: {io[0] + 7 * ran}\n"
        f"write_bytes: {io[1] + 7 * ran}\ncancelled_write_bytes: 0\n")  # its children's, too
    put(f"proc/{pid}/status", f"Name:\t{comm}\nGroups:\t{'100000 ' * 1000}\n" + (f"VmRSS:\t  4 kB\nVmSwap:\t     {swap} kB\n" if swap else ""))
    for tid, ns in ((pid, waited),) + tuple(threads[1:]):
        put(f"proc/{pid}/task/{tid}/schedstat", f"{ran if tid == pid else 1} {ns} 9\n")
        own = io if tid == pid else (0, 0)
        put(f"proc/{pid}/task/{tid}/io", f"rchar: 999\nread_bytes: {own[0]}\nwrite_bytes: {own[1]}\n")


def tasks():
    s = 10 ** 9
    put("proc/meminfo", "MemTotal: 9 kB\nSwapTotal: 1000 kB\nSwapFree: 400 kB\n")
    task(10, "still", 7 * s, 100 * s, rss=3)  # nothing changes: its file of the past is not read
    task(20, "spins) (", (8 if late else 7) * s, 50 * s, cpu=(180, 70) if late else (100, 50))
    task(30, "many", 5, 0, threads=((0, 0), (31, (900 if late else 300) * s // 1000),
         (32, (100 if late else 50) * s // 1000)), cpu=(11, 1) if late else (10, 1))
    task(40, "reads", 9 if late else 8, 0, io=(9000000, 5) if late else (1000000, 5), cpu=(1, 1))
    task(50, "faults", 9 if late else 8, 0, minor=7000 if late else 1000, major=300 if late else 0, rss=5000)
    task(60, "again", 99 if late else 100, 0, cpu=(3, 0) if late else (5000, 0), born=9 if late else 5)
    task(70, "asleep", 1, 0, swap=600)
    if late:
        task(80, "new", 1, s // 10, cpu=(40, 0), born=9)
        task(85, "unseen", 1, 0, cpu=(900000, 0), born=1)  # it was there before, but could not be read
    put("proc/uptime", "0.03 0.00\n")
    put("proc/self/stat", "1 (x)")
    put("proc/90/stat", "90 (cut")
    for k in range(100, 110):  # no one's first
        task(k, "idle", 1, 0, rss=2)


def turns(time):
    place = ((), (1, 2, 3, 4, 5), (1, 2, 3, 4, 6, 7, 5), (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 5))
    ticks = dict.fromkeys(range(1, 13), 0)
    for t in range(1, time + 1):
        order = place[t] + tuple(k for k in ticks if k not in place[t])
        for n, k in enumerate(order):
            ticks[k] += 100 - n
    for k in ticks:
        task(200 + k, f"p{k % 6}", 1 + ticks[k], 0, cpu=(ticks[k], 0), rss=0)


def huge():
    n = 4096
    put("proc/stat", cpu(" ", *[n] * 10) + "".join(cpu(c, *range(c, c + 10)) for c in range(n))
        + "intr " + "123456789 " * 60000 + "\nctxt 5\n")
    for c in range(n):
        put(f"sys/devices/system/cpu/cpu{c}/cpufreq", dict.fromkeys(("scaling_cur_freq", "scaling_max_freq", "cpuinfo_min_freq", "cpuinfo_max_freq"), 1000000))


BAD = ["", "\0\0\0", "N/A\n", "-1\n", "18446744073709551615\n", "9223372036854775807\n", "1e400 nan inf\n",
       "x" * (1 << 20), "1\n" * 200000, " ".join(["7"] * 300000), "cpu\n" * 100000,
       "cpu0 " + "9" * 400 + "\n", "\xff\xfe" * 3000 + "\n", "\n" * 50000,
       "".join(f"cpu{i} 1 2 3 4 5 6 7 8 9 9\n" for i in range(20000)),
       "".join(f" 8 {i} sd{i} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n" for i in range(20000)),
       "0-8191\n", "0-99999999999\n", "config:63-0\n", "event=0xffffffffffffffff,umask=1,nothing=1\n", "nan\n",
       "8 0 a\x1b[31m,\"b\\ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\ncpu0\n", "fifo", "directory", "loop"]


def spoil(n):
    rng = random.Random(n)
    for d, _, files in list(os.walk(root)):
        for f in files:
            path = os.path.join(d, f)
            if os.path.islink(path):
                continue
            bad = BAD[n] if n < len(BAD) else rng.choice(BAD)
            old = open(path, "rb").read()
            os.remove(path)
            if bad == "fifo":
                os.mkfifo(path)
            elif bad == "directory":
                os.mkdir(path)
            elif bad == "loop":
                os.symlink(f, path)
            elif n < len(BAD) or rng.random() < 0.5:
                with open(path, "wb") as out:
                    out.write(bad.encode("latin-1"))
            else:  # the old contents with errors
                new = bytearray(old)
                for _ in range(rng.randrange(1, 9)):
                    if new:
                        new[rng.randrange(len(new))] = rng.choice(b"0123456789-:. \n\0\xff")
                with open(path, "wb") as out:
                    out.write(new[:rng.randrange(len(new) + 1)] if rng.random() < 0.3 else new)


if name == "huge":
    huge()
elif name.startswith("turns:"):
    turns(int(name[6:]))
else:
    stat(), memory(), disks(), thermal(), network()
    if name[:6] in ("tasks:", "hostil"):
        tasks()
    if name.startswith("hostile:"):
        spoil(int(name.split(":")[1]))
