#!/bin/sh
# kvis monitor and runqlat measure the same distribution of run-queue waits at the same time.
# tier: quick
# timeout: 60
# needs: root runqlat perf python3
# alone: it compares what two tools see of the machine
# covers: P1
. "$TESTS/lib/lib.sh"
"$KVIS" monitor -c runq -n 1 -i 0.1 >can 2>&1 || fail "monitor"
grep -q '^runq .*switches=' can || skip "$(cat can)"
attached() { [ "$(ls -l "/proc/$1/fd" | grep -c "bpf[-_]link\|perf_event")" -ge 3 ]; } # it has three programs
runqlat >lat 2>&1 &
lat=$!
"$KVIS" monitor -c runq -i 1000 --histogram --json=json --prometheus=prom -o text &
kvis=$!
trap 'kill -KILL $lat $kvis 2>/dev/null' EXIT
until_true 20 test -s prom || fail "kvis does not begin"
until_true 20 attached $lat || skip "runqlat: $(head -n 1 lat)"
perf bench sched pipe -l 50000 >/dev/null 2>&1 && bench=1
kill -INT $kvis $lat
wait
[ "${bench-}" ] || skip "no perf bench"
grep -q ' -> ' lat || skip "runqlat: $(head -n 1 lat)"
cat >compare.py <<'END'
import json, re
kvis, lat = [0] * 64, [0] * 64
for line in open("lat"):
    m = re.match(r" *(\d+) -> \d+ *: (\d+) ", line)
    if m:
        lat[max(int(m[1]).bit_length() - 1, 0)] += int(m[2])
for h in [h for e in map(json.loads, open("json")) if e["type"] == "sample" for h in e["histograms"]]:
    for low, n in h["buckets"]:
        kvis[max((low // 1000).bit_length() - 1, 0)] += n
# The same within a bucket: each sees the other's program as a part of the wait, or not, by their order.
share = lambda n, i: sum(n[:max(i + 1, 0)]) / sum(n)
for i in range(30):
    print(f"< {2 << i} us: {kvis[i]:8} {lat[i]:8}   {share(kvis, i):.3f} {share(lat, i):.3f}")
    assert share(kvis, i - 1) - .03 <= share(lat, i) <= share(kvis, i + 1) + .03, i
assert sum(lat) > 50000 and abs(sum(kvis) / sum(lat) - 1) < .2
END
python3 compare.py || fail "another distribution"
