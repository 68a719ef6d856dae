# observe: the calls of all processes of the machine and of a cgroup are counted exactly on this kernel, and none is lost. Each
# call is a line; if the ring is too small, lost calls are counted.
# kernels: all
# timeout: 120
. /tests/lib.sh

t_needs_hybrid
rows() { awk '/^% time/ { t = "" } /^ *[0-9]/ && $NF != "total" { t = t $NF " " $4 " " (NF == 9 ? $5 : 0) "\n" } END { printf "%s", t }' table | grep -E '^(io_destroy|sched_rr)' | sort; }
# observe WHAT ROWS OPTION... : kvis counts while the program runs inside and outside of the cgroup
observe() {
    what=$1 want=$2
    shift 2
    t_begin table kvis trace -c -i 1 -o table "$@" 2>err
    sh -c 'echo $$ >/sys/fs/cgroup/kvis/cgroup.procs; exec "$0" rare 3 4 500' "$BIN/hyb" </dev/null >/dev/null
    "$BIN/hyb" rare 2 2 100 </dev/null >/dev/null
    t_stop
    t_is "$what: exit status" 0 $st
    t_is "$what: the table" "$want" "$(rows)"
    t_is "$what: nothing is missing" "" "$(cat err)"
}
t_mount_cgroup2
mkdir /sys/fs/cgroup/kvis
observe "all calls of all" "io_destroy 6400 6400
sched_rr_get_interval 6400 0" --all
observe "a cgroup" "io_destroy 6000 6000
sched_rr_get_interval 6000 0" --cgroup=kvis

# lines WHAT RING THREADS ROUNDS OPTION: one process of so many threads, in a cgroup; `made` is how many calls there were, `shown` and `lost` what kvis says
lines() {
    t_begin text kvis trace --backend=observe $5 --ring=$2 --json=json -e trace=io_destroy,sched_rr_get_interval -o text 2>err
    sh -c 'echo $$ >/sys/fs/cgroup/kvis/cgroup.procs; exec "$@"' sh "$BIN/hyb" rare 1 $3 $4 </dev/null >/dev/null
    [ $5 = --all ] || "$BIN/hyb" rare 1 $3 $4 </dev/null >/dev/null
    t_stop
    t_is "$1: exit status" 0 $st
    made=$(($3 * $4 * 2)) shown=$(grep -c '"type":"syscall"' json)
    lost=$(sed -n 's/.*"type":"summary".*"lost":\([0-9]*\),.*/\1/p' json)
    t_is "$1: as many lines of text" $shown "$(grep -c '^\[.*/[0-9]* hyb .*) *= ' text)"
    t_is "$1: shown and lost are all" $made $((shown + lost))
    t_is "$1: what is lost is told where it is missing" $lost "$(awk -F'"count":' '/"type":"lost"/ { n += $2 } END { print n + 0 }' json)"
}
lines "a line each" 64M 2 100 --all
t_is "none is lost" 0 $lost
t_is "each says whose it is" 200 "$(grep -c '"comm":"hyb","name":"io_destroy","args":\["0"\],"ret":-1,"error":"EINVAL"' json)"
lines "a cgroup, a line each" 16M 2 100 --cgroup=kvis
t_is "none of the cgroup is lost" 0 $lost
lines "too small a ring" 64K 4 3000 --all
rmdir /sys/fs/cgroup/kvis

# Without --backend, -p observes as well, with all that the programs of kvis proc tell: births, execs, directories, signals, ends. kvis ends
# with the process, which has no tracer.
mkfifo gate
mkdir dir && echo hello >dir/in
cat >script <<'END'
read -r go
trap 'echo got it' USR1
(cd dir && exec cat in >out)
kill -USR1 $$
nosuch-program
/bin/ls dir/.. >/dev/null
exit 3
END
sh script <gate >/dev/null 2>&1 &
pid=$!
exec 8>gate
t_begin text kvis trace -v -p $pid --json=json -o text 2>err 8>&-
t_has "a script: the backend" text '\(observe\)'
t_is "a script: no tracer" 0 "$(sed -n 's/^TracerPid:[[:space:]]*//p' /proc/$pid/status)"
sleep 0.3
echo go >&8
exec 8>&-
wait $pid
t_is "a script: its own exit status" 3 $?
wait $kvis
t_is "a script: exit status of kvis" 0 $?
t_is "a script: no message" "" "$(cat err)"
t_is "a script: nothing is missing" 1 "$(grep -c '"type":"summary".*"lost":0,' json)"
t_is "a script: children" "$(grep -c '"type":"spawn_process"' json)" "$(($(grep -c '"type":"exit_process"' json) - 1))"
t_is "a script: an exec has its arguments" 1 "$(grep -c '"type":"exec".*"argv":\["cat","in"\]' json)"
t_is "a script: the directory of its child" 1 "$(grep -c "\"type\":\"open\".*\"path\":\"$PWD/dir/in\"" json)"
t_is "a script: bytes of its child" 1 "$(grep -c "\"type\":\"[a-z]*\".*$PWD/dir/out.*6" json | sed 's/[1-9][0-9]*/1/')"
t_is "a script: the signal" 1 "$(grep -c '"type":"signal".*"signal":"SIGUSR1".*"sender_pid":'$pid json)"
t_is "a script: how it ended" 1 "$(grep -c '"type":"exit_process".*"exit_pid":'$pid',"code":3' json)"
t_is "a script: calls that a process ended in" "$(grep -c '"type":"exit_process"' json)" "$(grep -c '"type":"syscall".*"name":"exit_group"' json)"

# An execve that fails late in a thread: BPF does not see the exit of the thread, which has the pid of its process by then.
for how in "" -c; do
    rm -rf json text && : >text
    sh -c 'read -r go; exec "$0" bad_elf_thread' "$BIN/proc" <gate >/dev/null 2>&1 &
    pid=$!
    exec 8>gate
    timeout 60 kvis trace $how -p $pid --backend=observe -o text 2>err 8>&- &
    kvis=$!
    if [ "$how" ]; then sleep 2; else until_true 20 grep -q '(observe)' text; fi
    exec 8>&-
    wait $kvis
    t_is "a late failure of execve, trace $how: exit status" 0 $?
    wait $pid
    t_is "a late failure of execve: the program's status" 0 $?
done
