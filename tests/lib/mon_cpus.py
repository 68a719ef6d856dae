#!/usr/bin/env python3
"""Used by the case monitor_cpus.
mon_cpus.py KVIS: for each processor below, makes the files that identify it (cpuinfo or MIDR,
the PMUs with their formats), and compares the events that `kvis check cpu` chooses with the public event lists.

LISTS is role=event/umask/cmask, from perf list of Linux 7.2 for that processor (PERF_CPUID), which
has intel/perfmon's lists, and lists made from AMD's manuals. It does not depend on kvis's own table."""
import json
import shutil
import subprocess
import sys

from files import put
from lib import fail

BIG = "l1d_accesses=d0/81 l1d_misses=d1/8 l2_misses=d1/10 "
TLB = "dtlb_second_level=8/20 dtlb_walks=8/e itlb_second_level=85/20 itlb_walks=85/e "
GLC = BIG + "llc_misses=d1/20 dtlb_walks=12/e itlb_walks=11/e stalled_cycles=a3/4/4 "
ZEN = "l1d_accesses=29/7 l2_misses=64/8 dtlb_misses=45/ff itlb_second_level=84/0 "
ZEN5 = ZEN + ("l1d_misses=60/e0 dtlb_walks=45/f0 itlb_walks=85/f stalled_frontend=a9/0 empty_slots_frontend=1a0/1 empty_slots_backend=1a0/1e "
              "operations_retired=c1/0 operations_issued=aa/7 ")
