// want: raw_tp\+0x0: programs cannot be in a section of this name
#include "probe.h"
SEC("raw_tp") int f(u64 *c) { return 0; }
