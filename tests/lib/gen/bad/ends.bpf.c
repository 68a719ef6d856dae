// want: raw_tp/x\+0x[0-9a-f]+: runs off the end
#include "probe.h"
SEC("raw_tp/x") __attribute__((naked)) int f(u64 *c) { asm volatile("r0 = 0"); }
