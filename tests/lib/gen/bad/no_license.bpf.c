// want: license\+0x0: no such section
// flags: -DNO_LICENSE
#include "probe.h"
SEC("raw_tp/x") int f(u64 *c) { return 0; }
