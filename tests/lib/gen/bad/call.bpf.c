// want: \.text\+0x0: a BPF function outside of the programs
#include "probe.h"
static __attribute__((noinline)) int other(u64 x) { asm volatile("" ::: "memory"); return x + 3; }
SEC("raw_tp/x") int f(u64 *c) { return other(c[0]); }
