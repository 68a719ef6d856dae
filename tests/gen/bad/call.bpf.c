// want: raw_tp/x\+0x[0-9a-f]+: a call of a BPF function
#include "probe.h"
static __attribute__((noinline)) int other(u64 x) { asm volatile("" ::: "memory"); return x + 3; }
SEC("raw_tp/x") int f(u64 *c) { return other(c[0]); }
