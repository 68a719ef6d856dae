// want: xdp\+0x0: programs cannot be in a section of this name
#include "probe.h"
SEC("xdp") int f(u64 *c) { return 0; }
