#!/bin/sh
# A real Prometheus that scrapes kvis monitor gets the kernel's numbers.
# tier: quick
# timeout: 300
# needs: python3 curl prometheus
. "$TESTS/lib/lib.sh"
"$KVIS" monitor -i 1 --listen=0 >out 2>err 9>&- &
kvis=$!
trap 'kill -KILL $kvis $server 2>/dev/null' EXIT
server=
until_true 10 grep -q port err || fail "it does not listen"
port=$(sed -n 's/.* port //p' err)
own=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >p.yml <<END
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs: [ { job_name: kvis, static_configs: [ { targets: ["127.0.0.1:$port"] } ] } ]
END
prometheus --config.file=p.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:$own >log 2>&1 9>&- &
server=$!
ask() { # ask QUERY: its first value
    curl -sS "http://127.0.0.1:$own/api/v1/query" --data-urlencode "query=$1" |
        python3 -c 'import json, sys; r = json.load(sys.stdin)["data"]["result"]; print(r[0]["value"][1] if r else "")'
}
up() { [ "$(ask up)" = 1 ]; }
until_true 40 up || fail "prometheus does not reach it: $(tail -n 2 log)"
ctxt() { sed -n 's/^ctxt //p' /proc/stat; }
sleep 2
low=$(ctxt) at=$(date +%s)
sleep ${SCRAPE:-12}
got=$(ask kvis_context_switches_total) high=$(ctxt)
say "context switches: $low ... $got ... $high"
[ "$got" -ge "$low" ] && [ "$got" -le "$high" ] || fail "not between what /proc/stat had before and after"
failed=$(ask 'count_over_time(up[10s]) - sum_over_time(up[10s])') # a busy machine's may take its second
[ "$failed" -le 2 ] || fail "$failed scrapes failed"
n=$(ask 'count_over_time(kvis_context_switches_total[10s])')
[ "$n" -ge 6 ] || fail "$n samples in 10 s"
cpus=$(getconf _NPROCESSORS_ONLN)
sum=$(ask 'sum(rate(kvis_cpu_seconds_total[10s]))')
say "all modes of all CPUs: $sum s per second, $cpus CPUs"
python3 -c "import sys; sys.exit(not 0.7 < $sum / $cpus < 1.3)" || fail "modes do not add up to the CPUs"
eq "a gauge" "$(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)" "$(ask kvis_memory_MemTotal_bytes)"
eq "warnings of prometheus" "" "$(grep -i 'level=\(warn\|error\)' log)"
kill -INT $server $kvis
wait $kvis
eq "exit" 0 $?
wait $server
:
