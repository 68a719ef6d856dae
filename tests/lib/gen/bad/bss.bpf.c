// want: \.bss\+0x0: data:
#include "probe.h"
u64 counter;
SEC("raw_tp/x") int f(u64 *c) { return counter++; }
