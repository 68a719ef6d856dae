// want: raw_tp/x\+0x[0-9a-f]+: opcode 0x30 .* has no form in insn.h
#include "probe.h"
SEC("raw_tp/x") __attribute__((naked)) int f(u64 *c) { asm volatile("r0 = *(u8 *)skb[3]\nexit"); }
