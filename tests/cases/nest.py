#!/usr/bin/env python3
# Vectors, messages and sets (readv, sendmsg, recvmmsg, select and their like) are shown as strace shows them, by both backends and in the observe mode.
# If they fit into a record, no thread stops.
# tier: quick asan
# timeout: 120
# needs: root strace setarch prog:nest
import json
import os
import re
import subprocess

from lib import BIN, KVIS, backends, fail, read, say, skip, start, until_true

NESTS = re.compile(r"(p?readv2?|p?writev2?|sendmm?sg|recvmm?sg|vmsplice|p?select6?|process_vm_\w+)$")
LABEL = re.compile(r"(?<=[\d\[])<(?:->|[^<>])*>")  # of a descriptor: strace has none
CHANGING = re.compile(r"\bpid=\d+")


def comparable(name, args):
    """Arguments as text, without what differs between runs and tools."""
    args = CHANGING.sub("pid", args)
    if name.startswith("process_vm"):  # its process; where the other side's vector is, which kvis does not follow
        args = re.sub(r"^\d+|(?:\[[^\[]*\]|0x\w+)(?=, \d+, \d+$)", "DIFFERENT", args)
    if name == "sendmmsg":  # strace reads the lengths at the end of the call
        args = re.sub(r", msg_len=\d+", "", args)
    return args


def of_strace(path):
    calls = [re.match(r"(\w+)\((.*)\) += (.*)", line) for line in read(path).splitlines()]
    return [(c[1], comparable(c[1], c[2]), c[3].split(" (")[0]) for c in calls if c and NESTS.match(c[1])]


def of_kvis(path):
    calls = [row for row in map(json.loads, read(path).splitlines()) if row["type"] == "syscall" and NESTS.match(row["name"])]
    return [(c["name"], comparable(c["name"], ", ".join(LABEL.sub("", a) for a in c["args"])),
             f"-1 {c['error']}" if c.get("error") else str(c["ret"])) for c in calls]


def same(what, want, got):
    if len(want) != len(got):
        fail(f"{what}: {len(got)} calls, not {len(want)}")
    for i, (w, g) in enumerate(zip(want, got)):
        failed = w[2] in ("-1 EFAULT", "-1 EINVAL") or w[2][0] == "-" and w[0].startswith(("read", "preadv", "recv", "process_vm_readv"))
        unnamed = w[0] == "recvmsg" and "msg_namelen=0 =>" in w[1]  # kvis shows the memory
        # For a failed call, kvis shows the address of memory that was not written, and the readable part of other memory.
        if (w[0], w[2]) != (g[0], g[2]) or (w[1] != g[1] and not failed and not unnamed):
            fail(f"{what}: call {i}:\nwant {str(w)[:900]}\ngot  {str(g)[:900]}")
    say(f"{what}: {len(got)} calls")


def clean():
    for name in os.listdir("."):
        if " " in name:
            os.unlink(name)


def traced(*words):
    clean()
    done = subprocess.run(["setarch", "-R", *words], input="\n", text=True, capture_output=True)
    if done.returncode:
        fail(f"{words}: exit status {done.returncode}: {done.stderr}")


def observed(size):
    """The program waits on its input until kvis observes it."""
    clean()
    program = subprocess.Popen(["setarch", "-R", f"{BIN}/nest"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    kvis = start("trace", "-v", "-s", size, "--backend=observe", "-o", "text", "--json=observe", "-p", program.pid, stderr=subprocess.PIPE)
    until_true(20, lambda: os.path.exists("text") and "observe" in read("text"), "kvis observes")
    program.communicate(b"\n")
    err = kvis.communicate()[1]
    if kvis.returncode or program.returncode:
        fail(f"observe: exit status {kvis.returncode}, of the program {program.returncode}: {err}")


if "hybrid" not in backends():
    skip("no hybrid backend")
for size in "0", "5000", "3000", "3", "32":
    traced("strace", "-s", size, "-o", "strace", f"{BIN}/nest")
    for backend in "ptrace", "hybrid":
        traced(KVIS, "trace", "-q", "-v", "-s", size, f"--backend={backend}", f"--json={backend}", f"{BIN}/nest")
        if size not in ("0", "5000"):  # strace shows some of control messages then; of a part of a vector, kvis 4096 bytes
            same(f"{backend}, -s {size}", of_strace("strace"), of_kvis(backend))
    same(f"both, -s {size}", of_kvis("ptrace"), of_kvis("hybrid"))
observed("32")
same("observe", of_strace("strace"), of_kvis("observe"))
traced(KVIS, "trace", "-q", "-v", "--backend=hybrid", "--json=short", f"{BIN}/nest", "short")
summary = json.loads(read("short").splitlines()[-1])
if summary["throttle_stops"]:
    fail(f"{summary['throttle_stops']} stops")
# Even if the buffers of a vector fill its record, the record contains the time for which the call slept.
FULL = """import os, time
r, w = os.pipe()
if not os.fork():
    time.sleep(0.2)
    os.write(w, b"x" * 8192)
    os._exit(0)
os.readv(r, [bytearray(4096), bytearray(4096)])
os.wait()"""
traced(KVIS, "trace", "-q", "-v", "-s", "4094", "--backend=hybrid", "--json=full", "python3", "-c", FULL)
read_it = [e for e in map(json.loads, read("full").splitlines()) if e["type"] == "syscall" and e["name"] == "readv"]
if len(read_it) != 1 or read_it[0]["ret"] != 8192 or read_it[0]["on_cpu_ns"] * 2 > read_it[0]["duration_ns"]:
    fail(f"readv: {[dict(e, args=None) for e in read_it]}")