LISTS = {
    "SKL": BIG + TLB + "llc_misses=d1/20 stalled_cycles=a3/4/4 stalled_frontend=9c/1/4",
    "ICL": BIG + TLB + "llc_misses=d1/20 stalled_cycles=a3/4/4 stalled_frontend=9c/1/5",
    "GLC": GLC + "dtlb_second_level=12/20 itlb_second_level=11/20 stalled_frontend=9c/1/6",
    "LNC": GLC + "dtlb_second_level=12/320 itlb_second_level=11/120 stalled_frontend=9c/1/8",
    "GRT": BIG + "llc_misses=d1/80 dtlb_walks=8/e itlb_walks=85/e",
    "TNT": BIG + TLB + "llc_misses=d1/80",
    "CMT": TLB + "l1d_accesses=d0/81 l1d_misses=d1/40 l2_misses=d1/80 llc_misses=2e/41",
    "Z1": ZEN + "l1d_misses=60/c8 itlb_walks=85/0",
    "Z2": ZEN + "l1d_misses=60/c8 itlb_walks=85/ff stalled_frontend=a9/0",
    "Z3": ZEN + "l1d_misses=60/e8 itlb_walks=85/ff stalled_frontend=a9/0",
    "Z4": ZEN5.replace("60/e0", "60/e8") + "stalled_cycles=d6/1b",
    "Z5": ZEN5 + "stalled_cycles=d6/1b",
    "Z6": ZEN5,
}
INTEL, AMD = "GenuineIntel", "AuthenticAMD"
# vendor, family, model, stepping, what the core is called; {PMU: list}, None: known to nobody
X86 = [
    (INTEL, 6, 0x5e, 3, "Skylake", {"cpu": "SKL"}), (INTEL, 6, 0x55, 4, "Skylake-SP", {"cpu": "SKL"}),
    (INTEL, 6, 0x55, 7, "Cascade Lake", {"cpu": "SKL"}), (INTEL, 6, 0xa5, 2, "Comet Lake", {"cpu": "SKL"}),
    (INTEL, 6, 0x7e, 5, "Ice", {"cpu": "ICL"}), (INTEL, 6, 0x6a, 6, "Ice Lake-SP", {"cpu": "ICL"}),
    (INTEL, 6, 0x8c, 1, "Tiger", {"cpu": "ICL"}), (INTEL, 6, 0xa7, 1, "Rocket Lake", {"cpu": "ICL"}),
    (INTEL, 6, 0x8f, 8, "Sapphire", {"cpu": "GLC"}), (INTEL, 6, 0xcf, 2, "Emerald Rapids", {"cpu": "GLC"}),
    (INTEL, 6, 0xad, 1, "Granite Rapids", {"cpu": "GLC"}),
    (INTEL, 6, 0x97, 2, "Golden Cove", {"cpu_core": "GLC", "cpu_atom": "GRT"}),
    (INTEL, 6, 0xb7, 1, "Raptor Lake", {"cpu_core": "GLC", "cpu_atom": "GRT"}),
    (INTEL, 6, 0xaa, 4, "Meteor Lake", {"cpu_core": "GLC", "cpu_atom": "CMT"}),
    (INTEL, 6, 0xc6, 2, "Arrow Lake", {"cpu_core": "LNC", "cpu_atom": "CMT"}),
    (INTEL, 6, 0xc5, 2, "Arrow Lake", {"cpu_core": "LNC", "cpu_atom": "CMT", "cpu_lowpower": "CMT"}),
    (INTEL, 6, 0xbd, 1, "Lunar", {"cpu_core": "LNC", "cpu_atom": "CMT"}),
    (INTEL, 6, 0xcc, 0, "Panther Lake", {"cpu_core": "LNC", "cpu_atom": "CMT"}),
    (INTEL, 6, 0x86, 7, "Tremont", {"cpu": "TNT"}), (INTEL, 6, 0x96, 1, "Tremont", {"cpu": "TNT"}),
    (INTEL, 6, 0xbe, 0, "Gracemont", {"cpu": "GRT"}), (INTEL, 6, 0xaf, 3, "Sierra Forest", {"cpu": "CMT"}),
    (INTEL, 6, 0xdd, 0, "Clearwater Forest", {"cpu": "CMT"}),
    (AMD, 23, 0x01, 2, "Zen 1", {"cpu": "Z1"}), (AMD, 23, 0x11, 0, "Zen 1", {"cpu": "Z1"}),
    (AMD, 23, 0x31, 0, "Zen 2", {"cpu": "Z2"}), (AMD, 23, 0x71, 0, "Zen 2", {"cpu": "Z2"}),
    (AMD, 25, 0x01, 1, "Zen 3", {"cpu": "Z3"}), (AMD, 25, 0x21, 0, "Zen 3", {"cpu": "Z3"}),
    (AMD, 25, 0x11, 1, "Zen 4", {"cpu": "Z4"}), (AMD, 25, 0x61, 2, "Zen 4", {"cpu": "Z4"}),
    (AMD, 26, 0x02, 1, "Zen 5", {"cpu": "Z5"}), (AMD, 26, 0x44, 0, "Zen 5", {"cpu": "Z5"}),
    (AMD, 26, 0x00, 0, "Zen 5", {"cpu": "Z5"}), (AMD, 26, 0x50, 0, "Zen 6", {"cpu": "Z6"}),
    (INTEL, 6, 0x3f, 2, "unknown", {"cpu": None}), (AMD, 21, 0x02, 0, "unknown", {"cpu": None}),
    (INTEL, 19, 0x01, 0, "unknown", {"cpu": None}), ("CentaurHauls", 7, 0x5e, 0, "unknown", {"cpu": None}),
]
COMMON = {"cpu_cycles": 0x11, "inst_retired": 0x08, "l1d_cache": 0x04, "l1d_cache_refill": 0x03,
          "l2d_cache": 0x16, "l2d_cache_refill": 0x17, "br_pred": 0x12, "br_mis_pred": 0x10,
          "l1d_tlb_refill": 0x05, "l1i_tlb_refill": 0x02}
V81 = {"stall_frontend": 0x23, "stall_backend": 0x24, "br_retired": 0x21, "br_mis_pred_retired": 0x22,
       "dtlb_walk": 0x34, "itlb_walk": 0x35, "ll_cache_rd": 0x36, "ll_cache_miss_rd": 0x37}
V84 = {"stall_slot_frontend": 0x3e, "stall_slot_backend": 0x3d, "stall_slot": 0x3f, "op_retired": 0x3a,
       "op_spec": 0x3b, "stall": 0x3c, "cnt_cycles": 0x4004}
