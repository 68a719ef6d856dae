#!/bin/sh
# promtool accepts the Prometheus output, from a file and over HTTP, even if many clients send nothing; the file is replaced
# atomically. (monitor_http tests the requests that a client can send.)
# tier: quick
# timeout: 120
# needs: python3 curl promtool prometheus-node-exporter
. "$TESTS/lib/lib.sh"
gives 0 monitor -i 0.2 -n 3 --per-cpu --prometheus=a.prom
eq stdout "" "$(cat out)"
eq files "a.prom err out" "$(echo *)"
promtool_takes a.prom
has a.prom '^kvis_cpu_seconds_total[{]mode="idle",cpu="0"} [0-9.]+$'
! grep -q 'mode="idle"} ' a.prom || fail "a sum beside the CPUs"

# A reader always gets one complete file.
launch b.prom monitor -i 0.01 -n 300 -c stat,load --prometheus=b.prom
python3 - $kvis <<'END' || fail "a file in parts"
import re, sys
reads, seen, kinds = 0, set(), set()
def runs():
    try:
        return open(f"/proc/{sys.argv[1]}/stat").read().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False
while runs():
    text = open("b.prom").read()
    seen.add(text)
    kinds.add((tuple(re.findall(r"^# TYPE .*", text, re.M)), text[-1:]))
    reads += 1
print(f"{reads} reads of {len(seen)} files")
assert len(seen) > 50 and len(kinds) == 1 and kinds.pop()[1] == "\n"
END
finish
eq "left behind" "a.prom b.prom err out tool" "$(echo *)"

# A metric that node_exporter also has differs only in its prefix: same name, labels and count.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus-node-exporter --collector.meminfo_numa --collector.processes --collector.vmstat.fields=. --collector.netstat.fields=. \
    --web.listen-address=127.0.0.1:$port >exporter.log 2>&1 9>&- &
exporter=$!
until_true 20 curl -sfo before http://127.0.0.1:$port/metrics || fail "node_exporter: $(tail -n 1 exporter.log)"
run monitor -i 0.1 -n 2 --prometheus=both.prom
curl -sfo after http://127.0.0.1:$port/metrics || fail "node_exporter ends"
kill $exporter
wait $exporter
python3 - <<'END' || fail "not as node_exporter has it"
import prom
before, after, ours = (prom.read(open(f).read()) for f in ("before", "after", "both.prom"))
types = {s.split()[2]: s.split()[3] for f in ("before", "both.prom") for s in open(f) if s.startswith("# TYPE")}
names, theirs = ({name for name, _ in d} for d in (ours, before))
both = {n for n in names if n.replace("kvis_", "node_", 1) in theirs}
assert both > {"kvis_memory_MemTotal_bytes", "kvis_vmstat_pgfault", "kvis_netstat_Tcp_RetransSegs", "kvis_cpu_seconds_total",
               "kvis_network_receive_bytes_total", "kvis_load1", "kvis_intr_total", "kvis_softnet_processed_total",
               "kvis_netstat_Tcp_OutRsts", "kvis_netstat_TcpExt_ListenDrops"}, both
counted = 0
for n in both:
    theirs = n.replace("kvis_", "node_", 1)
    labels = [{tuple(k for k, _ in key[1]) for key in d if key[0] == name} for d, name in ((ours, n), (before, theirs))]
    assert labels[0] == labels[1], (n, labels)
    assert types[n] == types[theirs] or (types[n], types[theirs]) == ("gauge", "untyped"), (n, types[n], types[theirs])
    if types[n] == "gauge" or n == "kvis_cpu_seconds_total" or "device" in str(labels[0]):
        continue
    for key in ours:
        if key[0] == n and (theirs, key[1]) in after:
            low, high = before[theirs, key[1]], after[theirs, key[1]] # (it divides pressure by 1000 twice)
            assert low * (1 - 1e-12) <= ours[key] <= high * (1 + 1e-12), (key, low, ours[key], high)
            counted += 1
print(f"{len(both)} metrics of node_exporter; {counted} numbers count as far")
assert len(both) > 80 and counted > 50
assert "process_open_fds" not in names, "node_exporter has the same of itself"
END
rm before after both.prom exporter.log

launch err monitor -i 0.5 --listen=0
# with fewer descriptors than clients that it has places for
(ulimit -n 16; exec "$KVIS" monitor -c load -i 1000 --listen=0) >out 2>err2 9>&- &
few=$!
trap 'kill -KILL $kvis $few 2>/dev/null' EXIT
for err in err err2; do until_true 10 grep -q port $err || fail "it does not listen"; done
port=$(sed -n 's/.* port //p' err)
url=http://127.0.0.1:$port
curl -sS -D head "$url/metrics" >m.prom || fail "no answer"
has head '^HTTP/1.1 200 OK'
has head '^Content-Type: text/plain; version=0.0.4'
promtool_takes m.prom
"$KVIS" monitor -n 1 --listen=$port 2>err3 && fail "the port is taken twice"
has err3 "port $port: Address (already )?in use"
python3 - "$port" "$(sed -n 's/.* port //p' err2)" <<'END' || fail "see above"
import resource, socket, sys, time
port, few = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, max(2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
def client(to=port, wait=10):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.settimeout(wait)
    s.connect(("127.0.0.1", to))
    return s
def ask(to=port, wait=10):
    s = client(to, wait)
    s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
    return b"".join(iter(lambda: s.recv(65536), b""))
# 1000 that say nothing, and one that asks; those are shown the door
idle = [client() for _ in range(1000)]
at = time.monotonic()
assert b"kvis_load1" in ask()
assert time.monotonic() - at < 3, "a client that asks waits for those that do not"
at = time.monotonic()
for s in idle:
    try:
        assert s.recv(1) == b""
    except ConnectionResetError:
        pass
print("the silent ones were closed after %.1f s" % (time.monotonic() - at))
assert time.monotonic() - at < 9
# a client that takes its time is not ended while there are places for others
late = client()
assert all(ask() for _ in range(40))
late.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
assert b" 200 " in late.recv(99)
# a client that asks and does not read, many times over
slow = [client() for _ in range(20)]
for s in slow:
    s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
assert b"kvis_load1" in ask()
idle = [client(few) for _ in range(20)]
assert b" 200 " in ask(few, 4), "out of descriptors, nobody is answered" # the others are let go after 5 s
END
kill $few
fds=$(ls /proc/$kvis/fd | wc -l)
# kvis's own process, by the names that all exporters have for it
curl -sS "$url/metrics" >m.prom
python3 - $kvis $fds <<'END' || fail "of its own process"
import os, sys, time
import prom
pid, fds = sys.argv[1:]
ours = {name: v for (name, _), v in prom.read(open("m.prom").read()).items()}
words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
cpu = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
assert 0 < ours["process_cpu_seconds_total"] <= cpu + 0.05
started = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + int(words[19]) / os.sysconf("SC_CLK_TCK")
assert abs(ours["process_start_time_seconds"] - started) < 3, (ours["process_start_time_seconds"], started)
rss = int(words[21]) * os.sysconf("SC_PAGESIZE")
assert abs(ours["process_resident_memory_bytes"] - rss) < 8 << 20, (ours["process_resident_memory_bytes"], rss)
assert abs(ours["process_open_fds"] - int(fds)) <= 24, (ours["process_open_fds"], fds)  # of clients that are gone
assert ours["process_max_fds"] == int(next(s for s in open(f"/proc/{pid}/limits") if "open files" in s).split()[3])
END
say "descriptors: $fds, RSS: $(sed -n 's/^VmRSS:[^0-9]*//p' /proc/$kvis/status)"
finish INT; status 0
