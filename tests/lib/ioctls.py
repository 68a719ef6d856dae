#!/usr/bin/env python3
"""Used by the case flags.
Compares the commands of ioctl(2) in gen/tables/flags.tbl, and the names that kvis shows, with the uapi headers of this machine.
One C file includes all headers with commands; the compiler's diagnostics of `char (*x)[VALUE] = 1` have the values. Headers that
conflict with each other give further diagnostics, which do not matter."""
import collections, json, os, re, subprocess, sys

CALL = """import ctypes
for line in open("values"):
    ctypes.CDLL(None).ioctl(-1, ctypes.c_ulong(int(line)), 0)"""
TREE = "/usr/include/"
ARCH = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True).stdout.strip()
DIRS = "linux", "drm", "rdma", "scsi", "sound", "misc", "mtd", "video", "xen", "cxl", "fwctl", "regulator", ARCH + "/asm"
# Protocols of read(2), write(2) and io_uring; other architectures; removed or renamed; ranges (shown as SIOCDEVPRIVATE+0).
NO_COMMAND = re.compile(r"B[CR]_[A-Z]|BR2_|UBLK_U_|NVME_URING_|BLOCK_URING_"
                        r"|KVM_(PPC|S390)_|KVM_(CREATE_SPAPR|ALLOCATE_RMA)|VFIO_(IOMMU_SPAPR|EEH)|PMU_IOC"
                        r"|_*KVM_(DEPRECATED|ASSIGN_IRQ|DEBUG_GUEST|TRACE_)|PCITEST_LEGACY_IRQ|SNDRV_TIMER_IOCTL_TREAD$"
                        r"|__SNDRV_PCM_IOCTL_SYNC_PTR$|HIDIOCTL_LAST$|(SIOC(DEV|PROTO)PRIVATE|SIOCIWFIRST(PRIV)?)$")
MAKER = re.compile(r"\b_IO(C|R|W|WR)?\s*\(")

table, family = {}, ""
for line in open(os.environ["TESTS"] + "/../gen/tables/flags.tbl"):
    word = line.split("#")[0].split()
    if word and word[0] == "family":
        family = word[1]
    elif word and family == "ioctl":
        table[word[0]] = [int(v, 16) for v in ",".join(word[1:]).replace("or=", "").split(",")]

headers, macros, bodies = [], set(), {}
for directory in DIRS:
    for path, _, files in os.walk(TREE + directory):
        for name in sorted(f for f in files if f.endswith(".h")):
            text = open(f"{path}/{name}", errors="replace").read()
            text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
            defined = dict(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S.*?)[ \t]*$", text, re.M))
            defined.update(re.findall(r"^\s*(\w+)\s*=\s*(_IOW?R?\(.*?),?$", text, re.M))
            missing = [h for h in re.findall(r"^[ \t]*#[ \t]*include[ \t]*<(\S+)>", text, re.M)
                       if not any(os.path.exists(d + h) for d in (TREE, TREE + ARCH + "/")) and not h.startswith("std")]
            if not missing and (re.search(r"_S?IO(C|R|W|WR)?\s*\(", text) or defined.keys() & table.keys()):
                headers.append(os.path.relpath(f"{path}/{name}", TREE + ARCH if directory.startswith(ARCH) else TREE))
                macros |= defined.keys()
                bodies.update(defined)
macros = sorted(macros)
FIRST = "stddef.h", "stdint.h", "sys/time.h", "linux/types.h", "linux/serial.h", "asm/termbits.h", "linux/ioctl.h"
START = "".join(f"#include <{h}>\n" for h in FIRST)
TYPES = "typedef __u16 domid_t;\ntypedef __u32 grant_ref_t;\ntypedef unsigned compat_ulong_t;\n"
source = START + TYPES + "".join(f"#include <{h}>\n" for h in headers)


def compiled(text, *options):
    return subprocess.run(["gcc", "-std=gnu11", "-x", "c", *options, "-"], input=text, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})


makers = "".join(f"#undef {m}\n" for m in ("_IO", "_IOR", "_IOW", "_IOWR", "_IOC"))
pre = compiled(source + makers + "".join(f"@@{i}@@ {m}\n" for i, m in enumerate(macros)), "-E").stdout
commands = [macros[int(i)] for i, made in re.findall(r"@@(\d+)@@ ([^@]*)", pre)
            if macros[int(i)] in table or MAKER.search(made) or MAKER.match(bodies[macros[int(i)]])]
first = source.count("\n") + 1
asked = compiled(source + "".join(f"char (*v{i})[(unsigned)({c})] = 1;\n" for i, c in enumerate(commands)), "-fsyntax-only").stderr
values = {commands[int(line) - first]: int(value)
          for line, value in re.findall(r"^<stdin>:(\d+):.*'char \(\*\)\[(\d+)\]'", asked, re.M)}
values = {name: value for name, value in values.items() if not NO_COMMAND.match(name)}
assert len(values) > 1500, f"only {len(values)} commands in the headers:\n{pre[-500:]}{asked[:2000]}"

wrong = [f"{n}: {v:#x}, and flags.tbl has {table[n][0]:#x}" for n, v in values.items() if n in table and v not in table[n]]
by_value = collections.defaultdict(list)
for name, value in values.items():
    by_value[value].append(name)
open("values", "w").write("".join(f"{v}\n" for v in by_value))
subprocess.run([os.environ["KVIS"], "trace", "-v", "-e", "trace=ioctl", "--json=json", "--", sys.executable, "-S", "-c", CALL],
               check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
calls = [e["args"][1] for e in map(json.loads, open("json")) if e["type"] == "syscall" and e["args"][0] == "-1"]
assert len(calls) == len(by_value), f"{len(calls)} calls, {len(by_value)} commands"
for (value, names), shown in zip(by_value.items(), calls):
    got = shown.split(" or ")
    for name in names:
        # FS_IOC32_GETFLAGS is FS_IOC_GETFLAGS with the value of 32-bit programs; an alias is a macro with another name;
        # EXT4_IOC_SHUTDOWN is FS_IOC_SHUTDOWN, which all file systems share
        same = {name, name.replace("32", "", 1), bodies[name].strip("( )"), "FS_IOC_" + name.split("_IOC_")[-1]}
        if len(got) != len(set(got)) or len(got) > 4 or not same & set(got) and got[-1] != "...":
            wrong.append(f"{value:#x} is {name}, and kvis shows {shown}")
print(f"{len(values)} names of {len(by_value)} commands in {len(headers)} headers")
assert not wrong, "\n".join(wrong)
