# hotplug: CPUs go offline and online while calls are recorded or counted: their threads continue on other CPUs,
# and no call is lost; a CPU that was offline when kvis started is covered when it comes online.
# kernels: all
# timeout: 150
. /tests/lib.sh

t_needs_hybrid
on=/sys/devices/system/cpu/cpu
(echo 0 >${on}1/online) 2>/dev/null || { t_skip hotplug "no CPU can be switched off"; exit 0; }
echo 1 >${on}1/online

# blink PID: while the process lives, takes one CPU after the other offline for 0.1 s.
blink() {
    n=0
    while kill -0 "$1" 2>/dev/null; do
        for cpu in 1 0; do
            (echo 0 >$on$cpu/online) 2>/dev/null || continue
            usleep 100000
            echo 1 >$on$cpu/online
            n=$((n + 1))
        done
        usleep 100000
    done
}
kvis trace -q -v --backend=hybrid --ring=64K --json=json -- "$BIN/hyb" calls 4 1000 >out 2>err &
k=$!
blink $k
st=0
wait $k || st=$?
t_is "exit status, after CPUs went and came $n times" 0 $st || t_show err
t_is "they did" 1 $((n > 0))
t_is "every call" "4000 4000" "$(grep -c '"type":"syscall","name":"getuid"' json) $(grep -c '"type":"syscall","name":"faccessat"' json)"
t_has "none lost" json '"type":"summary".*"lost":0,'
rm json
kvis trace -c --backend=hybrid -o table -- "$BIN/hyb" calls 4 2000 >out 2>err &
k=$!
blink $k
wait $k
t_has "counted" table ' 8000 .*faccessat$'
t_is "it is in its place again" "$(cat /sys/devices/system/cpu/present)" "$(cat /sys/devices/system/cpu/online)"

# The CPU is offline when kvis starts; later, a program runs only there.
cat >later <<'P'
echo 1 >/sys/devices/system/cpu/cpu1/online
taskset 2 "$1" calls 2 500
taskset 2 cat /proc/version
P
later() { # later WANT REGEX COMMAND: WANT lines of the output match REGEX
    echo 0 >${on}1/online
    rm -f json table
    t_ok "$3, a CPU that comes: exit status" kvis $3 -- sh later "$BIN/hyb"
    t_is "$3, a CPU that comes: what is done there" "$1" "$(cat json table 2>/dev/null | grep -Ec "$2")"
    [ ! -s json ] || t_has "$3: none lost" json '"type":"summary".*"lost":0,'
}
# The CPU on which kvis has opened its perf events goes offline.
cat >gone <<'P'
echo 0 >/sys/devices/system/cpu/cpu1/online
cat /proc/version
P
gone() { # gone REGEX COMMAND: the JSON contains events after the CPU went offline
    echo 1 >${on}1/online
    rm -f json
    t_ok "$2, its CPU goes: exit status" taskset 2 "$KVIS" $2 -o /dev/null --json=json -- sh gone
    t_has "$2, its CPU goes: what happens then" json "$1"
}
gone '"type":"open".*"/proc/version"' open
gone '"type":"open".*"/proc/version"' "trace -q --backend=hybrid"
gone '"type":"command".*"argv":."cat","/proc/version"' proc
echo 1 >${on}1/online
rm -f json
later 1000 '"type":"syscall","name":"faccessat"' "trace -q -v --backend=hybrid --json=json"
later 1 ' 1000 .*faccessat$' "trace -c --backend=hybrid -o table"
later 1 '"/proc/version"' "open -o /dev/null --json=json"
later 1 '"type":"command".*"argv":."cat","/proc/version"' "proc -o /dev/null --json=json"
rm -f json
