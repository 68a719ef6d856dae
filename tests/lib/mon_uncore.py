#!/usr/bin/env python3
"""Used by the cases monitor_uncore, monitor_sums and monitor_hostile.
mon_uncore.py counting DIR: makes DIR/sys and DIR/proc whose memory controllers, of two sockets, and RAPL
are software events that count on this machine, with DIMMs and resctrl.

mon_uncore.py resctrl DIR: changes the resctrl files there to a later state.

mon_uncore.py KVIS: for each machine below, makes the files by which its memory controllers and RAPL
are known (type, format, events, scale, unit, cpumask), and compares the perf_event_open calls that
kvis makes (by strace) with those that the kernel's source says are right.

Sources: arch/x86/events/intel/uncore_snbep.c, uncore_snb.c, rapl.c, arch/x86/events/amd/uncore.c of Linux;
perf's amdzen*/data-fabric.json and memory-controller.json. kvis's own table plays no part in it."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

from files import put
from lib import eq, fail

MIB = ("6.103515625e-5", "MiB")
JOULE = ("2.3283064365386962890625e-10", "Joules")
SNBEP = {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "inv": "config:23",
         "thresh": "config:24-31"}
SNB = {"event": "config:0-7"}
FREE = {"event": "config:0-7", "umask": "config:8-15"}
DF = {"event": "config:0-7,32-35,59-60", "umask": "config:8-15"}
UMC = {"event": "config:0-7", "rdwrmask": "config:8-9"}


def cas(read, write, scale=MIB):
    return {"clockticks": ("event=0x00,umask=0x00", None), "cas_count_read": (read, scale),
            "cas_count_write": (write, scale)}


def rapl(*names):
    return {f"energy-{n}": (f"event=0x{c:02x}", JOULE) for n, c in
            (("cores", 1), ("pkg", 2), ("ram", 3), ("gpu", 4), ("psys", 5)) if n in names}


CLIENT = {"data_total": ("event=0xff,umask=0x10", MIB), "data_read": ("event=0xff,umask=0x20", MIB),
          "data_write": ("event=0xff,umask=0x30", MIB)}
SERVER = {"dclk": ("event=0xff,umask=0x10", None), "read": ("event=0xff,umask=0x20", MIB),
          "write": ("event=0xff,umask=0x21", MIB), "ddrt_read": ("event=0xff,umask=0x30", MIB)}
SNB_IMC = {"data_reads": ("event=0x01", MIB), "data_writes": ("event=0x02", MIB),
           "gt_requests": ("event=0x03", MIB), "ia_requests": ("event=0x04", MIB), "io_requests": ("event=0x05", MIB)}
SCH = {f"cas_count_{d}_sch{n}": (f"event=0x{5 + n:02x},umask=0x{u}", MIB)
       for d, u in (("read", "cf"), ("write", "f0")) for n in (0, 1)}
DRAM = [0x3807, 0x3847, 0x3887, 0x38c7, 0x100003807, 0x100003847, 0x100003887, 0x1000038c7]
INTEL, AMD = "GenuineIntel", "AuthenticAMD"

# name; vendor, family, model; sockets' first CPUs; PMUs {name: (type, format, events, cpumask)};
# wanted: {(type, config, config1, config2): CPUs}
MACHINES = [
    ("SNB-EP", INTEL, 6, 0x2d, {f"uncore_imc_{n}": (20 + n, SNBEP, cas("event=0x04,umask=0x03", "event=0x04,umask=0x0c"), "0,8")
                                for n in range(4)} | {"power": (9, SNB, rapl("cores", "pkg", "ram"), "0,8")},
     {(20 + n, c): "0,8" for n in range(4) for c in (0x304, 0xc04)} | {(9, e): "0,8" for e in (1, 2, 3)}),
    ("SKX", INTEL, 6, 0x55, {f"uncore_imc_{n}": (14 + n, SNBEP, cas("event=0x04,umask=0x03", "event=0x04,umask=0x0c"), "0,28")
                             for n in range(6)} | {"power": (40, SNB, rapl("pkg", "ram"), "0,28"),
                                                   "uncore_upi_0": (60, SNBEP, cas("event=1", "event=2"), "0,28")},
     {(14 + n, c): "0,28" for n in range(6) for c in (0x304, 0xc04)} | {(40, 2): "0,28", (40, 3): "0,28"}),
    ("ICX, free-running boxes too", INTEL, 6, 0x6a,
     {f"uncore_imc_{n}": (30 + n, SNBEP, cas("event=0x04,umask=0x0f", "event=0x04,umask=0x30"), "0,40") for n in range(8)}
     | {f"uncore_imc_free_running_{n}": (50 + n, FREE, SERVER, "0,40") for n in range(4)},
     {(30 + n, c): "0,40" for n in range(8) for c in (0xf04, 0x3004)}),
    ("SPR", INTEL, 6, 0x8f, {f"uncore_imc_{n}": (70 + n, SNBEP, cas("event=0x05,umask=0xcf", "event=0x05,umask=0xf0"), "0,56")
                             for n in range(8)},
     {(70 + n, c): "0,56" for n in range(8) for c in (0xcf05, 0xf005)}),
    ("GNR", INTEL, 6, 0xad, {f"uncore_imc_{n}": (80 + n, SNBEP, SCH, "0,86") for n in range(12)},
     {(80 + n, c): "0,86" for n in range(12) for c in (0xcf05, 0xcf06, 0xf005, 0xf006)}),
    ("GNR of a kernel that knows one sub-channel", INTEL, 6, 0xad,
     {"uncore_imc_0": (80, SNBEP, cas("event=0x05,umask=0xcf", "event=0x05,umask=0xf0"), "0")},
     {(80, c): "0" for c in (0xcf05, 0xcf06, 0xf005, 0xf006)}),
    ("SNB to ICL client", INTEL, 6, 0x9e, {"uncore_imc": (11, SNB, SNB_IMC, "0"),
                                            "power": (10, SNB, rapl("cores", "pkg", "gpu", "ram", "psys"), "0")},
     {(11, 1): "0", (11, 2): "0"} | {(10, e): "0" for e in (1, 2, 3, 4, 5)}),
    ("ADL", INTEL, 6, 0x97, {f"uncore_imc_{n}": (20 + n, SNBEP, {"clockticks": ("event=0xff,umask=0x00", None)}, "0")
                             for n in range(2)}
     | {f"uncore_imc_free_running_{n}": (24 + n, FREE, CLIENT, "0") for n in range(2)},
     {(24 + n, c): "0" for n in range(2) for c in (0x20ff, 0x30ff)}),
    ("Zen 1", AMD, 23, 0x01, {"amd_df": (12, DF, {}, "0,8,16,24"), "amd_l3": (13, DF, {}, "0,4")},
     {(12, c): "0,8,16,24" for c in DRAM}),
    ("Zen 2", AMD, 23, 0x31, {"amd_df": (12, DF, {}, "0,64"), "power": (14, SNB, rapl("pkg"), "0,64")},
     {(12, c): "0,64" for c in DRAM} | {(14, 2): "0,64"}),
    ("Zen 3", AMD, 25, 0x01, {"amd_df": (12, DF, {}, "0")}, {(12, c): "0" for c in DRAM}),
    ("Zen 4 without amd_umc", AMD, 25, 0x11, {"amd_df": (12, {"event": "config:0-7,32-37", "umask": "config:8-15,24-27"},
                                                         {}, "0,96")}, {}),
    ("Zen 4", AMD, 25, 0x11, {f"amd_umc_{n}": (16 + n, UMC, {}, "0" if n < 12 else "96") for n in range(24)}
     | {"amd_df": (12, {"event": "config:0-7,32-37", "umask": "config:8-15,24-27"}, {}, "0,96")},
     {(16 + n, c): "0" if n < 12 else "96" for n in range(24) for c in (0x10a, 0x20a)}),
    ("a virtual machine", INTEL, 6, 0x6a, {"msr": (8, SNB, {}, None)}, {}),
]
WHY = {"a virtual machine": "this machine exposes no memory-controller PMU",
       "Zen 4 without amd_umc": "the amd_umc PMU needs Linux 6.10"}


def cpus(mask):
    return [int(c) for c in mask.split(",")] if mask else []


def pmu(root, name, kind, form, events, mask):
    d = f"{root}/sys/bus/event_source/devices/{name}"
    put(d, {"type": kind, "format": form, **({"cpumask": mask} if mask else {})})
    for e, (terms, scale) in events.items():
        put(f"{d}/events", {e: terms, **({f"{e}.scale": scale[0], f"{e}.unit": scale[1]} if scale else {})})


def tree(vendor, family, model, pmus):
    shutil.rmtree("tree", ignore_errors=True)
    put("tree/proc/cpuinfo", f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n")
    put("tree/proc/loadavg", "0.50 1.00 1.50 1/2 3")
    for name, (kind, form, events, mask) in pmus.items():
        pmu("tree", name, kind, form, events, mask)
        for k, c in enumerate(sorted(cpus(mask))):
            put(f"tree/sys/devices/system/cpu/cpu{c}/topology/physical_package_id", str(k))


def dimm(speed, width=64, size=16384, kind=0x1a):
    """SMBIOS type 17 as of 3.2: 0x54 bytes and two strings."""
    body = struct.pack("<BBHHHHHHBBBBBHHBBBBBLHHHHB", 17, 0x54, 0x1100, 0x1000, 0xfffe, width + 8, width,
                       size if size < 0x7fff else 0x7fff, 9, 0, 1, 2, kind, 0x80, speed + 400, 0, 0, 0, 0, 2, 0, speed,
                       1200, 1200, 1200, 3)
    return body + bytes(0x54 - len(body)) + b"DIMM_A1\0BANK 0\0\0"


def dmi(*dimms):
    """A table: BIOS, the DIMMs, an empty slot, the end."""
    head = struct.pack("<BBH", 0, 26, 0) + bytes(22) + b"Vendor\0\0"
    return head + b"".join(dimms) + dimm(0, 64, 0) + struct.pack("<BBH", 127, 4, 0x7f00) + b"\0\0"


def resctrl(root, total, local):
    """In one step, as kvis may look at any time."""
    at, fs = f"resctrl.{total}", f"{root}/sys/fs"
    for group, times in (("", 1), ("web/", 10)):
        for domain in (0, 1):
            d = f"{fs}/{at}/{group}mon_data/mon_L3_{domain:02}"
            put(d, {"mbm_total_bytes": total * times + domain, "llc_occupancy": 4096,
                    "mbm_local_bytes": "Unavailable" if group and domain and not local else local * times})
    put(f"{fs}/{at}/info/L3_MON/num_rmids", 176)
    os.symlink(at, f"{fs}/new")
    os.replace(f"{fs}/new", f"{fs}/resctrl")


FAULTS, CLOCK, MINOR = 2, 0, 5  # perf_event_open(2): PERF_COUNT_SW_PAGE_FAULTS, _CPU_CLOCK (ns), _PAGE_FAULTS_MIN


def counting(root):
    """Box 0 counts faults, 64 bytes each; box 1 reads 10 000 MiB a second. So on each of two sockets."""
    for box, (read, write) in enumerate(((FAULTS, MINOR), (CLOCK, MINOR))):
        scale = ("1e-5", "MiB") if box else MIB
        pmu(root, f"uncore_imc_{box}", 1, FREE, cas(f"event={read:#04x},umask=0x00", f"event={write:#04x},umask=0x00"),
            "0-1")
        put(f"{root}/sys/bus/event_source/devices/uncore_imc_{box}/events/cas_count_read.scale", scale[0])
    pmu(root, "power", 1, FREE, {"energy-pkg": (f"event={CLOCK:#x}", ("2.5e-8", "Joules")),  # 25 W
                                 "energy-ram": (f"event={CLOCK:#x}", ("2e-9", "Joules"))}, "0-1")  # 2 W
    for c in (0, 1):
        put(f"{root}/sys/devices/system/cpu/cpu{c}/topology/physical_package_id", str(c))
    put(f"{root}/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85")
    os.makedirs(f"{root}/sys/firmware/dmi/tables")
    with open(f"{root}/sys/firmware/dmi/tables/DMI", "wb") as f:
        f.write(dmi(*[dimm(3200)] * 8))  # 4 boxes, so 4 channels: two DIMMs each
    resctrl(root, 1000, 500)


if sys.argv[1] == "counting":
    counting(sys.argv[2])
    sys.exit()
if sys.argv[1] == "resctrl":  # later: 1e6 bytes in each domain, ten times that in group web
    resctrl(sys.argv[2], 1001000, 0)
    sys.exit()

PLAIN = ("type", "size", "config", "config1", "config2", "read_format", "disabled")
CALL = re.compile(r"perf_event_open\(\{(.*?)\}, (-?\d+), (-?\d+), (-?\d+), (0x[0-9a-f]+)\)")


def asked(text):
    got = {}
    for attr, pid, cpu, group, flags in CALL.findall(text):
        field = {k: v for k, v in re.findall(r"(\w+)=(0x[0-9a-f]+|\d+)", attr)}
        if (pid, group, flags) != ("-1", "-1", "0x8") or any(int(v, 0) for f, v in field.items() if f not in PLAIN):
            fail(f"not a plain count: {attr}, {pid}, {cpu}, {group}, {flags}")
        key = tuple(int(field[f], 0) for f in ("type", "config", "config1", "config2"))
        got.setdefault(key, []).append(int(cpu))
    return got


for name, vendor, family, model, pmus, want in MACHINES:
    tree(vendor, family, model, pmus)
    r = subprocess.run(["strace", "-f", "-v", "-Xraw", "-e", "trace=perf_event_open", "-o", "calls", sys.argv[1], "monitor", "-c",
                        "uncore,load", "-i", "0.02", "-n", "1", "--json=json", "--path.rootfs=tree", "-o", "/dev/null"],
                       capture_output=True, text=True, check=False)
    if r.returncode or r.stderr:
        fail(f"{name}: exit {r.returncode}: {r.stderr}")
    got = asked(open("calls").read())
    full = {k + (0,) * (4 - len(k)): cpus(v) for k, v in want.items()}
    eq(name, full, {k: sorted(v) for k, v in got.items()})
    r = subprocess.run([sys.argv[1], "check", "cpu", "--json", "--path.rootfs=tree"], capture_output=True, text=True, check=False)
    rows = [e for e in map(json.loads, r.stdout.splitlines()) if e["type"] == "check"]
    told = sorted((e["detail"].split(" CPUs ")[0]) for e in rows if "/" in e["name"])
    eq(f"{name}: check", sorted(f"type {k[0]} config {k[1]:#x}" for k in full), told)
    if name in WHY:
        text = [e["detail"] for e in rows if e["name"] == "memory controllers"]
        eq(f"{name}: why", True, len(text) == 1 and WHY[name] in text[0])
