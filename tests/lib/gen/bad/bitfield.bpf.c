// want: raw_tp/x\+0x[0-9a-f]+: a CO-RE record: (flag is a bit-field|of kind [45])
#include "probe.h"
struct task { u64 a; u32 flag : 3, other : 4; } KERNEL;
SEC("raw_tp/x") int f(struct task *t) { return __builtin_preserve_field_info(t->flag, 0); }
