#!/bin/sh
# Memory does not grow with the events of a recording, a report or a Perfetto trace.
# tier: full
# timeout: 120
# needs: python3 prog:loop
# covers: O1
. "$TESTS/lib/lib.sh"
cat >peak.py <<'END'
import os, subprocess, sys
def peak(loops, *sink): # of 4 calls and 4 other events
    p = subprocess.Popen([sys.argv[1], "trace", "-v", "-q", "-o", "/dev/null", *sink, "--", sys.argv[2], str(loops)],
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
        sys.exit(f"status {p.returncode}")
    print(f"{' '.join(sink)}: {loops * 8} events: {top} KB")
    return top
for sink, most in (["-w", "a.kvis"], 625000), (["--report=a.html"], 125000), (["--perfetto=a.json"], 125000):
    first = peak(12500, *sink)
    later = [peak(n, *sink) for n in (125000, 625000) if n <= most]
    if not first or max(later) > first + 1024:
        sys.exit("it grows")
size = os.path.getsize("a.kvis") / 5e6
print(f"{size:.1f} bytes an event")
sys.exit(size > 25)
END
python3 peak.py "$KVIS" "$BIN/loop" >out 2>err || { cat out >&9; fail "it grows"; }
rm a.html a.json
cat out >&9
kv replay -q --json=json a.kvis 2>err || fail "replay"
sed -n "1p;\$p" json >out
want "S['syscalls'] + S['events'] > 5000000" out
