#!/bin/sh
# timeout: 120
# needs: python3 prog:loop
# plain-only: its memory, not the sanitizers'
# covers: O1
# Memory does not grow with a recording's events: the peak of kvis -w after 100 000, 1 000 000 and 5 000 000 events (calls are some).
. "$TESTS/lib.sh"
cat >peak.py <<'END'
import subprocess, sys
peaks = []
for loops in 12500, 125000, 625000: # of 4 calls and 4 other events
    p = subprocess.Popen([sys.argv[1], "trace", "-v", "-q", "-o", "/dev/null", "-w", "a.kvis", "--", sys.argv[2], str(loops)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while p.poll() is None:
        try:
            status = open(f"/proc/{p.pid}/status").read()
        except OSError:
            break
        if "VmHWM" in status and "Name:\tkvis" in status:
            peak = int(status.split("VmHWM:")[1].split()[0])
        try:
            p.wait(0.02)
        except subprocess.TimeoutExpired:
            pass
    if p.wait():
        sys.exit(f"status {p.returncode}")
    peaks.append(peak)
    print(f"{loops * 8} events: {peak} KB")
sys.exit(peaks[2] > peaks[0] + 1024 or not peaks[0])
END
python3 peak.py "$KVIS" "$BIN/loop" >out 2>err || fail "it grows"
cat out >&9
kv replay -q --json=json a.kvis 2>err || fail "replay"
sed -n "1p;\$p" json >out
want "S['syscalls'] + S['events'] > 5000000" out
