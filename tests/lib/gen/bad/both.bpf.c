// want: both/sys_enter\+0x0: of both kinds of tracepoints, but not "both/CATEGORY/EVENT"
#include "probe.h"
SEC("both/sys_enter") int f(u64 *c) { return 0; }
