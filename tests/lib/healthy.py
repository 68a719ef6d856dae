"""Used by lib/diagnose.py.
Fifteen busy but healthy machines, as trees of files for kvis diagnose --path.rootfs: kvis must find no fault in them.

A machine is a dictionary. Its numbers are documented values of such machines; a comment explains the unusual ones.
Rates are per second: diagnose.machine(root, m, s) makes the files of the state s seconds after the machine was started."""
GB = 1 << 20  # in kB, as /proc/meminfo counts


def cgroup(name, throttled=0, **numbers):
    return {"name": name, "periods": 10, "throttles": 10 * throttled, "usec": 3000 * throttled, **numbers}


# Per CPU: shares of user, system, iowait, irq, softirq and steal time; the rest is idle. wait: tasks that wait for each CPU.
# disks: name: (reads/s, ms each, writes/s, ms each, busy ms/s, rotational). net: name: (driver, Mbit/s, rx MB/s, rx packets/s,
# rx drops/s, tx MB/s). psi: (cpu, memory, io) shares; None: the kernel has no PSI.
MACHINES = {
    # %util of NVMe reaches 100 long before the disk is saturated (iostat(1)); a data sheet gives 0.08 ms per read. A database uses all
    # huge pages, and swap is full of unused memory. 3 % of this memory is 7 GB.
    "nvme database": dict(
        cpus=32, cpu=(.45, .12, .05, 0, .02, 0), wait=.05, psi=(.08, .002, .35), memory=(256, 7), swap=(4, .2), pool=(65536, 900),
        disks={"nvme0n1": (60000, .1, 20000, .03, 1000, 0)}, net={"eth0": ("ice", 25000, 400, 300000, 0, 700)},
        vmstat={"pgfault": 90000, "pgmajfault": 20}, threads=1800, dirty=(.9, 5.1)),
    # The page cache of a container keeps it at its limit, without any cost; the parents count this memory again. Probes are executed,
    # threads start and end. A veth always reports 10 Gbit/s.
    "kubernetes node": dict(
        cpus=64, cpu=(.38, .14, .01, 0, .03, 0), wait=.08, psi=(.12, .004, .03), memory=(256, 90), swap=(0, 0),
        disks={"nvme0n1": (900, .12, 2500, .05, 300, 0)},
        net={"eth0": ("mlx5_core", 25000, 500, 350000, 30, 450), **{f"veth{k}": ("", 10000, 1300, 900, 2, 2) for k in range(40)}},
        vmstat={"pgfault": 400000, "pgmajfault": 60, "allocstall_normal": 300}, forks=9000, threads=14000, tracked=(60000, 262144),
        retransmitted=.015, tw=9000,
        cgroups=[cgroup("kubepods.slice", max=40000, own=0)]
        + [cgroup(f"kubepods.slice/pod{k}.slice", quota=2, throttled=.04, max=200 * (k < 20), psi=.004, refaults=20) for k in range(200)]),
    # make -j64: many short processes with many page faults, and busy CPUs.
    "build host": dict(
        cpus=64, cpu=(.68, .17, .02, 0, 0, 0), wait=.3, psi=(.3, .01, .05), memory=(128, 70), swap=(8, 7.9),
        disks={"nvme0n1": (400, .15, 9000, .4, 700, 0)}, net={"eth0": ("ixgbe", 10000, 60, 50000, 0, 5)},
        vmstat={"pgfault": 1500000, "pgmajfault": 200, "allocstall_normal": 20}, forks=4000, threads=1500, dirty=(4, 14)),
    # The CPUs of a router run softirqs, and no task waits for them. Frames of unknown protocols are counted as dropped
    # (statistics.rst); the members of a bond count its traffic, too.
    "router": dict(
        cpus=8, cpu=(.02, .03, 0, .01, .62, 0), wait=.02, psi=(.01, 0, 0), memory=(32, 26), swap=(0, 0),
        disks={"sda": (1, .2, 20, .3, 8, 0)}, tracked=(410000, 1048576),
        net={"bond0": ("", 20000, 1900, 1600000, 150, 1850), "eth0": ("i40e", 10000, 950, 800000, 80, 930),
             "eth1": ("i40e", 10000, 950, 800000, 70, 920)},
        vmstat={"pgfault": 300}, soft_squeezed=600, threads=300),
    # The clock rate is low, and ratios of very small numbers have no meaning.
    "idle, 128 CPUs": dict(
        cpus=128, cpu=(.001, .001, 0, 0, 0, 0), wait=0, psi=(0, 0, 0), memory=(512, 500), swap=(8, 8), clock=(1500000, 2250000),
        disks={"nvme0n1": (0, 0, 4, .05, 1, 0), "sda": (0, 0, 0, 0, 0, 1)}, net={"eth0": ("bnxt_en", 25000, 0, 10, 1, 0)},
        vmstat={"pgfault": 200}, threads=1400, nodes=2, retransmitted=.2, segments=10),
    # java -XX:+UseNUMAInterleaving, or numactl -i all: half of the memory is remote, wherever the threads run. The page cache has
    # filled a node, so pages are allocated on the other node.
    "interleaved JVM": dict(
        cpus=32, cpu=(.6, .05, 0, 0, .01, 0), wait=.1, psi=(.1, 0, 0), memory=(128, 80), swap=(4, 4), nodes=2,
        disks={"sda": (5, .3, 40, .5, 20, 0)}, net={"eth0": ("ixgbe", 10000, 90, 80000, 0, 90)},
        vmstat={"pgfault": 60000, "numa_hint_faults": 4000, "numa_hint_faults_local": 1900,
                "numa_pages_migrated": 40000},
        numastat={"numa_foreign": 5000, "interleave_hit": 30000, "local_node": 16000, "other_node": 15000},
        interleaved=True, threads=900),
    # Swapping to compressed memory saves memory, and is faster than any disk (Documentation/admin-guide/blockdev/zram.rst).
    "zram laptop": dict(
        cpus=8, cpu=(.1, .04, 0, 0, 0, 0), wait=.02, psi=(.02, .015, .7), blocked=1, memory=(16, 2.6), swap=(8, 2.2), clock=(1400000, 1800000),
        disks={"nvme0n1": (60, .1, 30, .05, 9, 0), "zram0": (1800, .01, 1500, .02, 40, 0)},
        net={"wlan0": ("iwlwifi", 0, .3, 300, 4, .05)},
        vmstat={"pgfault": 9000, "pgmajfault": 900, "pswpin": 1800, "pswpout": 1500, "pgscan_kswapd": 3000,
                "workingset_refault_anon": 1800}, temp=82000, threads=1900),
    # PSI is off unless the kernel is booted with psi=1. No task waits for the writes, which are writeback.
    "RHEL without PSI": dict(
        cpus=16, cpu=(.4, .08, .03, 0, .01, 0), wait=.05, psi=None, memory=(64, 30), swap=(8, 7),
        disks={"sda": (40, 6, 400, 60, 930, 1), "nvme0n1": (30000, .12, 4000, .05, 990, 0)},
        net={"eth0": ("tg3", 1000, 40, 40000, 1, 60)}, vmstat={"pgfault": 30000, "pgmajfault": 40}, threads=900, dirty=(2.5, 5)),
    # Steal time below 5 % (AWS and others document a few percent on shared hosts), and a slow clock source that is rarely read.
    "VM with steal": dict(
        cpus=4, cpu=(.3, .06, .02, 0, .01, .035), wait=.08, psi=(.1, 0, .05), memory=(16, 9), swap=(0, 0),
        disks={"vda": (80, .9, 200, 1.2, 150, 1)}, net={"eth0": ("virtio_net", 0, 9, 9000, 0, 20)},
        vmstat={"pgfault": 9000, "pgmajfault": 9}, threads=400, retransmitted=.03, clock=None, clock_source="acpi_pm"),
    # A backup reads all disks sequentially; writes are slow, but no task waits for them.
    "64-disk array": dict(
        cpus=48, cpu=(.1, .12, .12, 0, .02, 0), wait=.03, psi=(.03, .01, .2), memory=(256, 180), swap=(0, 0),
        disks={f"sd{chr(97 + k // 26)}{chr(97 + k % 26)}": (110, 11, 40, 45, 880, 1) for k in range(64)},
        net={"eth0": ("mlx5_core", 40000, 200, 150000, 0, 3100)}, vmstat={"pgfault": 4000, "pgscan_kswapd": 200000}, threads=2500,
        dirty=(3, 40)),
    # The network is the limit. Large requests wait in the queues of the disks; the tasks that wait read the catalog on the SSD. All
    # memory is page cache, and receivers that write to disks close their TCP windows now and then.
    "backup at night": dict(
        cpus=8, cpu=(.15, .2, .1, .01, .09, 0), wait=.08, psi=(.06, .01, .25), memory=(64, 57), swap=(4, 3.9),
        disks={"sdz": (300, .8, 20, .3, 240, 0), **{f"sd{chr(97 + k)}": (2, 14, 70, 160, 820, 1) for k in range(12)}},
        net={"eth0": ("ixgbe", 10000, 840, 580000, 4, 12)}, vmstat={"pgfault": 3000, "pgscan_kswapd": 260000, "allocstall_normal": 30},
        dirty=(5, 12), segments=40000, zero_windows=300, threads=300),
    # Consumers use sendfile(2) and read new data from the page cache; a late consumer reads from disks.
    "Kafka broker": dict(
        cpus=16, cpu=(.25, .15, .02, .01, .06, 0), wait=.06, psi=(.07, .002, .04), memory=(64, 56), swap=(1, .8),
        disks={f"sd{chr(97 + k)}": (30, 9, 25, 130, 400, 1) for k in range(6)},
        net={"eth0": ("ena", 10000, 250, 200000, 0, 700)},
        vmstat={"pgfault": 5000, "pgmajfault": 40, "pgscan_kswapd": 90000, "workingset_refault_file": 4000}, dirty=(1.5, 12),
        segments=500000, zero_windows=150, tw=3000, threads=700, retransmitted=.004),
    # Containers that run for seconds: many processes, page faults and interfaces, and compressed swap.
    "CI runner": dict(
        cpus=16, cpu=(.5, .3, .02, 0, .01, .01), wait=.35, psi=(.35, .03, .12), memory=(32, 5), swap=(16, 6),
        disks={"nvme0n1": (900, .2, 5000, .6, 600, 0), "zram0": (4000, .01, 5000, .02, 120, 0), "loop3": (40, .3, 0, 0, 9, 0)},
        net={"eth0": ("virtio_net", 0, 40, 30000, 0, 4), **{f"veth{k}": ("", 10000, .5, 400, 9, .5) for k in range(30)}},
        vmstat={"pgfault": 1800000, "pgmajfault": 1500, "pswpin": 4000, "pswpout": 5000, "pgscan_kswapd": 40000, "allocstall_normal": 60,
                "workingset_refault_anon": 4000, "workingset_refault_file": 900}, forks=4500, threads=2500, tracked=(30000, 262144),
        cgroups=[cgroup(f"ci{k}.scope", quota=4, throttled=.06, max=9, psi=.02, refaults=60) for k in range(30)]),
    # An SD card needs 100 ms for a write of the journal (the speed class A1 promises 500 per second, for a new card).
    "Raspberry Pi": dict(
        cpus=4, cpu=(.12, .05, .03, 0, .01, 0), wait=.03, psi=(.03, .01, .08), memory=(.9, .3), swap=(.1, .01), clock=(1500000, 1500000),
        disks={"mmcblk0": (9, 2, 4, 140, 300, 0)}, net={"eth0": ("bcmgenet", 100, 1, 900, 2, 1), "wlan0": ("brcmfmac", 0, 0, 20, 3, 0)},
        vmstat={"pgfault": 2500, "pgmajfault": 15, "pgscan_kswapd": 400, "workingset_refault_file": 60}, dirty=(.02, .15), temp=66000, threads=250),
    # All services read their programs for the first time, at the same time.
    "VM after its boot": dict(
        cpus=2, cpu=(.35, .25, .3, 0, .01, .02), wait=.35, psi=(.3, 0, .55), blocked=2, memory=(4, 3.2), swap=(2, 2), clock=(2500000, 2500000),
        disks={"vda": (900, 1.4, 90, 3, 850, 1)}, net={"eth0": ("virtio_net", 0, .2, 200, 0, .1)},
        vmstat={"pgfault": 60000, "pgmajfault": 700}, forks=180, threads=220, segments=60, retransmitted=.02),
}
