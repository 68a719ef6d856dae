# diagnose_numa: a program on one NUMA node whose memory is on another.
# kernels: x86-5.10 x86-sid arm64
# (As diagnose.)
# timeout: 40
# qemu: -smp 4 -object memory-backend-ram,id=m0,size=256M -object memory-backend-ram,id=m1,size=256M -object memory-backend-ram,id=m2,size=256M -object memory-backend-ram,id=m3,size=256M -numa node,cpus=0-1,nodeid=0,memdev=m0 -numa node,cpus=2,nodeid=1,memdev=m1 -numa node,cpus=3,nodeid=2,memdev=m2 -numa node,nodeid=3,memdev=m3 -numa dist,src=0,dst=1,val=15 -numa dist,src=0,dst=2,val=20 -numa dist,src=0,dst=3,val=40 -numa dist,src=1,dst=2,val=25 -numa dist,src=1,dst=3,val=45 -numa dist,src=2,dst=3,val=50
. /tests/lib.sh

[ -d /sys/devices/system/node/node3 ] || { t_skip numa "this kernel has not four nodes"; exit 0; }
t_ill far "numa-remote-memory\|numa-remote-allocations" 1 far 64 3 1
