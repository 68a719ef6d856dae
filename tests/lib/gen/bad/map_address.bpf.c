// want: \.relmaps\+0x0: relocations of maps or of the license
#include "probe.h"
struct { u32 a, b, c; void *p; } __attribute__((packed)) odd SEC("maps") = { MAP_HASH, 4, 4, &lost };
SEC("raw_tp/x") int f(u64 *c) { u32 k = 0; bpf_map_delete_elem(&odd, &k); return 0; }
