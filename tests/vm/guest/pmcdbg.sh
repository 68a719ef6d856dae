# x
# kernels: arm64
# timeout: 60
# with: strace
# qemu: -icount shift=0
. /tests/lib.sh
mkfifo in
"$BIN/pmu" loop 20000000 0 <in >did &
pid=$!
exec 7>in
strace -o log -e trace=perf_event_open,read,ioctl kvis monitor -c pmc -p $pid -i 0.5 -n 4 >out 2>err &
k=$!
sleep 2
echo >&7
wait $k
t_pass x
exec 7>&-
