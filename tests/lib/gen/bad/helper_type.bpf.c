// want: raw_tp/x\+0x[0-9a-f]+: a helper that programs of this type may not call
#include "probe.h"
SEC("raw_tp/x") int f(u64 *c) { u64 v[3] = { 0 }; return bpf_perf_prog_read_value(c, v, sizeof v); }
