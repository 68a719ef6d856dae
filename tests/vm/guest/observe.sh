#!/bin/sh
# observe: the calls of all processes of the machine and of a cgroup are counted exactly on this kernel, and none is lost.
# kernels: all
# timeout: 60
. /tests/lib.sh

kvis trace -q --backend=hybrid -- true 2>why || { t_skip observe "$(head -n 1 why)"; exit 0; }
rows() { awk '/^% time/ { t = "" } /^ *[0-9]/ && $NF != "total" { t = t $NF " " $4 " " (NF == 9 ? $5 : 0) "\n" } END { printf "%s", t }' table | grep -E '^(io_destroy|sched_rr)' | sort; }
# observe WHAT ROWS OPTION... : kvis counts while the program runs inside and outside of the cgroup
observe() {
    what=$1 want=$2
    shift 2
    rm -f table
    kvis trace -c -i 1 -o table "$@" 2>err &
    kvis=$!
    until_true 20 grep -q total table
    sh -c 'echo $$ >/sys/fs/cgroup/kvis/cgroup.procs; exec "$0" rare 3 4 500' "$BIN/hyb" </dev/null >/dev/null
    "$BIN/hyb" rare 2 2 100 </dev/null >/dev/null
    kill -INT $kvis
    wait $kvis
    t_is "$what: exit status" 0 $?
    t_is "$what: the table" "$want" "$(rows)"
    t_is "$what: nothing is missing" "" "$(cat err)"
}
grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
mkdir /sys/fs/cgroup/kvis
observe "all calls of all" "io_destroy 6400 6400
sched_rr_get_interval 6400 0" --all
observe "a cgroup" "io_destroy 6000 6000
sched_rr_get_interval 6000 0" --cgroup=kvis
rmdir /sys/fs/cgroup/kvis
