// want: maps\+0x[0-9a-f]+: a map's name is one of C, of at most 15 bytes
#include "probe.h"
struct map_def a_name_that_is_too_long SEC("maps") = { MAP_HASH, 4, 4, 4, 0 };
SEC("raw_tp/x") int f(u64 *c) { u32 k = 0; bpf_map_delete_elem(&a_name_that_is_too_long, &k); return 0; }
