// want: maps\+0x[0-9a-f]+: big has 24 bytes, not 20
#include "probe.h"
struct { struct map_def d; u32 more; } big SEC("maps") = { { MAP_HASH, 4, 4, 4, 0 }, 1 };
SEC("raw_tp/x") int f(u64 *c) { u32 k = 0; bpf_map_delete_elem(&big, &k); return 0; }
