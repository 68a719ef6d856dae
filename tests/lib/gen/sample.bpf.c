#include "probe.h"

extern char CFG_PID;

SEC("tp/sched/sched_switch")
int first(void *ctx)
{
    return CFG(CFG_PID) == 3;
}

SEC("kprobe/do_exit")
int second(void *ctx)
{
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
