// want: raw_tp/x\+0x[0-9a-f]+: a CO-RE record of kind 7 \(a type's number\)
#include "probe.h"
struct task { u64 a; } KERNEL;
SEC("raw_tp/x") int f(struct task *t) { return __builtin_btf_type_id(*t, 1); }