ARM = [  # {PMU: (MIDR, name, events)}
    {"armv8_pmuv3_0": (0x413fd0c1, "Neoverse-N1", {**COMMON, **V81})},
    {"armv8_pmuv3_0": (0x411fd401, "Neoverse-V1", {**COMMON, **V81, **V84})},
    {"armv8_pmuv3_0": (0x410fd4f1, "Neoverse-V2", {**COMMON, **V81, **V84})},
    {"armv8_pmuv3_0": (0x410fd490, "Neoverse-N2", {**COMMON, **V81, **V84})},
    {"armv8_cortex_a53": (0x410fd034, "Cortex-A53", COMMON),
     "armv8_cortex_a72": (0x410fd082, "Cortex-A72", COMMON)},
    {"armv8_pmuv3_0": (0xc00fac30, "Ampere-1", {**COMMON, **V81})},
    {"armv8_pmuv3_0": (0x430f0af1, "ThunderX2", COMMON)},
    {"armv8_pmuv3_0": (0x990fd001, "implementer 0x99 part 0xd00", COMMON)},
]
ARM_ROLES = {"cycles": ("cpu_cycles",), "instructions": ("inst_retired",), "l1d_misses": ("l1d_cache_refill",),
             "l2_misses": ("l2d_cache_refill",), "branches": ("br_retired", "br_pred"),
             "branch_misses": ("br_mis_pred_retired", "br_mis_pred"), "llc_misses": ("ll_cache_miss_rd",),
             "dtlb_misses": ("l1d_tlb_refill",), "dtlb_walks": ("dtlb_walk",),
             "stalled_backend": ("stall_backend",), "empty_slots": ("stall_slot",)}


def pmu(name, kind, cpus, events, umask="8-15", event="0-7"):
    fields = {"event": event, "umask": umask, "edge": "18", "inv": "23", "cmask": "24-31"}
    put(f"tree/sys/bus/event_source/devices/{name}", {
        "type": kind, "format": {field: f"config:{bits}" for field, bits in fields.items()}, "events": events, **({"cpus": cpus} if cpus else {})})


def begin():
    shutil.rmtree("tree", ignore_errors=True)
    put("tree/sys/devices/system/cpu/online", "0-7")
    put("tree/sys/bus/event_source/devices", {"software/type": 1, "uncore_imc_0": {"type": 30, "cpumask": 0}})  # no PMU of a CPU


