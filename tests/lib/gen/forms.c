// SPDX-License-Identifier: MIT
/* Test input of insngen: each form of instruction that clang 14 makes for -mcpu=v2, as text. */
char license_[] __attribute__((section("license"), used)) = "GPL";

#define ALU(op) "r1 " op " r2\nr3 " op " 7\n"
#define ENDIAN(bits) "r1 = be" bits " r1\nr2 = le" bits " r2\n"
#define MEMORY(size) "r1 = *(" size " *)(r10 - 8)\n*(" size " *)(r10 - 16) = r1\nr1 = *(" size " *)(r6 + 0)\n"
#define JUMP(op) "if r1 " op " r2 goto +1\nif r3 " op " -5 goto +0\n"

__attribute__((section("kprobe/x"), used, naked)) int forms(void *ctx)
{
    asm volatile("r6 = r1\n"
                 ALU("+=") ALU("-=") ALU("*=") ALU("/=") ALU("|=") ALU("&=") ALU("<<=") ALU(">>=") ALU("^=") ALU("s>>=") ALU("=")
                 "r4 = -r4\n"
                 ENDIAN("16") ENDIAN("32") ENDIAN("64")
                 "r5 = -2147483648\n"
                 "r5 = 2147483647\n"
                 "r5 = 0x8000000000000000 ll\n"
                 "r5 = -1 ll\n"
                 MEMORY("u8") MEMORY("u16") MEMORY("u32") MEMORY("u64")
                 "lock *(u32 *)(r10 - 8) += w1\n"
                 "lock *(u64 *)(r10 - 8) += r1\n"
                 JUMP("==") JUMP("!=") JUMP(">") JUMP(">=") JUMP("<") JUMP("<=") JUMP("s>") JUMP("s>=") JUMP("s<") JUMP("s<=")
                 "goto +0\n"
                 "call 5\n"
                 "r0 = 0\n"
                 "exit");
}
