#!/usr/bin/env python3
# Memory does not grow with the events of a recording, a report or a Perfetto trace.
# tier: full
# timeout: 120
# needs: python3 prog:loop
# covers: O1
import os
import subprocess
import sys

KVIS, LOOP = os.environ["KVIS"], os.environ["BIN"] + "/loop"


def peak(loops, *sink):  # of 4 calls and 4 other events
    """The peak of kvis's resident memory, in KB."""
    p = subprocess.Popen([KVIS, "trace", "-v", "-q", "-o", "/dev/null", *sink, "--", LOOP, str(loops)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    top = 0
    while p.poll() is None:
        try:
            status = open(f"/proc/{p.pid}/status").read()
        except OSError:
            break
        if "VmHWM" in status and "Name:\tkvis" in status:
            top = int(status.split("VmHWM:")[1].split()[0])
        try:
            p.wait(0.02)
        except subprocess.TimeoutExpired:
            pass
    if p.wait():
        sys.exit(f"{' '.join(sink)}: exit status {p.returncode}")
    print(f"{' '.join(sink)}: {loops * 8} events: {top} KB", flush=True)
    return top


for sink, most in (["-w", "a.kvis"], 625000), (["--report=a.html"], 125000), (["--perfetto=a.pf"], 125000):
    first = peak(12500, *sink)
    later = [peak(n, *sink) for n in (125000, 625000) if n <= most]
    if not first or max(later) > first + 1024:
        sys.exit(f"{sink}: it grows")
size = os.path.getsize("a.kvis") / 5e6
print(f"{size:.1f} bytes an event")
if size > 25:
    sys.exit("a recording is too long")
