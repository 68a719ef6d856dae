// want: raw_tp/x\+0x[0-9a-f]+: LINUX_KERNEL_VERSION is not defined
#include "probe.h"
extern char LINUX_KERNEL_VERSION;
SEC("raw_tp/x") int f(u64 *c) { return CFG(LINUX_KERNEL_VERSION) > c[0]; }
