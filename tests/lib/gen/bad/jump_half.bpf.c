// want: raw_tp/x\+0x[0-9a-f]+: a jump out of the program
#include "probe.h"
SEC("raw_tp/x") __attribute__((naked)) int f(u64 *c) { asm volatile("if r1 == 0 goto +1\nr0 = 5 ll\nexit"); }
