// want: raw_tp/x\+0x[0-9a-f]+: an instruction that nothing leads to
#include "probe.h"
SEC("raw_tp/x") __attribute__((naked)) int f(u64 *c) { asm volatile("r0 = 0\nexit\nr0 = 1\nexit"); }
