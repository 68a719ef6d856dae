#!/usr/bin/env python3
# Memory does not grow with the events of a recording, a report or a Perfetto trace.
# tier: full
# timeout: 120
# needs: python3 prog:loop
import os
import time

from lib import BIN, say, start


def peak(loops, *sink):
    """The peak of kvis's resident memory, in KB, for so many times 4 calls and 4 other events."""
    kvis = start("trace", "-v", "-q", "-o", "/dev/null", *sink, "--", BIN + "/loop", loops)
    top = 0
    while kvis.poll() is None:
        with open(f"/proc/{kvis.pid}/status") as f:
            top = next((int(line.split()[1]) for line in f if line.startswith("VmHWM")), top)
        time.sleep(0.05)
    assert kvis.returncode == 0 and top, (kvis.returncode, top)
    say(f"{loops * 8} events: {top} KB")
    return top


for sink, more in ("-wa.kvis", [125000, 625000]), ("--report=a.html", [125000]), ("--perfetto=a.pf", [125000]):
    first = peak(12500, sink)
    later = [peak(n, sink) for n in more]
    assert max(later) <= first + 1024, "it grows"
assert os.path.getsize("a.kvis") / 5e6 <= 25, "a recording is too long"
