#!/bin/sh
# The short summary is correct: the parts of the time of a run add up to the whole; CPU time and peak memory agree with the
# program's own numbers; calls that cause no event (fsync) are timed; failed processes are named.
# tier: quick asan
# timeout: 120
# needs: /usr/bin/python3
. "$TESTS/lib/lib.sh"
cat >one.py <<'P'
import mmap
import os
import resource
import socket
m = mmap.mmap(-1, 300 << 20)
for i in range(0, len(m), 4096):
    m[i] = 1
m.close()
with open("file", "wb") as f:
    for i in range(30):
        f.write(b"x" * 1000)
        f.flush()
        os.fsync(f.fileno())
s = socket.socket()
try:
    s.connect(("127.0.0.1", 9)) # nobody listens
except OSError:
    pass
r = resource.getrusage(resource.RUSAGE_SELF)
with open("truth", "w") as f:
    print(int((r.ru_utime + r.ru_stime) * 1e9), r.ru_maxrss * 1024, file=f)
P
cat >burn.py <<'P'
import signal
import time
def burn(*unused):
    start = time.process_time_ns()
    while time.process_time_ns() - start < 200000000:
        pass
    used = time.process_time_ns() - start
    with open("burnt", "w") as f:
        print(used, file=f)
signal.signal(signal.SIGUSR1, burn)
open("ready", "w").close()
while True:
    signal.pause()
P
head_of() { sed -n '/ = CPU /,$p' "$1"; }
cat >sums.py <<'P'
import re
import sys
text = sys.stdin.read()
line = " ".join(text.split("\n")[:2])
all_, cpu, user, system, waiting, parts = re.fullmatch(
    r"\w+: ([0-9.]+) m?s = CPU ([0-9.]+) m?s(?: \(user ([0-9.]+), system ([0-9.]+)\))? +\+ waiting ([0-9.]+) m?s \((.*)\)", line).groups()
n = lambda t: round(float(t) * 1000)
ms = float(cpu) * (1000 if " s = CPU" in line else 1)
parts = re.findall(r"[0-9.]+", parts)
assert n(all_) == n(cpu) + n(waiting) and n(waiting) == sum(map(n, parts)), line
assert n(cpu) == n(user) + n(system) if user else ms < 100, line # below, the kernel does not know the parts
lines = text.rstrip("\n").split("\n")
assert len(lines) <= 12 and all(len(l) <= 79 for l in lines if "/" not in l), text # a path is not cut
P
for backend in ptrace auto; do
    gives 0 trace --backend=$backend --json=json -- /usr/bin/python3 one.py
    read -r cpu rss <truth
    head_of err >short
    python3 sums.py <short || fail "it does not add up"
    has short '^  time in calls +[a-z_]+ [0-9.]+ m?s'
    has short '^  failed .*connect ECONNREFUSED'
    has short '^  files .*[0-9] written \(29\.[0-9] KB\)$'
    has short "^  memory +3[0-9][0-9]\.[0-9] MB peak resident memory\$"
    hasnt short '^  (lost|ended|longest|incomplete)'
    want "[w['calls'] for w in S['time_in_calls'] if w['name'] == 'fsync'] == [30]"
    want "$cpu * 0.99 <= S['cpu_ns'] <= S['duration_ns']"
    want "S['cpu_ns'] == S['user_cpu_ns'] + S['system_cpu_ns'] if S['cpu_ns'] >= 1e8 else 'user_cpu_ns' not in S"
    want "abs(S['peak_rss_bytes'] - $rss) < 4 << 20"
    run trace -q --backend=$backend -- true
    hasnt err 'user|system'; has err '^true: [0-9.]+ m?s = CPU [0-9.]+ m?s$'
    run trace -q --backend=$backend -- /usr/bin/python3 -c 'import time
while time.process_time() < 0.3: pass'
    has err 'CPU [0-9.]+ m?s \(user [0-9.]+, system [0-9.]+\)$'
    # Several processes, some of which fail; one that nobody waits for.
    run trace --backend=$backend --json=json -- sh -c 'for i in 1 2 3 4 5; do (exit 3); done; sh -c "kill -KILL \$\$"; sh -c "kill -TERM \$\$"; (sleep 2 & exit 0); exit 7'
    has err '^sh: [0-9.]+ m?s, [0-9]+ processes \([2-9] at once\)(,|$)' # the rest may have a line of its own
    has err '(^sh.*,| ) CPU at least [0-9.]+ m?s( \(user [0-9.]+, system [0-9.]+\))?$'
    has err '^  longest +sleep [0-9.]+ m?s'
    has err '^  unsuccessful +sh [0-9]+ exit 3'
    want "S['orphans'] == 1 and S['exited_nonzero'] == 6 and S['killed'] == 2 and S['longest_processes'][0]['comm'] == 'sleep'"
    want "S['longest_processes'][0]['duration_ns'] >= 2e9"
    want "{p['ended'] for p in S['failed_processes']} == {'exit 3', 'SIGTERM', 'SIGKILL', 'exit 7'}"
    # A process that kvis attaches to: what it used meanwhile, and how it ended.
    rm -f ready burnt
    /usr/bin/python3 burn.py &
    burner=$!
    until_true 10 test -e ready || fail "burn.py does not start"
    read -r before rest <"/proc/$burner/schedstat"
    launch json trace --backend=$backend --json=json -p $burner
    kill -USR1 $burner
    until_true 20 test -s burnt || fail "burn.py does not burn"
    finish INT
    read -r after rest <"/proc/$burner/schedstat"
    want "$(cat burnt) <= S['cpu_ns'] <= $after - $before and 'user_cpu_ns' not in S"
    has err "^pid $burner: .*, CPU [0-9.]+ m?s\$"; has err '^  process +still running$'
    before=$after
    launch json trace --backend=$backend --json=json -p $burner
    kill -TERM $burner
    finish
    read -r after rest <"/proc/$burner/schedstat" # a zombie's, too
    wait $burner
    has err '^  ended +SIGTERM$'
    want "S.get('orphans', 0) == 0 and not S.get('longest_processes')" # whose child it is and since when is not kvis's
    want "S.get('cpu_ns', 0) <= $after - $before" # kvis may not have seen it run, and then its parent alone knows
    run trace --backend=$backend -q -- /usr/bin/python3 -c 'import os, threading
for i in range(1200):
    t = threading.Thread()
    t.start()
    t.join()
for i in range(12):
    os.fork() or os._exit(0)'
    has err '^python3: .* at once\), 12[0-9][0-9] threads$'; has err '^  CPU '
    [ "$(sed -n '/^python3/,/CPU/p' err | wc -L)" -le 79 ] || fail "a line is too long"
done
run trace -q -- sh -c 'exit 7'
has err '^  ended +exit 7$'
[ "$(wc -l <err)" -le 7 ] || fail "not short"
