// want: maps\+0x[0-9a-f]+: a map of type 18, which is not in insngen's table
#include "probe.h"
struct map_def odd SEC("maps") = { 18, 4, 4, 4, 0 };
SEC("raw_tp/x") int f(u64 *c) { u32 k = 0; bpf_map_delete_elem(&odd, &k); return 0; }
