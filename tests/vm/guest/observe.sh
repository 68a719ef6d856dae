# observe: the calls of all processes of the machine and of a cgroup are counted exactly on this kernel, and none is lost. Each
# call is a line. (cases/observe.sh has a ring that is too small, processes.sh a late failure of execve.)
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

# lines OPTION: kvis shows each call of a process with two threads in a cgroup, and no other call.
lines() {
    t_begin text kvis trace --backend=observe $1 --ring=64M --json=json -e trace=io_destroy,sched_rr_get_interval -o text 2>err
    sh -c 'echo $$ >/sys/fs/cgroup/kvis/cgroup.procs; exec "$@"' sh "$BIN/hyb" rare 1 2 100 </dev/null >/dev/null
    [ $1 = --all ] || "$BIN/hyb" rare 1 2 100 </dev/null >/dev/null
    t_stop
    t_is "lines of $1: exit status" 0 $st
    t_is "lines of $1: of text" 400 "$(grep -c '^\[.*/[0-9]* hyb .*) *= ' text)"
    t_is "lines of $1: of JSON" 200 "$(grep -c '"comm":"hyb","name":"io_destroy","args":\["0"\],"ret":-1,"error":"EINVAL"' json)"
    t_has "lines of $1: none is lost" json '"type":"summary".*"lost":0,'
}
lines --all
lines --cgroup=kvis
rmdir /sys/fs/cgroup/kvis

# -p without --backend observes, too, and shows forks, execs, directories, signals and exits, by the programs of kvis proc. kvis ends with
# the process.
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
sleep 0.3
echo go >&8
exec 8>&-
wait $pid
t_is "a script: its own exit status" 3 $?
wait $kvis
t_is "a script: exit status of kvis" 0 $?
t_is "a script: no message" "" "$(cat err)"
t_json "a script: all that it did" json "S['lost'] == 0 and ['cat', 'in'] in [e['argv'] for e in by('exec')] \
    and by('open', path='$PWD/dir/in') and any('$PWD/dir/out' in str(e) and e.get('bytes') == 6 for e in E) \
    and by('signal', signal='SIGUSR1', sender_pid=$pid) and by('exit_process', exit_pid=$pid, code=3) \
    and len(by('spawn_process')) == len(by('exit_process')) - 1 == len(calls('exit_group')) - 1"
