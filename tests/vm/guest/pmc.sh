# pmc: a PMU that counts (QEMU's, with -icount: one instruction per nanosecond): the counts agree with a program that
# knows its instructions; the CPU's events are those that QEMU provides.
# kernels: arm64
# timeout: 150
# qemu: -icount shift=0
. /tests/lib.sh

steps=20000000
loop() { # loop NAME STEPS THREADS [AS]: a program that waits for a byte; its pid is in $pid
    mkfifo "$1.in"
    ${4-} "$BIN/pmu" loop "$2" "$3" <"$1.in" >"$1.did" &
    pid=$!
    exec 7>"$1.in"
    until_true 5 grep -q pmu /proc/$pid/comm
    rm -f p.prom
}
total() { sed -n "s/^kvis_$2_total$1 //p" p.prom; } # total {LABELS} NAME
within() { # within WHAT GOT WANT PERMILLE
    if awk "BEGIN { d = ($2) / ($3) - 1; exit !(d * d <= ($4) / 1e3 * ($4) / 1e3) }"; then
        t_pass "$1 ($2 of $3)"
    else
        t_not_ok "$1: $2, not $3"
    fi
}

kvis check cpu >cpu.check
t_has "the core is named" cpu.check '^armv8_pmuv3.*(MIDR 0x|implementer)'
t_has "cycles count" cpu.check '^cycles  *yes .*cpu_cycles type [0-9]* config 0x11'
t_has "what this core lacks says so" cpu.check '^l1d_misses  *no'

# A process, by an ordinary user: user mode alone, so all of its instructions are known.
echo 2 >/proc/sys/kernel/perf_event_paranoid
loop one $steps 0 "as_user 1000"
user kvis monitor -c pmc -p $pid -i 0.5 -n 8 --json=json --prometheus=/tmp/p.prom -o text 2>err &
kvis=$!
until_true 10 test -s /tmp/p.prom
echo >&7
wait $kvis || { t_not_ok "kvis"; t_show err; }
t_has "user mode alone: it says so" err 'only user mode is counted: perf_event_paranoid is 2'
cp /tmp/p.prom p.prom
rm -f /tmp/p.prom
did=$(sed -n 's/^did //p' one.did)
l="{pid=\"$pid\",comm=\"pmu\"}"
within "instructions of a process" "$(total "$l" process_perf_instructions)" "$did" 1
within "its cycles: one each" "$(total "$l" process_perf_cpucycles)" "$did" 1
t_json "IPC" json "max(abs(e['pid']['$pid']['process_ipc'] - 1) for e in E if 'process_ipc' in e['pid']['$pid']) < 0.01"
t_json "nothing scaled" json "all(e['pid']['$pid'].get('process_pmc_running_ratio', 1) == 1 for e in E)"
t_json "nothing of the machine" json "not any('ipc' in e or 'cycles_per_second' in e for e in E)"
t_json "and why" json "all({'cycles_per_second', 'instructions_per_second'} <= {m for u in e['unavailable'] if '-p uses the' in u['reason'] for m in u['metrics']} for e in E if e['type'] == 'sample')"

t_json "what is not, and why" json "'llc_mpki' in [m for e in E if e['type'] == 'sample' for u in e['unavailable'] if 'lacks the event' in u['reason'] for m in u['metrics']]"
exec 7>&-

# Threads that come while it is watched. (QEMU's count of user mode has some of the kernel's instructions
# when threads take turns, 0.1 to 3 %: so an event of the program's own is asked, too.)
loop many 4000000 6 "as_user 1000"
user kvis monitor -c pmc -p $pid -i 0.5 -n 6 --prometheus=/tmp/p.prom 2>err &
kvis=$!
until_true 10 test -s /tmp/p.prom
echo >&7
wait $kvis
cp /tmp/p.prom p.prom
within "instructions of threads to come" "$(total "{pid=\"$pid\",comm=\"pmu\"}" process_perf_instructions)" "$(sed -n 's/^did //p' many.did)" 50
within "as an event of the program's own" "$(total "{pid=\"$pid\",comm=\"pmu\"}" process_perf_instructions)" \
    "$(sed -n 's/^counted //p' many.did)" 1
exec 7>&-
rm -f p.prom

# A command, and a child of it that does the same: from the exec on, with children, and in user mode alone.
user kvis monitor -i 0.5 --json=/tmp/json8 -o /tmp/text8 -- sh -c "echo | $BIN/pmu loop $steps 0; echo | $BIN/pmu loop $steps 0; exit 9" >did8 2>err
t_is "the exit status of the command" 9 $?
cp /tmp/json8 json8
t_json "totals of the command" json8 "0 <= E[-2]['instructions'] / $(awk '/^did / { s += $2 } END { printf "%d", s }' did8) - 1 < 0.05"
t_json "and their ratio" json8 "abs(E[-2]['ipc'] - 1) < 0.01"
t_has "as text" /tmp/text8 "^ *$(js8=$(sed -n 's/.*"type":"totals".*"instructions":\([0-9]*\).*/\1/p' json8); echo "$js8")  instructions"
t_has "page faults need root" /tmp/text8 'n/a  page_faults: perf_event_open: EACCES .perf_event_paranoid is 2.; fix: '

