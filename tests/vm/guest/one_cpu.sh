# one_cpu: kvis and a faster program on one CPU, with a small ring: kvis runs only when the program does not,
# and must not keep BPF programs from running.
# kernels: all
# timeout: 120
. /tests/lib.sh

t_needs_hybrid
for n in 1 2 3; do
    t_run taskset 1 kvis trace -q -v --backend=hybrid --ring=64K --json=json -- "$BIN/hyb" calls 4 1500
    t_is "run $n: every call" 6000 "$(grep -c '"type":"syscall","name":"faccessat"' json)"
    tail -n 1 json >summary
    t_has "run $n: none lost" summary '"lost":0,'
    t_hasnt "run $n: it was held" summary '"throttle_stops":0,'
    rm json
done
