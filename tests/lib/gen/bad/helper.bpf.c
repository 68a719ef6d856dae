// want: raw_tp/x\+0x[0-9a-f]+: helper 9 is not one of insn.h
#include "probe.h"
static long (*const bpf_skb_store_bytes)(void *, u64, void *, u64, u64) = (void *)9;
SEC("raw_tp/x") int f(u64 *c) { return bpf_skb_store_bytes(c, 0, c, 0, 0); }