# All CPUs: their cycles are the time that they ran (1 ns each); every instruction of the program is in.
loop all $steps 0
kvis monitor -c pmc,stat -i 0.5 -n 8 --per-cpu --json=json2 --prometheus=p.prom 2>err &
kvis=$!
until_true 10 test -s p.prom
echo >&7
wait $kvis
sum=$(sed -n 's/^kvis_perf_instructions_total{cpu="[0-9]*"} //p' p.prom | awk '{ s += $1 } END { printf "%d", s }')
[ "$sum" -ge "$(sed -n 's/^did //p' all.did)" ] && t_pass "all CPUs: $sum instructions" || t_not_ok "all CPUs: $sum instructions"
t_json "sum of the CPUs" json2 "all(abs(sum(c['cycles_per_second'] for c in e['cpu'].values() if 'cycles_per_second' in c) / e['cycles_per_second'] - 1) < 1e-6 for e in E if e['type'] == 'sample')"
exec 7>&-
rm -f p.prom

# More events than counters: others have them in turn. Scaled, it is what was executed.
loop shared 100000000 0 "as_user 1000"
as_user 1000 "$BIN/pmu" hog 12 $pid >hogs &
hog=$!
until_true 5 grep -q hogs hogs
rm -f /tmp/p.prom
user kvis monitor -c pmc -p $pid -i 0.5 -n 10 --json=json3 --prometheus=/tmp/p.prom 2>err &
kvis=$!
until_true 10 test -s /tmp/p.prom
echo >&7
wait $kvis
kill $hog
cp /tmp/p.prom p.prom
t_has "others have events, too" hogs "hogs 12"
t_json "the share is told" json3 "min(e['pid']['$pid'].get('process_pmc_running_ratio', 1) for e in E) < 0.9"
within "scaled by it" "$(total "{pid=\"$pid\",comm=\"pmu\"}" process_perf_instructions)" "$(sed -n 's/^did //p' shared.did)" 20
exec 7>&-
rm -f p.prom

# A cgroup; a CPU that goes and comes back.
grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
mkdir /sys/fs/cgroup/work
kvis monitor -c pmc --cgroup work -i 0.1 -n 1 --json=json7 >/dev/null 2>err
t_json "a cgroup without perf_event" json7 "E[0]['unavailable'][0]['reason'].startswith('the cgroup has no perf_event') or 'cgroup_ipc' in E[0]"
echo +pids >/sys/fs/cgroup/cgroup.subtree_control # till then there is no perf_event in it
loop grouped $steps 0
echo $pid >/sys/fs/cgroup/work/cgroup.procs
kvis monitor -c pmc --cgroup work -i 0.5 -n 8 --json=json6 --prometheus=p.prom 2>err &
kvis=$!
until_true 10 test -s p.prom
echo >&7
wait $kvis || t_not_ok "kvis --cgroup"
cp err err6
within "instructions of a cgroup" "$(total "" cgroup_perf_instructions)" "$(sed -n 's/^did //p' grouped.did)" 20
t_json "of it alone" json6 "not any('ipc' in e for e in E) and all('ipc' in [m for u in e['unavailable'] for m in u['metrics']] for e in E if e['type'] == 'sample')"
exec 7>&-
until_true 5 rmdir /sys/fs/cgroup/work
echo -pids >/sys/fs/cgroup/cgroup.subtree_control
rm -f p.prom

kvis monitor -c pmc -i 0.5 -n 10 --per-cpu --json=json4 2>err &
kvis=$!
sleep 1.2
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 1.5
echo 1 >/sys/devices/system/cpu/cpu1/online
wait $kvis
t_show err
t_json "a CPU went" json4 "any('1' not in e['cpu'] for e in E if e['type'] == 'sample')"
t_json "and came back" json4 "[e for e in E if e['type'] == 'sample'][-1]['cpu']['1']['cycles_per_second'] >= 0"

# Few descriptors: what there is room for is counted, the rest says why not.
(ulimit -n 140; kvis monitor -c pmc -i 0.3 -n 2 --json=json5 2>err)
t_json "cycles are the last to go" json5 "[e for e in E if e['type'] == 'sample'][-1]['ipc'] > 0"
t_json "the others say why" json5 "any('descriptors' in u['reason'] for u in [e for e in E if e['type'] == 'sample'][-1]['unavailable'])"
