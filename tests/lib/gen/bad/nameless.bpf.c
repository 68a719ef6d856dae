// want: raw_tp/x\+0x[0-9a-f]+: a CO-RE record: a type or member without a name in C
#include "probe.h"
typedef struct { u64 a, b; } KERNEL task_t;
SEC("raw_tp/x") int f(task_t *t) { return t->b; }
