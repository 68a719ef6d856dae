// want: raw_tp/x\+0x[0-9a-f]+: a call of a BPF function
#include "probe.h"
SEC("raw_tp/x") __attribute__((noinline)) int g(u64 *c) { asm volatile("" ::: "memory"); return c[1]; }
SEC("raw_tp/x") int f(u64 *c) { return g(c); }
