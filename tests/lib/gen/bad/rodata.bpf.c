// want: \.rodata[.a-z0-9]*\+0x0: data: a program has maps and constants
#include "probe.h"
static const u64 table[] = { 5, 7, 1, 2, 9, 4 };
SEC("raw_tp/x") int f(u64 *c) { return ((const volatile u64 *)table)[c[0] & 3]; }