def x86(vendor, family, model, stepping, pmus, wide):
    begin()
    put("tree/proc/cpuinfo", "".join(
        f"processor\t: {c}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        f"model name\t: Some CPU @ 2.00GHz\nstepping\t: {stepping}\nmicrocode\t: 0x1\n\n" for c in range(8)))
    kernels = {"cpu-cycles": "event=0x3c", "instructions": "event=0xc0", "branch-instructions": "event=0xc4",
               "branch-misses": "event=0xc5"}
    for k, name in enumerate(pmus):
        events = dict(kernels)
        if name == "cpu_core":
            events.update({"slots": "event=0x00,umask=0x4", "topdown-retiring": "event=0x00,umask=0x80"})
        pmu(name, 4 + 6 * k, None if name == "cpu" else f"{k * 2}-{k * 2 + 1}", events,
            "8-15,40-47" if wide else "8-15", "0-7,32-35" if vendor == AMD else "0-7")


def check():
    r = subprocess.run([sys.argv[1], "check", "cpu", "--json", "--path.rootfs=tree"], capture_output=True,
                       text=True, check=False)
    if r.stderr or r.returncode not in (0, 1):
        fail(f"{r.returncode}: {r.stderr}")
    return {e["name"]: e for e in map(json.loads, r.stdout.splitlines()) if e["type"] == "check"}


def same(what, want, got):
    if want not in got:
        fail(f"{what}: want {want}, got {got}")


def code(event, umask, cmask=0):
    return event & 255 | (event >> 8 & 15) << 32 | (umask & 255) << 8 | umask >> 8 << 40 | cmask << 24


def check_x86(vendor, family, model, stepping, core, pmus):
    wide = "LNC" in pmus.values()
    x86(vendor, family, model, stepping, pmus, wide)
    rows = check()
    what = f"{vendor} {family} {model:#x}"
    same(what, f"{vendor} family {family} model {model} stepping {stepping}", rows["processor"]["detail"])
    same(what, core, rows[next(iter(pmus))]["detail"])
    for k, (name, events) in enumerate(pmus.items()):
        at = f"{name}/" if len(pmus) > 1 else ""
        same(what, f"type {4 + 6 * k}", rows[name]["detail"])
        same(what, f"type {4 + 6 * k} config 0x3c", rows[f"{at}cycles"]["detail"])
        if not events:
            same(what, "generic", rows[name]["detail"])
            same(what, "(generic) type 3 config 0x10000", rows[f"{at}l1d_misses"]["detail"])
            continue
        for role, how in (e.split("=") for e in LISTS[events].split()):
            enc = code(*(int(v, 10 if i == 2 else 16) for i, v in enumerate(how.split("/"))))
            same(f"{what} {name} {role}", f" type {4 + 6 * k} config {enc:#x}", rows[at + role]["detail"])
        if name == "cpu_core":
            same(what, "config 0x400", rows[f"{at}slots"]["detail"])


def check_arm(pmus):
    begin()
    for k, (name, (midr, core, events)) in enumerate(pmus.items()):
        pmu(name, 8 + k, f"{k * 4}-{k * 4 + 3}", {e: f"event={v:#06x}" for e, v in events.items()}, event="0-15")
    put("tree/proc/cpuinfo", "\n".join(
        f"processor\t: {4 * k + c}\nBogoMIPS\t: 50.00\nCPU implementer\t: {m >> 24:#04x}\nCPU architecture: 8\n"
        f"CPU variant\t: {m >> 20 & 15:#x}\nCPU part\t: {m >> 4 & 0xfff:#05x}\nCPU revision\t: {m & 15}\n"
        for k, (m, _, _) in enumerate(pmus.values()) for c in range(4)))
    rows = check()
    for k, (name, (midr, core, events)) in enumerate(pmus.items()):
        same(core, f"{core} (MIDR {midr:#010x}), type {8 + k}, CPUs {k * 4}-{k * 4 + 3}", rows[name]["detail"])
        at = f"{name}/" if len(pmus) > 1 else ""
        for role, wanted in ARM_ROLES.items():
            first = next((e for e in wanted if e in events), None)
            row = rows.get(at + role, {"detail": "", "works": False})
            if first:
                same(f"{core} {role}", f"{first} type {8 + k} config {events[first]:#x}", row["detail"])
            elif row["works"] or " type 8 " in row["detail"]:
                same(f"{core} {role}", "none", row["detail"])


for cpu in X86:
    check_x86(*cpu)
for cpu in ARM:
    check_arm(cpu)
# A kernel whose format has no place for all of the umask; a PMU without a format.
x86(INTEL, 6, 0xc6, 2, {"cpu_core": "LNC"}, False)
same("old kernel", "cannot encode", check()["dtlb_second_level"].get("fix", ""))
shutil.rmtree("tree/sys/bus/event_source/devices/cpu_core/format")
same("no format", "no event", check()["l1d_misses"].get("fix", ""))
# A machine without a PMU names its processor, too.
for cpuinfo, named in (
    ("vendor_id : AuthenticAMD\ncpu family : 26\nmodel : 2\nstepping : 1\nmodel name : Some CPU",
     "AuthenticAMD family 26 model 2 stepping 1: Some CPU, Zen 5"),
    ("CPU implementer : 0x41\nCPU variant : 0x1\nCPU part : 0xd0c\nCPU revision : 1", "Neoverse-N1 (MIDR 0x411fd0c1)"),
    ("CPU implementer : 0x7f\nCPU part : 0xabc", "implementer 0x7f part 0xabc (MIDR 0x7f0fabc0)"),
    ("", "not known"),
):
    begin()
    put("tree/proc/cpuinfo", f"processor : 0\n{cpuinfo}\n")
    rows = check()
    same("no PMU", f"{named} {named != 'not known'}", f"{rows['processor']['detail']} {rows['processor']['works']}")
    same("no PMU", "no CPU PMU in False", f"{rows.get('pmu', {}).get('detail', '')[:13]} {rows.get('pmu', {}).get('works')}")
# A machine with more kinds of cores than kvis can count: kvis counts nothing, because a sum would be too small.
begin()
put("tree/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 198")
for n in range(9):
    pmu(f"cpu_{n}", 1, "0", {"cpu-cycles": "config=0"})  # the software event cpu-clock
same("PMUs", "more types of CPU core", check()["pmu"]["detail"])
