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
}
total() { sed -n "s/^kvis_$2_total$1 //p" p.prom; } # total {LABELS} NAME
# monitor USER OPTION...: kvis monitor, as root or as `user`; the program begins its work when kvis has begun.
monitor() {
    as=${1#root}; shift
    t_begin /tmp/p.prom $as kvis monitor -i 0.5 --prometheus=/tmp/p.prom -o /dev/null "$@" 2>err
    echo >&7
    wait $kvis || { t_not_ok "kvis $*"; t_show err; }
    exec 7>&-
    mv /tmp/p.prom p.prom
}
did() { sed -n "s/^${2-did} //p" "$1.did"; } # did NAME [counted]
within() { # within WHAT GOT WANT PERMILLE
    t_within "$1" $(($3 - $3 * $4 / 1000)) "$2" $(($3 + $3 * $4 / 1000))
}

kvis check cpu >cpu.check
t_has "the core is named" cpu.check '^armv8_pmuv3.*(MIDR 0x|implementer)'
t_has "cycles count" cpu.check '^cycles  *yes .*cpu_cycles type [0-9]* config 0x11'
t_has "what this core lacks says so" cpu.check '^l1d_misses  *no'

# A process, counted by an ordinary user, only in user mode: the number of its instructions is known.
echo 2 >/proc/sys/kernel/perf_event_paranoid
loop one $steps 0 "as_user 1000"
monitor user -c pmc -p $pid -n 8 --json=json
t_has "user mode alone: it says so" err 'counting user mode only: perf_event_paranoid is 2'
did=$(did one)
l="{pid=\"$pid\",comm=\"pmu\"}"
within "instructions of a process" "$(total "$l" process_perf_instructions)" "$did" 1
within "its cycles: one each" "$(total "$l" process_perf_cpucycles)" "$did" 1
t_json "IPC" json "max(abs(e['pid']['$pid']['process_ipc'] - 1) for e in E if 'process_ipc' in e['pid']['$pid']) < 0.01"
t_json "nothing scaled" json "all(e['pid']['$pid'].get('process_pmc_running_ratio', 1) == 1 for e in E)"
t_json "nothing of the machine" json "not any('ipc' in e or 'cycles_per_second' in e for e in E)"
t_json "and why" json "all({'cycles_per_second', 'instructions_per_second'} <= {m for u in e['unavailable'] if 'in use for -p' in u['reason'] for m in u['metrics']} for e in E if e['type'] == 'sample')"

t_json "what is not, and why" json "'llc_mpki' in [m for e in E if e['type'] == 'sample' for u in e['unavailable'] if 'has no event' in u['reason'] for m in u['metrics']]"

# Threads that start while kvis counts. (When threads take turns, QEMU counts 0.1 to 3 % more, instructions of the kernel, so the
# program has its own event, too.)
loop many 4000000 6 "as_user 1000"
monitor user -c pmc -p $pid -n 6
got=$(total "{pid=\"$pid\",comm=\"pmu\"}" process_perf_instructions)
within "instructions of threads to come" "$got" "$(did many)" 50
within "as an event of the program's own" "$got" "$(did many counted)" 1

# A command with children: counted from the exec on, only in user mode.
user kvis monitor -i 0.5 --json=/tmp/json8 -o /tmp/text8 -- sh -c "echo | $BIN/pmu loop $steps 0; echo | $BIN/pmu loop $steps 0; exit 9" >did8 2>err
t_is "the exit status of the command" 9 $?
cp /tmp/json8 json8
t_json "totals of the command" json8 "0 <= E[-1]['instructions'] / $(awk '/^did / { s += $2 } END { printf "%d", s }' did8) - 1 < 0.05"
t_json "and their ratio" json8 "abs(E[-1]['ipc'] - 1) < 0.01"
t_has "as text" /tmp/text8 "^ *$(js8=$(sed -n 's/.*"type":"totals".*"instructions":\([0-9]*\).*/\1/p' json8); echo "$js8")  instructions"
t_has "page faults need root" /tmp/text8 'n/a  page_faults: perf_event_open: EACCES .perf_event_paranoid is 2.; fix: '

# The events of -e: one instruction event in four spellings, in one group, so the counts are equal.
kvis monitor --list-events >listed
p=$(sed -n 's,/inst_retired/$,,p' listed)
t_has "what kvis knows is listed" listed "^instructions .$p, inst_retired.$"
user kvis monitor -e r8 -e "$p/event=0x8/" -e "$p/inst_retired/" -e instructions --json=/tmp/json9 -o /tmp/text9 -- \
    sh -c "echo | $BIN/pmu loop $steps 0" >did9
cp /tmp/json9 json9
t_json "-e: raw, by its terms, by its names" json9 "{E[-1].get(e) for e in ('$p/event=0x8/', '$p/inst_retired/', 'instructions')} == {E[-1]['r8']}"
t_json "what the program did" json9 "0 <= E[-1]['r8'] / $(sed -n 's/^did //p' did9) - 1 < 0.05"
t_json "and nothing else" json9 "'cycles' not in E[-1]"
kvis monitor -c pmc -e r11 -i 0.5 -n 2 --json=json10 --prometheus=p.prom
t_json "of all CPUs" json10 "E[-1]['event']['r11']['events_per_second'] > 0"
t_has "for Prometheus" p.prom '^kvis_events_total{event="r11"} [0-9]'
rm -f p.prom
kvis monitor -e "$p/nosuch/" -n 1 >/dev/null 2>err
t_is "an event that no PMU has" 2 $?

# All CPUs: a cycle is 1 ns, and the sum includes all instructions of the program.
loop all $steps 0
monitor root -c pmc,stat -n 8 --per-cpu --json=json2
sum=$(sed -n 's/^kvis_perf_instructions_total{cpu="[0-9]*"} //p' p.prom | awk '{ s += $1 } END { printf "%d", s }')
t_within "all CPUs" "$(did all)" "$sum" 1000000000000
t_json "sum of the CPUs" json2 "all(abs(sum(c['cycles_per_second'] for c in e['cpu'].values() if 'cycles_per_second' in c) / e['cycles_per_second'] - 1) < 1e-6 for e in E if e['type'] == 'sample')"

# More events than counters: they share the counters by turns. The scaled count is that of the program.
loop shared 100000000 0 "as_user 1000"
as_user 1000 "$BIN/pmu" hog 12 $pid >hogs &
hog=$!
until_true 5 grep -q hogs hogs
monitor user -c pmc -p $pid -n 10 --json=json3
kill $hog
t_has "others have events, too" hogs "hogs 12"
t_json "the share is told" json3 "min(e['pid']['$pid'].get('process_pmc_running_ratio', 1) for e in E) < 0.9"
within "scaled by it" "$(total "{pid=\"$pid\",comm=\"pmu\"}" process_perf_instructions)" "$(did shared)" 20

# A cgroup; a CPU that goes and comes back.
t_mount_cgroup2
mkdir /sys/fs/cgroup/work
kvis monitor -c pmc --cgroup work -i 0.1 -n 1 --json=json7 >/dev/null 2>err
t_json "a cgroup without perf_event" json7 "E[0]['unavailable'][0]['reason'].startswith('perf events of the cgroup are not enabled') or 'cgroup_ipc' in E[0]"
echo +pids >/sys/fs/cgroup/cgroup.subtree_control # before, the cgroup has no perf_event
loop grouped $steps 0
echo $pid >/sys/fs/cgroup/work/cgroup.procs
monitor root -c pmc --cgroup work -n 8 --json=json6
cp err err6
within "instructions of a cgroup" "$(total "" cgroup_perf_instructions)" "$(did grouped)" 20
t_json "of it alone" json6 "not any('ipc' in e for e in E) and all('ipc' in [m for u in e['unavailable'] for m in u['metrics']] for e in E if e['type'] == 'sample')"
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

# With few descriptors, some events are counted, and the others are unavailable with a reason.
(ulimit -n 140; kvis monitor -c pmc -i 0.3 -n 2 --json=json5 2>err)
t_json "cycles are the last to go" json5 "[e for e in E if e['type'] == 'sample'][-1]['ipc'] > 0"
t_json "the others say why" json5 "any('descriptors' in u['reason'] for u in [e for e in E if e['type'] == 'sample'][-1]['unavailable'])"
