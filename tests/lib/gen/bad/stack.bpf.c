// want: raw_tp/x\+0x[0-9a-f]+: more than 512 bytes of stack
#include "probe.h"
SEC("raw_tp/x") int f(u64 *c) { asm volatile("*(u64 *)(r10 - 520) = r1" ::: "memory"); return 0; }
