// want: raw_tp/x\+0x[0-9a-f]+: a call of a BPF function
#include "probe.h"
extern int bpf_odd(u64 *c);
SEC("raw_tp/x") int f(u64 *c) { return bpf_odd(c); }
