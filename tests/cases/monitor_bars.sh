#!/bin/sh
# The bars of run-queue waits on the monitor's screen agree with --json in the same interval.
# tier: gate
# timeout: 60
# needs: root python3 tmux
# covers: O5
. "$TESTS/lib/lib.sh"
"$KVIS" monitor -c runq -n 1 -i 0.1 -o can 2>&1 || fail "monitor"
grep -q '^runq .*switches=' can || skip "$(cat can)"
t() { tmux -S "$PWD/tmux" -f /dev/null "$@" 9>&-; }
trap 't kill-server 2>/dev/null' EXIT
t new-session -d -x 80 -y 24 "LC_ALL=C.UTF-8 TERM=screen exec '$KVIS' monitor -i 0.5 -c runq --histogram --json=json" || skip "no tmux"
shows() { t capture-pane -p | grep -q -- "$1"; }
bars() { # bars COLUMNS: the screen stands still; its bars are one interval's
    t send-keys Space
    until_true 5 shows PAUSED || fail "no pause"
    until_true 10 still || fail "the paused screen changes"
    t capture-pane -p >screen
    cat screen >&9
    until_true 5 drawn $1 || { cat drawn.err >&9; fail "other bars"; }
    t send-keys Space
}
# The screen is as it was a moment ago: what was drawn before the pause may be on its way.
still() { was=$(t capture-pane -p); sleep 0.2; [ "$was" = "$(t capture-pane -p)" ]; }
drawn() { COLUMNS=$1 python3 drawn.py 2>drawn.err; } # drawn COLUMNS
cat >drawn.py <<'END'
import json, os
screen = open("screen").read().split("\n")
at = next(i for i, l in enumerate(screen) if l.startswith("runq_wait "))
top = at
while screen[top - 1].startswith(" " * 31):
    top -= 1
seen, height = [l[31:].rstrip() for l in screen[top:at + 1]], at + 1 - top
assert 1 <= height <= 4, height
def drawn(h):
    n = [0] * 65
    for low, count in h["buckets"]:
        n[low.bit_length()] += count
    used = [o for o in range(65) if n[o]]
    first, last = used[0], used[-1]
    wide = min((int(os.environ["COLUMNS"]) - 31) // (last - first + 1), 4)
    level = [max(n[o] * height * 8 // max(n), 1) if n[o] else 0 for o in range(first, last + 1)]
    return ["".join(" ▁▂▃▄▅▆▇█"[min(max(k - 8 * row, 0), 8)] * wide for k in level).rstrip() for row in range(height)][::-1], first, last
for e in (json.loads(line) for line in open("json") if line.endswith("\n")):
    for h in e.get("histograms", []):
        d, first, last = drawn(h)
        if h["name"] == "runq_wait" and d == seen:
            # from when to when: 1.02us to 16.8ms
            lo, hi = screen[at + 1].split(" to ")
            ns = lambda s: float(s.strip()[:-2]) * {"us": 1e3, "ms": 1e6}[s.strip()[-2:]]
            assert abs(ns(lo) / (1 << first - 1) - 1) < .01 and abs(ns(hi) / (1 << last) - 1) < .01, (lo, hi, first, last)
            raise SystemExit
raise SystemExit("no interval has these: " + repr(seen))
END
until_true 10 shows '^runq_wait  ' || fail "no bars: $(t capture-pane -p)"
shows 'distribution' && fail "--histogram is on the screen"
bars 80
t resize-window -x 200 -y 60
until_true 5 eval 't capture-pane -p | sed -n 60p | grep -q "^q quit"' || fail "not resized"
bars 200
# what does not fit is below
t resize-window -x 80 -y 9
below() { ! shows '^runq_wait  ' && t capture-pane -p | sed -n 9p | grep -q '^q quit .*([0-9]* more lines)'; }
until_true 5 below || fail "bars without room: $(t capture-pane -p)"
t send-keys End
until_true 5 shows '^runq_wait  ' || fail "no bars at the end: $(t capture-pane -p)"
t send-keys q
