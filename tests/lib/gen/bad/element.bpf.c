// want: raw_tp/x\+0x[0-9a-f]+: a CO-RE record: an element of an array of structs
#include "probe.h"
struct task { u64 a, b; } KERNEL;
SEC("raw_tp/x") int f(struct task *t) { return t[2].b; }
